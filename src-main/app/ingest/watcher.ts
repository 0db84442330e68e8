import type { Draw } from '../../base/draw'
import type { Millis } from '../../base/units'
import type { Reading } from '../../domain/fleet/reading'
import {
  type FleetSnapshot,
  isEligible,
  type Replica,
  type ReplicaId,
  type SourceState,
} from '../../domain/fleet/replica'
import type { ClusterBody } from '../../domain/journal/record'
import type { FleetSource } from '../../ports/fleet-source'
import { poll } from '../../ports/poll'
import type { Clock } from '../../ports/seams/clock'
import type { Stoppable, Timers } from '../../ports/seams/timers'
import {
  afterRead,
  snapshotOf,
  sourceReportOf,
  sourceStateOf,
  stateOf,
  unread,
  type WatchedReplica,
} from './watched-replica'

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

/** Polls of many replicas are spread by this part of their pace. */
const jitter = 0.1

interface Watch {
  state: WatchedReplica
  /** The source's state that was last told. */
  told: SourceState | null
  readonly source: FleetSource
  polling: Stoppable
}

/** A watcher of nothing. */
export function createWatcher(options: WatcherOptions): Watcher {
  const { clock, timers, everyMs } = options
  const watches = new Map<ReplicaId, Watch>()
  let epoch = options.epoch
  let signature: string | null = null
  let begun = false

  const complete = () => [...watches.values()].every(({ state }) => state.readMonoMs !== null)
  const snapshot = (): FleetSnapshot => ({
    epoch,
    takenMonoMs: clock.monoMs(),
    replicas: [...watches.values()].map(({ state, source }) =>
      snapshotOf(state, source, options.errorsPerMinute(state.replica.id)),
    ),
    sources: [...watches.values()].flatMap(
      ({ state, source }) => sourceReportOf(state, source, everyMs, clock.monoMs()) ?? [],
    ),
  })
  /** Tells of a change of membership or eligibility, with the next epoch. Nothing is told before the first whole look. */
  const settle = () => {
    if (signature === null && !(begun && complete())) return
    const now = membersOf(snapshot())
    if (now === signature) return
    signature = now
    epoch++
    options.changed(snapshot())
  }
  const start = (replica: Replica) => {
    const watch: Watch = {
      state: unread(replica),
      told: null,
      source: options.open(replica),
      polling: { stop() {} },
    }
    watches.set(replica.id, watch)
    startPolling(watch)
  }
  const startPolling = (watch: Watch) => {
    watch.polling.stop()
    const draw = options.draw.fork(watch.state.replica.id)
    const pauseMs = () => everyMs * (1 - jitter + 2 * jitter * draw.unit())
    watch.polling = poll(timers, pauseMs, (signal) => readOnce(watch, signal))
  }
  const readOnce = async (watch: Watch, signal: AbortSignal) => {
    const read = await watch.source.read(signal)
    if (signal.aborted) return
    const before = watch.state
    watch.state = afterRead(before, read, { monoMs: clock.monoMs(), wallMs: clock.wallMs() })
    options.record(...changesOf(before, watch.state), ...turnsOf(watch))
    settle()
  }
  const turnsOf = (watch: Watch): readonly ClusterBody[] => {
    const to = sourceStateOf(watch.state, everyMs, clock.monoMs())
    const from = watch.told
    watch.told = to
    if (to === from || (from === null && to === 'ok')) return []
    return [{ kind: 'source.turned', source: watch.source.id, from, to, why: watch.state.lastError }]
  }
  const end = (id: ReplicaId) => {
    const watch = watches.get(id)
    watches.delete(id)
    watch?.polling.stop()
    if (watch && watch.state.readMonoMs !== null) options.record({ kind: 'replica.gone', replicaId: id })
  }

  return {
    targets(replicas, cause) {
      const before = [...watches.values()].map(({ state }) => state.replica)
      const same = (replica: Replica) => before.some((each) => equal(each, replica))
      const added = replicas.filter((replica) => !same(replica))
      const removed = before.filter((replica) => !replicas.some((each) => equal(each, replica)))
      for (const { id } of removed) end(id)
      for (const replica of added) start(replica)
      order(watches, replicas)
      const first = !begun
      begun = true
      if (added.length === 0 && removed.length === 0) return
      settle()
      if (first) return // nothing was scaled: we only began to look
      options.record({
        kind: 'fleet.scaled',
        from: before.length,
        to: replicas.length,
        added: added.map(({ id }) => id),
        removed: removed.map(({ id }) => id),
        cause,
        epoch: signature === null ? epoch + 1 : epoch,
      })
    },
    fleet: () => (signature === null ? null : snapshot()),
    resumed() {
      for (const watch of watches.values()) {
        watch.source.restart()
        watch.state = { ...watch.state, lastGoodMonoMs: null, source: 'late' }
        options.record(...turnsOf(watch))
        startPolling(watch)
      }
    },
    stop() {
      for (const { polling } of watches.values()) polling.stop()
      watches.clear()
    },
  }
}

const equal = (a: Replica, b: Replica) => a.id === b.id && a.url === b.url && a.model === b.model

const membersOf = ({ replicas }: FleetSnapshot): string =>
  JSON.stringify(replicas.map((each) => [each.replica.id, each.replica.url, isEligible(each)]))

/** The order of the targets is the order of the fleet. */
function order(watches: Map<ReplicaId, Watch>, replicas: readonly Replica[]): void {
  for (const { id } of replicas) {
    const watch = watches.get(id)
    if (!watch) continue
    watches.delete(id)
    watches.set(id, watch)
  }
}

function changesOf(before: WatchedReplica, after: WatchedReplica): readonly ClusterBody[] {
  const from = stateOf(before)
  const to = stateOf(after)
  if (from === null) return [{ kind: 'replica.seen', replica: after.replica, state: to }]
  if (from === to) return []
  const why = to === 'ready' ? null : after.lastError
  return [{ kind: 'replica.changed', replicaId: after.replica.id, from, to, why }]
}
