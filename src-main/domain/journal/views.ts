import type { Millis, Ratio } from '../../base/units'
import type { ReplicaId } from '../fleet/replica'
import type { OutcomeClass } from '../routing/outcome'
import type { ActiveFault, PolicyInForce, Role } from './record'

/** Percentiles with the number of samples behind them; the sketch's error is 1 %. Null when there are no samples. */
export interface Percentiles {
  readonly p50: Millis | null
  readonly p95: Millis | null
  readonly p99: Millis | null
  readonly max: Millis | null
  readonly n: number
}

/** A part of a whole; the whole may be 0, and then the ratio is unknown. */
export interface Share {
  readonly part: number
  readonly whole: number
}

/** A share as a ratio, or null when there is nothing to divide. */
export const ratioOf = ({ part, whole }: Share): Ratio | null => (whole > 0 ? part / whole : null)

/** What happened in one second: a point of the charts. Counts are of the full population. */
export interface SecondBucket {
  /** Start of the second. */
  readonly wallMs: Millis
  readonly outcomes: Readonly<Record<OutcomeClass, number>>
  readonly ttftMs: Percentiles
  readonly itlMs: Percentiles
  /** Non-first turns with a key that stayed on their replica. */
  readonly affinity: Share
  readonly cachedTokens: Share
  /** Requests under way per replica at the end of the second; null when no replica is known. */
  readonly inFlight: {
    readonly min: number
    readonly mean: number
    readonly max: number
  } | null
}

/** One replica's part of the traffic. */
export interface ReplicaTraffic {
  readonly replicaId: ReplicaId
  /** Decisions that picked it in the last minute. */
  readonly picks: number
  /** Requests that it served to an end in the last minute, and those of them that failed. */
  readonly served: number
  readonly failed: number
  readonly inFlight: number
  readonly ttftMs: Percentiles
  /** Sessions whose last turn in the last 15 minutes was on it. */
  readonly sessions: number
}

/** Figures of the last minute (errors, latencies, rates) and of the last five (breaks, affinity, cache). */
export interface SummaryView {
  readonly takenWallMs: Millis
  readonly takenMonoMs: Millis
  readonly requestsPerSecond: number
  /** Requests that ended in the last minute, and those of them that failed. */
  readonly errors: Share
  /** The same requests, and those of them that were wrong in themselves: the client's errors, which are no failures. */
  readonly clientErrors: Share
  readonly reasons: readonly {
    readonly reason: string
    readonly count: number
  }[]
  /** Streams begun in the last five minutes and those that broke. */
  readonly breaks: Share
  readonly ttftMs: Percentiles
  readonly itlMs: Percentiles
  readonly affinity: Share
  readonly keyless: Share
  readonly cachedTokens: Share
  /** Largest and mean number of requests under way over the replicas. */
  readonly imbalance: { readonly max: number; readonly mean: number; readonly replicas: number } | null
  readonly replicas: readonly ReplicaTraffic[]
  readonly lastRequestWallMs: Millis | null
  /** Start of the present run of bad five-second windows (errors over 0.5 %), null when all is well. */
  readonly failingSinceWallMs: Millis | null
  /** The last such run that is over: its first and about its last failure; null when there was none. */
  readonly failed: { readonly fromWallMs: Millis; readonly toWallMs: Millis } | null
  readonly tail: {
    readonly seenPerSecond: number
    readonly shownPerSecond: number
    readonly dropped: number
    readonly rows: number
    readonly oldestWallMs: Millis | null
  }
}

/** State of one of our own processes. */
export interface ProcessReport {
  readonly role: Role
  readonly pid: number | null
  readonly state: 'starting' | 'up' | 'restarting' | 'stopped'
  readonly restarts: number
  readonly sinceWallMs: Millis
  readonly lastExit: string | null
}

/** Something an operator must know at once; the worst is shown first. */
export interface Banner {
  readonly id: string
  readonly severity: 'critical' | 'warning' | 'notice'
  readonly text: string
  readonly sinceWallMs: Millis
}

/** Signalbox about itself; made by the control process. */
export interface HealthView {
  readonly version: string
  readonly cluster: string
  readonly environment: 'DEMO'
  readonly readOnly: boolean
  readonly startedWallMs: Millis
  readonly processes: readonly ProcessReport[]
  readonly store: {
    readonly state: 'ok' | 'memory' | 'read-only'
    readonly why: string | null
    readonly path: string | null
  }
  readonly proxyUrl: string | null
  readonly routerUrl: string | null
  readonly policy: PolicyInForce
  readonly faults: readonly ActiveFault[]
  readonly traffic: {
    readonly running: boolean
    readonly ratePerSecond: number
    readonly sent: number
    readonly failed: number
  }
  /** How many times faster than the modelled hardware the embedded replicas run. */
  readonly speed: number
  readonly lostStreams: number
  readonly droppedRecords: number
  readonly banners: readonly Banner[]
}
