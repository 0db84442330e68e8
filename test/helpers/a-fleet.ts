import { absent, observed } from '../../src-main/domain/fleet/reading'
import {
  type FleetSnapshot,
  noReadings,
  type ReplicaSnapshot,
  type ReplicaState,
} from '../../src-main/domain/fleet/replica'

const none = absent('never-received', null)

/** A replica that is there and of which nothing but its state is known. */
export const aReplica = (id: string, state: ReplicaState = 'ready'): ReplicaSnapshot => ({
  replica: { id, model: 'demo-8b', url: 'http://127.0.0.1:9' },
  state: observed<ReplicaState>(state, `engine:${id}`, 0),
  excluded: false,
  ...noReadings(null),
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
