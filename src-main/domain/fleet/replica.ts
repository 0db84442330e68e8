import type { Millis, Ratio } from '../../base/units'
import { absent, type Reading, type SourceId } from './reading'

/** A replica's short id: the one on the ring, in decisions and in `x-signalbox-replica` (decision D20). */
export type ReplicaId = string

/** What a replica does for requests now. */
export type ReplicaState = 'starting' | 'ready' | 'draining' | 'down'

/** One engine instance, as configured or discovered. */
export interface Replica {
  readonly id: ReplicaId
  readonly model: string
  /** Origin of its HTTP port, for example `http://127.0.0.1:30001`. */
  readonly url: string
  /** Which engine answers there, by the id of the connector that reads it; when nothing is said, `defaultEngine`. */
  readonly engine?: string | undefined
}

/** The engine of a replica that names none: the embedded ones speak vLLM, and so do those of older records. */
export const defaultEngine = 'vllm'

/** What is known of a replica at one instant; every figure is a reading with source and age. */
export interface ReplicaSnapshot {
  readonly replica: Replica
  readonly state: Reading<ReplicaState>
  /** Excluded in the router: takes no new requests although it is ready. */
  readonly excluded: boolean
  readonly running: Reading<number>
  readonly waiting: Reading<number>
  readonly maxOngoing: Reading<number>
  /** 0 to 1: blocks in use of all blocks; cached but free ones do not count. */
  readonly kvUsedRatio: Reading<Ratio>
  /** Cached prompt tokens of all prompt tokens in the last minute, token-weighted (ux.md T10). */
  readonly cacheHitRatio: Reading<Ratio>
  readonly preemptionsPerMinute: Reading<number>
  readonly outputTokensPerSecond: Reading<number>
  readonly ttftMsP50: Reading<Millis>
  readonly ttftMsP99: Reading<Millis>
  readonly itlMsP99: Reading<Millis>
  /** Samples behind the latency percentiles. */
  readonly latencySamples: number
  /** Failed requests per minute, by our own router's decisions. */
  readonly errorsPerMinute: Reading<number>
  readonly upSinceWallMs: Millis | null
  readonly lastError: string | null
}

/** What an engine reports of itself: the figures of a snapshot that come from reading it. */
export type EngineReadings = Pick<
  ReplicaSnapshot,
  | 'running'
  | 'waiting'
  | 'maxOngoing'
  | 'kvUsedRatio'
  | 'cacheHitRatio'
  | 'preemptionsPerMinute'
  | 'outputTokensPerSecond'
  | 'ttftMsP50'
  | 'ttftMsP99'
  | 'itlMsP99'
  | 'latencySamples'
>

/** The readings of an engine that nobody has read yet. */
export function noReadings(source: SourceId | null): EngineReadings {
  const none = absent('never-received', source)
  return {
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
  }
}

/** State of one thing we read from. */
export type SourceState = 'ok' | 'aging' | 'stale' | 'down' | 'busy' | 'denied' | 'partial' | 'unsupported'

/** One source as a screen shows it. */
export interface SourceReport {
  readonly id: SourceId
  readonly kind: string
  readonly target: string
  readonly state: SourceState
  /** Pace of the source, ms. */
  readonly everyMs: Millis
  readonly lastGoodMonoMs: Millis | null
  readonly lastError: string | null
}

/** The fleet at one instant. `epoch` goes up with each change of membership or eligibility. */
export interface FleetSnapshot {
  readonly epoch: number
  readonly takenMonoMs: Millis
  readonly replicas: readonly ReplicaSnapshot[]
  readonly sources: readonly SourceReport[]
}

/** A replica that takes new requests. */
export function isEligible(snapshot: ReplicaSnapshot): boolean {
  return !snapshot.excluded && 'value' in snapshot.state && snapshot.state.value === 'ready'
}
