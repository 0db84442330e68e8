import type { Result } from '../base/result'
import type { ChainEntry, ChainHead, ChainRecord } from '../domain/journal/chain'
import type { ChainBreak } from '../domain/journal/chain-check'
import type { Notice } from './notice'

/** Why a record was not appended. Nothing of it is in the log then, and no effect may start. */
export interface AuditError {
  /** `audit_unavailable`: the disk refuses; `too_large`: the record is over 64 KiB, which is a bug of the caller. */
  readonly code: 'audit_unavailable' | 'too_large'
  readonly words: string
}

/** Records of the log in their order. */
export interface AuditPage {
  readonly records: readonly ChainRecord[]
  /** Where the next page begins; null at the end. */
  readonly next: number | null
}

/** How the log is. */
export interface AuditStatus {
  readonly writable: boolean
  /** Why it is not writable, in words; null when it is. */
  readonly why: string | null
  readonly head: ChainHead
  /** Every break that is known, whether the log has declared it or not; shown until an operator acknowledges it. */
  readonly breaks: readonly ChainBreak[]
  /** What happened since it was opened, the newest last; the oldest go past 100. */
  readonly notices: readonly Notice[]
}

/** The durable, append-only stream of intents, outcomes and refusals. */
export interface Audit {
  /**
   * When it returns ok, the record is on the disk under that sequence number. `urgent` is for the way back (a
   * rollback's intent): on a full disk it may use the space that is held in reserve.
   */
  append(entry: ChainEntry, options?: { readonly urgent?: boolean }): Result<ChainHead, AuditError>
  /** Records from a sequence number on, at most 1,000; damaged ones are left out. */
  read(range: { readonly from: number; readonly limit: number }): Result<AuditPage, AuditError>
  /**
   * Verifies one older segment that was not looked at when the log was opened; false when none is left. A break that it
   * finds is recorded in the log like any other. Called in idle moments.
   */
  checkOlder(): boolean
  status(): AuditStatus
  close(): void
}
