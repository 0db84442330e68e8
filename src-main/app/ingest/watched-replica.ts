import type { Result } from '../../base/result'
import type { Millis } from '../../base/units'
import { freshness } from '../../domain/fleet/freshness'
import { absent, observed, type Reading } from '../../domain/fleet/reading'
import {
  type EngineReadings,
  noReadings,
  type Replica,
  type ReplicaSnapshot,
  type ReplicaState,
  type SourceReport,
  type SourceState,
} from '../../domain/fleet/replica'
import type { EngineReport, FleetSource, PollError } from '../../ports/fleet-source'
import { type Health, nextHealth, unknownHealth } from './replica-health'

/** Everything that reading one replica has told so far. Plain data, replaced whole. */
export interface WatchedReplica {
  readonly replica: Replica
  readonly health: Health
  /** When its state was last learnt; null before the first read. */
  readonly readMonoMs: Millis | null
  /** Last good figures; they stay and grow old in plain sight. */
  readonly readings: EngineReadings | null
  readonly lastGoodMonoMs: Millis | null
  readonly lastError: string | null
  readonly upSinceWallMs: Millis | null
  /** What the last read says of the source, apart from age. */
  readonly source: 'ok' | 'late' | 'down' | 'unsupported'
}

/** A replica that was not read yet. */
export const unread = (replica: Replica): WatchedReplica => ({
  replica,
  health: unknownHealth,
  readMonoMs: null,
  readings: null,
  lastGoodMonoMs: null,
  lastError: null,
  upSinceWallMs: null,
  source: 'late',
})

/** The replica after a read. A read that was called off says nothing. */
export function afterRead(
  before: WatchedReplica,
  read: Result<EngineReport, PollError>,
  now: { readonly monoMs: Millis; readonly wallMs: Millis },
): WatchedReplica {
  if (!read.ok) {
    const { kind, message } = read.error
    const health = nextHealth(before.health, kind === 'refused' ? 'refused' : 'failed')
    return {
      ...before,
      health,
      readMonoMs: now.monoMs,
      lastError: message,
      upSinceWallMs: health.state === 'ready' ? before.upSinceWallMs : null,
      source: sourceAfter(before, read.error),
    }
  }
  const { readings, models, startedWallMs } = read.value
  const health = nextHealth(before.health, 'good')
  const wrongModel = models !== null && !models.includes(before.replica.model)
  return {
    ...before,
    health,
    readMonoMs: now.monoMs,
    readings: readings.ok ? readings.value : before.readings,
    lastGoodMonoMs: readings.ok ? read.value.takenMonoMs : before.lastGoodMonoMs,
    lastError: readings.ok
      ? wrongModel
        ? `it serves ${models.slice(0, 3).join(', ')}, not ${before.replica.model}`
        : null
      : readings.error.message,
    upSinceWallMs: health.state === 'ready' ? (startedWallMs ?? before.upSinceWallMs ?? now.wallMs) : null,
    source: readings.ok ? 'ok' : sourceAfter(before, readings.error),
  }
}

function sourceAfter(before: WatchedReplica, { kind }: PollError): WatchedReplica['source'] {
  if (kind === 'unsupported') return 'unsupported'
  return kind === 'timeout' && before.source === 'ok' ? 'late' : 'down'
}

/** The state as it is known; null before the first read. */
export const stateOf = ({ health, readMonoMs }: WatchedReplica): ReplicaState | null =>
  readMonoMs === null ? null : health.state

/** State of the source by what the last read said and by the age of its last good figures. */
export function sourceStateOf(watched: WatchedReplica, everyMs: Millis, monoMs: Millis): SourceState {
  if (watched.source === 'down' || watched.source === 'unsupported') return watched.source
  if (watched.lastGoodMonoMs === null) return 'stale'
  const fresh = freshness(monoMs - watched.lastGoodMonoMs, everyMs)
  return fresh === 'live' ? 'ok' : fresh
}

/** The snapshot that screens and router get. */
export function snapshotOf(
  watched: WatchedReplica,
  source: FleetSource,
  errorsPerMinute: Reading<number>,
): ReplicaSnapshot {
  const { replica, readMonoMs, health } = watched
  return {
    replica,
    state:
      readMonoMs === null
        ? absent('never-received', source.id)
        : observed<ReplicaState>(health.state, source.id, readMonoMs),
    excluded: false,
    ...(watched.readings ?? noReadings(source.id)),
    errorsPerMinute,
    upSinceWallMs: watched.upSinceWallMs,
    lastError: watched.lastError,
  }
}

/** The source as a screen shows it; null before the first read. */
export function sourceReportOf(
  watched: WatchedReplica,
  { id, kind, target }: FleetSource,
  everyMs: Millis,
  monoMs: Millis,
): SourceReport | null {
  if (watched.readMonoMs === null) return null
  return {
    id,
    kind,
    target,
    state: sourceStateOf(watched, everyMs, monoMs),
    everyMs,
    lastGoodMonoMs: watched.lastGoodMonoMs,
    lastError: watched.lastError,
  }
}
