import { exitCodes, Stop } from '../../exit'
import { whole } from '../../start-options'
import { defineCommand } from '../command'

export default defineCommand({
  id: 'scale',
  define: (command, context) =>
    command
      .description('sets how many replicas the embedded cluster runs')
      .argument('<replicas>', 'how many', whole(1, 64))
      .action(async (replicas: number) => {
        const { json, print, withConsole } = context()
        const scaled = await withConsole((call) => call('fleet.scale', { replicas }))
        if (!scaled.ok) throw new Stop(exitCodes.refused, scaled.error.message)
        const { from, to, added, removed } = scaled.value
        const change = [...added.map((id) => `+${id}`), ...removed.map((id) => `-${id}`)].join(' ')
        print(
          json
            ? JSON.stringify(scaled.value)
            : `${from} → ${to} replicas${change ? `: ${change}` : ', nothing to do'}`,
        )
      }),
})
