import { exitCodes, Stop } from '../../exit'
import { defineCommand } from '../command'

export default defineCommand({
  id: 'open',
  define: (command, context) =>
    command
      .description('brings the window to the front, or prints a new link to the page')
      .action(async () => {
        const { json, print, withConsole } = context()
        const opened = await withConsole((call) => call('console.open', {}))
        if (!opened.ok) throw new Stop(exitCodes.refused, opened.error.message)
        print(json ? JSON.stringify(opened.value) : (opened.value.url ?? 'the window is in front'))
      }),
})
