import { whole } from '../../start-options'
import { defineCommand } from '../command'

export default defineCommand({
  id: 'scale',
  define: (command, context) =>
    command
      .description('sets how many replicas the embedded cluster runs')
      .argument('<replicas>', 'how many', whole(1, 64))
      .action(async (replicas: number) => {
        const { json, print, ask } = context()
        const scaled = await ask('fleet.scale', { replicas })
        const { from, to, added, removed } = scaled
        const change = [...added.map((id) => `+${id}`), ...removed.map((id) => `-${id}`)].join(' ')
        print(
          json
            ? JSON.stringify(scaled)
            : `${from} → ${to} replicas${change ? `: ${change}` : ', nothing to do'}`,
        )
      }),
})
