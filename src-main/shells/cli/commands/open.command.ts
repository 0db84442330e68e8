import { defineCommand } from '../command'

export default defineCommand({
  id: 'open',
  define: (command, context) =>
    command
      .description('brings the window to the front, or prints a new link to the page')
      .action(async () => {
        const { json, print, ask } = context()
        const opened = await ask('console.open', {})
        print(json ? JSON.stringify(opened) : (opened.url ?? 'the window is in front'))
      }),
})
