import { absent, observed } from '../../src-main/domain/fleet/reading'
import type { FleetSnapshot, ReplicaSnapshot, ReplicaState } from '../../src-main/domain/fleet/replica'

const none = absent('never-received', null)

/** A replica that is there and of which nothing but its state is known. */
export const aReplica = (id: string, state: ReplicaState = 'ready'): ReplicaSnapshot => ({
  replica: { id, model: 'demo-8b', url: 'http://127.0.0.1:9' },
  state: observed<ReplicaState>(state, `engine:${id}`, 0),
  excluded: false,
  running: none,
  waiting: none,
  maxOngoing: none,
  kvUsedRatio: none,
  cacheHitRatio: none,
  preemptionsPerMinute: none,
  outputTokensPerSecond: none,
  ttftMsP50: none,
  ttftMsP99: none,
  itlMsP99: none,
  latencySamples: 0,
  errorsPerMinute: none,
  upSinceWallMs: null,
  lastError: null,
})

/** A fleet of ready replicas. */
export const aFleet = (ids: readonly string[]): FleetSnapshot => ({
  epoch: 1,
  takenMonoMs: 0,
  replicas: ids.map((id) => aReplica(id)),
  sources: [],
})
