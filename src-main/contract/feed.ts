import type { Millis } from '../base/units'
import type { FleetSnapshot } from '../domain/fleet/replica'
import type { ClusterRecord, DecisionRow } from '../domain/journal/record'
import type { HealthView, SecondBucket, SummaryView } from '../domain/journal/views'

/** Streams whose items add up: a screen keeps the newest of them. */
export interface FeedLogs {
  readonly cluster: ClusterRecord
  /**
   * Decision rows as they begin and again when they end (same id: the newer one replaces the older). Sampled, and without
   * their reasons, which `decisions.explain` gives.
   */
  readonly decisions: DecisionRow
  readonly seconds: SecondBucket
}
/** Streams of which only the newest value counts. */
export interface FeedValues {
  readonly fleet: FleetSnapshot
  readonly summary: SummaryView
  readonly health: HealthView
}

/** How many items of a log a server keeps for snapshots, and a screen keeps at all. */
export const logKeeps: { readonly [Name in keyof FeedLogs]: number } = {
  cluster: 2_000,
  decisions: 1_000,
  seconds: 900,
}
/** Names of the logs. */
export const logNames = ['cluster', 'decisions', 'seconds'] as const satisfies readonly (keyof FeedLogs)[]
/** Names of the values. */
export const valueNames = ['fleet', 'summary', 'health'] as const satisfies readonly (keyof FeedValues)[]
/** Any stream of the feed. */
export type FeedStream = keyof FeedLogs | keyof FeedValues

/** Data heartbeat, ms: a connection that pings but carries no events counts as stale. */
export const beatEveryMs: Millis = 2_000
/** Without any frame for this long a screen calls its data stale. */
export const staleAfterMs: Millis = 5_000
/** Without any frame for this long a screen gives its connection up and makes a new one. */
export const deadAfterMs: Millis = 35_000

/** Both clocks of the server at one instant, so that a screen can tell ages. */
export interface ServerClock {
  readonly wallMs: Millis
  readonly monoMs: Millis
}

/** What a server tells a screen. Each stream has its own sequence: +1 a message, never reused in an epoch. */
export type FeedFrame =
  | {
      readonly t: 'hello'
      readonly protocol: number
      readonly epoch: string
      readonly clock: ServerClock
    }
  | {
      readonly t: 'items'
      readonly stream: keyof FeedLogs
      readonly seq: number
      readonly items: readonly unknown[]
    }
  | {
      readonly t: 'value'
      readonly stream: keyof FeedValues
      readonly seq: number
      readonly value: unknown
    }
  /** Everything anew: the log's kept items, or the value; its `seq` is that of the last message it includes. */
  | {
      readonly t: 'snapshot'
      readonly stream: FeedStream
      readonly seq: number
      readonly items?: readonly unknown[]
      readonly value?: unknown
    }
  /** The screen was too slow, or asked for more than is kept: messages after its last one were let go. */
  | {
      readonly t: 'gap'
      readonly stream: FeedStream
      readonly why: 'slow' | 'beyond-kept' | 'source-restarted'
      readonly fromWallMs: Millis | null
      readonly toWallMs: Millis
    }
  | {
      readonly t: 'beat'
      readonly clock: ServerClock
      readonly seqs: Readonly<Record<FeedStream, number>>
    }

/** Where a screen was when its connection ended. */
export interface Resume {
  readonly epoch: string
  readonly seqs: Readonly<Partial<Record<FeedStream, number>>>
}

/** Notes from a server to its screens. */
export type FeedNotes = {
  readonly feed: FeedFrame
}
