import { exitCodes, Stop } from '../../exit'
import { defineCommand } from '../command'

export default defineCommand({
  id: 'revoke',
  define: (command, context) =>
    command.description('ends every browser session; signalbox open prints a new link').action(async () => {
      const { json, print, withConsole } = context()
      const revoked = await withConsole((call) => call('console.revoke', {}))
      if (!revoked.ok) throw new Stop(exitCodes.refused, revoked.error.message)
      print(json ? JSON.stringify({ revoked: true }) : 'every browser session is ended')
    }),
})
