import type { Draw } from '../../base/draw'
import type { Millis } from '../../base/units'
import type { Reading } from '../../domain/fleet/reading'
import { type FleetSnapshot, isEligible, type Replica, type ReplicaId } from '../../domain/fleet/replica'
import type { ClusterBody } from '../../domain/journal/record'
import type { FleetSource } from '../../ports/fleet-source'
import type { Clock } from '../../ports/seams/clock'
import type { Timers } from '../../ports/seams/timers'
import { type ReplicaWatch, watchReplica } from './replica-watch'
import { snapshotOf, sourceReportOf } from './watched-replica'

/** Why the set of replicas changed. */
export type ScaleCause = 'operator' | 'failure' | 'unknown'

/** Reads the replicas and says what became of them. */
export interface Watcher {
  /** The replicas that should be there; those that are new are read at once. */
  targets(replicas: readonly Replica[], cause: ScaleCause): void
  /** The fleet now; null until every replica of the first set was read once. */
  fleet(): FleetSnapshot | null
  /** Time went by unseen: rates start anew, everything is read now, and nothing counts as fresh until it was. */
  resumed(): void
  stop(): void
}

/** What the watcher is handed. */
export interface WatcherOptions {
  readonly clock: Clock
  readonly timers: Timers
  readonly draw: Draw
  readonly open: (replica: Replica) => FleetSource
  readonly everyMs: Millis
  /** The epoch before the first one that this watcher makes. */
  readonly epoch: number
  readonly errorsPerMinute: (replicaId: ReplicaId) => Reading<number>
  readonly record: (...bodies: readonly ClusterBody[]) => void
  /** The set of replicas or what may be picked of it changed. */
  readonly changed: (fleet: FleetSnapshot) => void
}

/** A watcher of nothing. */
export function createWatcher(options: WatcherOptions): Watcher {
  const { clock, everyMs, record } = options
  let watches: readonly ReplicaWatch[] = []
  let epoch = options.epoch
  let members: string | null = null
  let begun = false

  const snapshot = (): FleetSnapshot => ({
    epoch,
    takenMonoMs: clock.monoMs(),
    replicas: watches.map(({ state, source }) =>
      snapshotOf(state, source, options.errorsPerMinute(state.replica.id)),
    ),
    sources: watches.flatMap(
      ({ state, source }) => sourceReportOf(state, source, everyMs, clock.monoMs()) ?? [],
    ),
  })
  /** Tells of a change of membership or eligibility, with the next epoch. Nothing is told before the first whole look. */
  const settle = () => {
    if (members === null && (!begun || watches.some(wasNotRead))) return
    const now = membersOf(snapshot())
    if (now === members) return
    members = now
    epoch++
    options.changed(snapshot())
  }
  const start = (replica: Replica) =>
    watchReplica(replica, options.open(replica), {
      ...options,
      draw: options.draw.fork(replica.id),
      onRead: settle,
    })
  const end = (watch: ReplicaWatch) => {
    watch.stop()
    if (!wasNotRead(watch)) record({ kind: 'replica.gone', replicaId: watch.state.replica.id })
  }

  return {
    targets(replicas, cause) {
      const first = !begun
      begun = true
      const before = watches
      watches = replicas.map((replica) => before.find(isOf(replica)) ?? start(replica))
      const removed = before.filter((watch) => !watches.includes(watch))
      const added = watches.filter((watch) => !before.includes(watch))
      for (const watch of removed) end(watch)
      settle()
      if (first || (added.length === 0 && removed.length === 0)) return // at first nothing was scaled: we only began to look
      record({
        kind: 'fleet.scaled',
        from: before.length,
        to: replicas.length,
        added: added.map(idOf),
        removed: removed.map(idOf),
        cause,
        epoch: members === null ? epoch + 1 : epoch,
      })
    },
    fleet: () => (members === null ? null : snapshot()),
    resumed() {
      for (const watch of watches) watch.resume()
    },
    stop() {
      for (const watch of watches) watch.stop()
      watches = []
    },
  }
}

const idOf = ({ state }: ReplicaWatch): ReplicaId => state.replica.id
const wasNotRead = ({ state }: ReplicaWatch): boolean => state.readMonoMs === null

/** The same id at another address is another replica. */
const isOf =
  ({ id, url, model, engine }: Replica) =>
  ({ state: { replica } }: ReplicaWatch) =>
    replica.id === id && replica.url === url && replica.model === model && replica.engine === engine

const membersOf = ({ replicas }: FleetSnapshot): string =>
  JSON.stringify(replicas.map((each) => [each.replica.id, each.replica.url, isEligible(each)]))
