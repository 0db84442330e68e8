import { defineCommand } from '../command'

export default defineCommand({
  id: 'revoke',
  define: (command, context) =>
    command.description('ends every browser session; signalbox open prints a new link').action(async () => {
      const { json, print, ask } = context()
      await ask('console.revoke', {})
      print(json ? JSON.stringify({ revoked: true }) : 'every browser session is ended')
    }),
})
