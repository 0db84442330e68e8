import { toDecimal } from '../../../base/digest/murmur3'
import { buildRing, ownersOf, ringHash } from '../../../domain/sessions/ring'
import { exitCodes, Stop } from '../../exit'
import { text, whole } from '../../start-options'
import { defineCommand } from '../command'
import { table } from '../print'

/** Points of a ring that are built while somebody waits for an answer: about a second's work. */
const ringPointsMax = 1_000_000

export default defineCommand({
  id: 'route',
  define: (command, context) =>
    command
      .description('prints where sessions live on the consistent-hash ring; needs no running console')
      .argument('<sessions...>', 'session ids')
      .requiredOption('--replicas <ids>', 'replica ids, separated by commas', text)
      .option('--vnodes <n>', 'virtual nodes of a replica', whole(1, 10_000), 100)
      .option('--fallbacks <n>', 'owners after the first', whole(0, 100), 2)
      .action((sessions: string[], flags: { replicas: string; vnodes: number; fallbacks: number }) => {
        const ids = replicaIds(flags.replicas)
        if (sessions.includes(''))
          throw new Stop(exitCodes.usage, 'a session id is empty; the proxy takes that as no session')
        if (ids.length * flags.vnodes > ringPointsMax)
          throw new Stop(
            exitCodes.usage,
            `${ids.length} replicas with ${flags.vnodes} virtual nodes each are more than ${ringPointsMax} points; lower --vnodes`,
          )
        const ring = buildRing(ids, flags.vnodes)
        const routes = sessions.map((session) => {
          const hash = ringHash(session)
          const ranked = ownersOf(ring, hash, 1 + flags.fallbacks, () => true).map(
            (index) => ids[index] as string,
          )
          return { session, hash: toDecimal(hash), ranked }
        })
        const { json, print } = context()
        if (json) return print(JSON.stringify(routes))
        print(
          table(
            ['SESSION', 'HASH', 'RANKED'],
            routes.map((route) => [route.session, route.hash, route.ranked.join(' ')]),
          ),
        )
      }),
})

function replicaIds(list: string): string[] {
  const ids = list.split(',').map((id) => id.trim())
  if (ids.some((id) => id === ''))
    throw new Stop(exitCodes.usage, '--replicas has an empty id; write --replicas r1,r2,r3')
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice !== undefined)
    throw new Stop(exitCodes.usage, `--replicas names ${twice} twice; each replica is on the ring once`)
  return ids
}
