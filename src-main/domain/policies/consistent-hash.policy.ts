import { type Candidates, isOpen } from '../routing/candidates'
import { definePolicy, explainByRank, picked, refused } from '../routing/policy'
import { buildRing, changeRing, ownersOf, type Ring, ringHash } from '../sessions/ring'

/** Names and defaults of Ray Serve's ConsistentHashRouter. */
export interface ConsistentHashParams {
  readonly num_virtual_nodes: number
  readonly num_fallback_replicas: number
}

/** The ring of the replicas last seen. */
export interface ConsistentHashMemory {
  readonly params: ConsistentHashParams
  fleetEpoch: number
  ring: Ring
}

export default definePolicy<ConsistentHashParams, ConsistentHashMemory>({
  id: 'consistent-hash',
  title: 'Consistent hash',
  summary:
    'A session stays with the replica that owns its place on a hash ring; scaling moves only its fair share.',
  source: 'Ray Serve 2.56, ConsistentHashRouter: MurmurHash3 ring, checked against golden vectors',
  signals: ['session-key'],
  params: {
    num_virtual_nodes: {
      initial: 100,
      unit: 'points per replica',
      min: 1,
      max: 10_000,
      help: 'More points even out the shares of the replicas; rebuilding the ring takes longer.',
    },
    num_fallback_replicas: {
      initial: 2,
      unit: 'replicas',
      min: 0,
      max: 100,
      help: 'Owners after the first that may be used when a connection to the first cannot be made.',
    },
  },
  init: (params) => ({
    params,
    fleetEpoch: -1,
    ring: buildRing([], params.num_virtual_nodes),
  }),
  observe: (memory, { candidates, fleetEpoch }) => keepRing(memory, candidates, fleetEpoch),
  choose(memory, { request, candidates, fleetEpoch }) {
    keepRing(memory, candidates, fleetEpoch)
    // Ray's rule: no session id, or an empty one, hashes the request's own id: an even spread, no affinity.
    const keyed = request.sessionText !== null && request.sessionText !== ''
    const key = keyed ? (request.sessionText as string) : request.id
    const count = 1 + memory.params.num_fallback_replicas
    const ranked = ownersOf(memory.ring, ringHash(key), count, (index) => isOpen(candidates, index))
    const facts = {
      keyed: keyed ? 1 : 0,
      virtualNodes: memory.params.num_virtual_nodes,
      ringPoints: memory.ring.owner.length,
    }
    return ranked.length === 0 ? refused('no_replica', facts) : picked(ranked, facts)
  },
  explain: (decision) =>
    explainByRank(decision, {
      picked: 'owner',
      fallback: 'fallback-rank',
      unranked: 'beyond-ranks',
    }),
})

/** Changes the ring only when the set of replicas changed; replicas that are out are passed over instead (see ring.ts). */
function keepRing(memory: ConsistentHashMemory, candidates: Candidates, fleetEpoch: number): void {
  if (memory.fleetEpoch === fleetEpoch) return
  memory.fleetEpoch = fleetEpoch
  if (sameIds(memory.ring.replicaIds, candidates.ids)) return
  memory.ring = changeRing(memory.ring, candidates.ids, memory.params.num_virtual_nodes)
}

const sameIds = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((id, index) => id === b[index])
