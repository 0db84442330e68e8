import type { Draw } from '../../base/draw'
import type { Millis } from '../../base/units'
import type { Replica, SourceState } from '../../domain/fleet/replica'
import type { ClusterBody } from '../../domain/journal/record'
import type { FleetSource } from '../../ports/fleet-source'
import { poll } from '../../ports/poll'
import type { Clock } from '../../ports/seams/clock'
import type { Timers } from '../../ports/seams/timers'
import { afterRead, sourceStateOf, stateOf, unread, type WatchedReplica } from './watched-replica'

/** One replica that is read again and again. */
export interface ReplicaWatch {
  readonly state: WatchedReplica
  readonly source: FleetSource
  /** Time went by unseen: rates start anew, it is read now, and is not fresh until it was. */
  resume(): void
  stop(): void
}

/** What watching a replica needs. */
export interface ReplicaWatchOptions {
  readonly clock: Clock
  readonly timers: Timers
  readonly draw: Draw
  readonly everyMs: Millis
  readonly record: (...bodies: readonly ClusterBody[]) => void
  /** A read has ended. */
  readonly onRead: () => void
}

/** Polls of many replicas are spread by this part of their pace. */
const jitter = 0.1

/** Begins to read a replica at once. */
export function watchReplica(
  replica: Replica,
  source: FleetSource,
  options: ReplicaWatchOptions,
): ReplicaWatch {
  const { clock, everyMs } = options
  let state = unread(replica)
  let told: SourceState | null = null
  /** The source's state, when it is another one than was told last; that all is well from the start is no news. */
  const turns = (): readonly ClusterBody[] => {
    const to = sourceStateOf(state, everyMs, clock.monoMs())
    const from = told
    told = to
    if (to === from || (from === null && to === 'ok')) return []
    return [{ kind: 'source.turned', source: source.id, from, to, why: state.lastError }]
  }
  const read = async (signal: AbortSignal) => {
    const result = await source.read(signal)
    if (signal.aborted) return
    const before = state
    state = afterRead(before, result, { monoMs: clock.monoMs(), wallMs: clock.wallMs() })
    options.record(...changes(before, state), ...turns())
    options.onRead()
  }
  const pauseMs = () => everyMs * (1 - jitter + 2 * jitter * options.draw.unit())
  const startPolling = () => poll(options.timers, pauseMs, read)
  let polling = startPolling()
  return {
    get state() {
      return state
    },
    source,
    resume() {
      source.restart()
      state = { ...state, lastGoodMonoMs: null, source: 'late' }
      options.record(...turns())
      polling.stop()
      polling = startPolling()
    },
    stop: () => polling.stop(),
  }
}

function changes(before: WatchedReplica, after: WatchedReplica): readonly ClusterBody[] {
  const from = stateOf(before)
  const to = stateOf(after)
  if (from === null) return [{ kind: 'replica.seen', replica: after.replica, state: to }]
  if (from === to) return []
  const why = to === 'ready' ? null : after.lastError
  return [{ kind: 'replica.changed', replicaId: after.replica.id, from, to, why }]
}
