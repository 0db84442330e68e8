import { type FaultName, faultNames } from '../../../domain/journal/record'
import { nearest } from '../../../domain/routing/params'
import { exitCodes, Stop } from '../../exit'
import { text } from '../../start-options'
import { defineCommand } from '../command'

export default defineCommand({
  id: 'fault',
  define: (command, context) =>
    command
      .description(
        `puts a fault on the local planes, or clears them all: ${[...faultNames, 'clear'].join(', ')}`,
      )
      .argument('<name>', 'the fault, or clear')
      .option('--replica <id>', 'which replica, for replica-kill; else the first one that runs', text)
      .option('--for <duration>', 'ends by itself after this time, for example 500ms, 5s or 2m')
      .action(async (name: string, flags: { replica?: string; for?: string }) => {
        const { json, print, ask } = context()
        if (name === 'clear') {
          const cleared = await ask('faults.clear', {})
          return print(
            json
              ? JSON.stringify(cleared)
              : `${cleared.cleared} ${cleared.cleared === 1 ? 'fault' : 'faults'} cleared`,
          )
        }
        const params = {
          name: faultName(name),
          replicaId: flags.replica ?? null,
          forMs: flags.for === undefined ? null : duration(flags.for),
        }
        const set = await ask('faults.set', params)
        const { replicaId, untilWallMs } = set
        const until =
          untilWallMs === null
            ? 'until it is cleared'
            : `until ${new Date(untilWallMs).toISOString().slice(11, 23)} UTC`
        print(
          json
            ? JSON.stringify({ name, ...set })
            : `${name}${replicaId ? ` on ${replicaId}` : ''} is in force ${until}`,
        )
      }),
})

function faultName(given: string): FaultName {
  const name = faultNames.find((each) => each === given)
  if (name) return name
  throw new Stop(
    exitCodes.usage,
    `there is no fault ${given}; did you mean ${nearest(given, faultNames)}? There are: ${faultNames.join(', ')}, and clear, which ends them`,
  )
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

function duration(given: string): number {
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(given)
  const ms = parts ? Math.round(Number(parts[1]) * (unitsMs[parts[2] as string] as number)) : Number.NaN
  if (ms >= 100 && ms <= 86_400_000) return ms
  throw new Stop(exitCodes.usage, `--for ${given} is no duration from 100ms to 24h; write for example 5s`)
}
