import type { Result } from '../base/result'
import type { Bytes, Millis } from '../base/units'
import type { ClusterRecord, DecisionRow } from '../domain/journal/record'
import type { RowFacts } from '../domain/journal/row-facts'

/** Why the store did not do what it was asked to; `message` is for the operator. */
export interface HistoryError {
  readonly kind: 'full' | 'locked' | 'damaged' | 'gone' | 'denied' | 'failed'
  readonly message: string
}

/** What is written together: all of it or nothing. A row of a known id replaces the older one. */
export interface HistoryBatch {
  readonly rows: readonly DecisionRow[]
  readonly records: readonly ClusterRecord[]
}

/** A stored decision: its facts at hand, the whole row when it is asked for (null when its text was damaged). */
export interface StoredRow {
  /** Grows with the order in which decisions arrived. */
  readonly place: number
  readonly facts: RowFacts
  open(): DecisionRow | null
}

/** How long and how much is kept. */
export interface Retention {
  readonly maxAgeMs: Millis
  readonly maxBytes: Bytes
}

/** What age is measured against. */
export interface RetentionClock {
  readonly wallMs: Millis
  readonly monoMs: Millis
  /** Also look at records of earlier runs, whose age only the wall clock tells; at most a quarter goes at a time. */
  readonly earlierRuns: boolean
}

/** The stored past. Synchronous and short: each call is one statement or one transaction. */
export interface History {
  write(batch: HistoryBatch): Result<null, HistoryError>
  /** Stored decisions, newest first, older than `before` (null: the newest). */
  page(before: number | null, count: number): Result<readonly StoredRow[], HistoryError>
  row(id: string): Result<StoredRow | null, HistoryError>
  /** The newest decisions of a session, newest first. */
  session(session: string, count: number): Result<readonly StoredRow[], HistoryError>
  /** Cluster records of a span of wall time, oldest first, the newest `count` of them. */
  records(fromWallMs: Millis, toWallMs: Millis, count: number): Result<readonly ClusterRecord[], HistoryError>
  /**
   * What reading has met since the store was opened: how many rows and records are not what was written and were left
   * out, and the last failure to read at all.
   */
  met(): { readonly unreadable: number; readonly failure: HistoryError | null }
  /** Removes what is too old or too much. Answers how many rows went. */
  prune(now: RetentionClock): Result<{ readonly removed: number }, HistoryError>
  /** Fails with `gone` when the file was taken away under us. */
  present(): Result<null, HistoryError>
  bytes(): Bytes
  close(): void
}

/** A store that was opened, and what had to be done for it. */
export interface OpenedHistory {
  readonly state: 'ok' | 'read-only'
  /** Why it is read-only, or what was amiss with what stood there; null when all is well. */
  readonly why: string | null
  /** Name of the file that was moved aside because it could not be read; null when there was none. */
  readonly moved: string | null
  readonly history: History
}

/** Opens the store of one folder. */
export interface Histories {
  /** @param suspect what stands there was found damaged while in use: move it aside without another look */
  open(options?: { readonly suspect?: boolean }): Result<OpenedHistory, HistoryError>
}
