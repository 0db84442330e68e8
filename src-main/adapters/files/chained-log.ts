import { join } from 'node:path'
import { fail, ok, type Result } from '../../base/result'
import { createRingBuffer } from '../../base/ring-buffer'
import type { Bytes } from '../../base/units'
import {
  type ChainEntry,
  type ChainHead,
  chainStart,
  lineOf,
  type Sha256,
  seal,
} from '../../domain/journal/chain'
import { allBreaks } from '../../domain/journal/chain-check'
import type { Audit, AuditError, AuditPage } from '../../ports/audit'
import type { Notice } from '../../ports/notice'
import type { Clock } from '../../ports/seams/clock'
import type { Fs, FsError } from '../../ports/seams/fs'
import { readAnchor, writeAnchor } from './audit-anchor'
import { pageOf } from './chain-reading'
import { checkOlderSegment, type Recovery, recoverChain } from './chain-recovery'
import { createSegmentWriter, type SegmentWriter } from './segment-writer'
import { createSpaceReserve, type SpaceReserve } from './space-reserve'

/** What the audit log on disk needs. */
export interface ChainedLogOptions {
  readonly fs: Fs
  readonly clock: Clock
  readonly sha256: Sha256
  /** Names this run. */
  readonly boot: string
  /** Holds `audit-<n>.log`, `torn-<time>` and `reserve`. */
  readonly folder: string
  /** In another folder, so that a log that was removed is missed. */
  readonly anchorFile: string
  /** Called before each write: makes the data folder again when it went away, or says why nothing may be written. */
  readonly ensureWritable: () => Result<void, { readonly words: string }>
  /** A segment that has reached this size is followed by a new one. Default 16 MiB. */
  readonly rotateBytes?: Bytes
  /** Space held back for urgent records on a full disk. Default 4 MiB: some thousand records. */
  readonly reserveBytes?: Bytes
}

const recordLimit: Bytes = 64 * 1024
const noticeLimit = 100

/**
 * The audit stream on disk: append-only segments, each record hashed over the one before, on the disk before it is
 * acknowledged (security page 9.3, format in docs/audit.md). Opening never fails: a log that cannot be read or
 * written says so in its status, and refuses to append.
 */
export function openChainedLog(options: ChainedLogOptions): Audit {
  const log = new ChainedLog(options)
  log.recover(null)
  return log
}

class ChainedLog implements Audit {
  private readonly notices = createRingBuffer<Notice>(noticeLimit)
  private readonly reserve: SpaceReserve
  private recovery: Recovery | null = null
  private writer: SegmentWriter | null = null
  private head: ChainHead = chainStart
  private pending: readonly ChainEntry[] = []
  private state: 'open' | 'unreadable' | 'closed' = 'unreadable'
  /** Why the last write failed; null after one that worked. */
  private failure: string | null = null
  private anchorBehind = false

  constructor(private readonly options: ChainedLogOptions) {
    const { fs, folder, reserveBytes = 4 * 1024 * 1024 } = options
    this.reserve = createSpaceReserve(fs, folder, join(folder, 'reserve'), reserveBytes)
  }

  /** Looks at the disk: at the start, and whenever it is not as we left it. `own`: our head, if the log was open. */
  recover(own: ChainHead | null): void {
    const { fs, clock, folder, anchorFile } = this.options
    const writable = this.options.ensureWritable()
    this.failure = writable.ok ? null : writable.error.words
    if (writable.ok) fs.makeFolder(folder)
    const anchor = readAnchor(fs, anchorFile)
    const known = newest(own, anchor.state === 'ok' ? anchor.head : null)
    const hints = { known, wasOpen: own !== null, writable: writable.ok, wallMs: clock.wallMs() }
    const recovered = recoverChain(this.options, hints)
    if (!recovered.ok) {
      this.state = 'unreadable'
      this.failure = recovered.error.message
      return
    }
    this.adopt(recovered.value)
    if (anchor.state === 'unreadable') this.say('anchor_unreadable', `${anchor.why}; it is written anew`)
    if (anchor.state === 'none' && this.head.seq > 0)
      this.say('anchor_missing', `${anchorFile} is missing; a tail that was cut before now is not noticed`)
    if (writable.ok) this.settle()
  }

  private adopt(recovery: Recovery): void {
    this.state = 'open'
    this.recovery = recovery
    this.head = recovery.head
    this.pending = recovery.pending
    for (const notice of recovery.notices) this.notices.push(notice)
    this.writer?.close()
    this.writer = createSegmentWriter(
      {
        fs: this.options.fs,
        folder: this.options.folder,
        rotateBytes: this.options.rotateBytes ?? 16 * 1024 * 1024,
        onFailedSync: (error) =>
          this.say('fsync_failed', `${error.message}; the record goes to a new segment. Check the disk`),
      },
      recovery.position,
    )
  }

  /** Writes what recovery has to say, so that the log tells its own story even if nothing is appended later. */
  private settle(): void {
    this.reserve.fill()
    const flushed = this.flushPending(false)
    if (!flushed.ok) this.say('audit_unavailable', flushed.error.words)
    if (this.head.seq > 0) this.anchor()
  }

  append(entry: ChainEntry, { urgent = false } = {}): Result<ChainHead, AuditError> {
    if (this.state === 'closed') return this.refuse('it is closed')
    const writable = this.options.ensureWritable()
    if (!writable.ok) return this.refuse(writable.error.words)
    if (this.state === 'unreadable' || this.writer?.intact() !== true)
      this.recover(this.recovery === null ? null : this.head)
    const flushed = this.flushPending(urgent)
    if (!flushed.ok) return flushed
    const written = this.write(entry, urgent)
    if (!written.ok) return written
    this.anchor()
    return ok(this.head)
  }

  private flushPending(urgent: boolean): Result<void, AuditError> {
    for (;;) {
      const [entry, ...rest] = this.pending
      if (entry === undefined) return ok(undefined)
      const written = this.write(entry, urgent)
      if (!written.ok) return written
      this.pending = rest
    }
  }

  /** One record: its place, its line, the disk, and only then the head moves. */
  private write(entry: ChainEntry, urgent: boolean): Result<void, AuditError> {
    const { clock, sha256, boot } = this.options
    if (this.state !== 'open' || this.writer === null) return this.refuse(this.failure ?? 'it cannot be read')
    const record = seal(this.head, entry, { ts: clock.wallMs(), mono: clock.monoMs(), boot }, sha256)
    const line = new TextEncoder().encode(lineOf(record))
    if (line.length > recordLimit)
      return fail({
        code: 'too_large',
        words: `an audit record of ${line.length} bytes is over ${recordLimit}`,
      })
    let written = this.writer.append(line)
    if (!written.ok && urgent && isFull(written.error) && this.reserve.release()) {
      this.say('reserve_used', 'the disk is full; the space in reserve was given up for an urgent record')
      written = this.writer.append(line)
    }
    if (!written.ok) return this.refuse(inWords(written.error))
    this.failure = null
    this.head = { seq: record.seq, hash: record.hash }
    return ok(undefined)
  }

  /** Failing to write the anchor does not undo a record that is on the disk; it is said once. */
  private anchor(): void {
    const { fs, clock, anchorFile } = this.options
    const written = writeAnchor(fs, anchorFile, this.head, clock.wallMs())
    if (!written.ok && !this.anchorBehind)
      this.say('anchor_behind', `${written.error.message}; a tail cut from the audit log would go unnoticed`)
    this.anchorBehind = !written.ok
  }

  private refuse(why: string): Result<never, AuditError> {
    this.failure = why
    return fail({ code: 'audit_unavailable', words: `the audit log cannot be written: ${why}` })
  }

  private say(code: string, words: string): void {
    this.notices.push({ code, words })
  }

  read(range: { readonly from: number; readonly limit: number }): Result<AuditPage, AuditError> {
    const page = pageOf(this.options, range)
    return page.ok ? page : fail({ code: 'audit_unavailable', words: page.error.message })
  }

  checkOlder(): boolean {
    if (this.recovery === null || this.recovery.older.length === 0) return false
    this.recovery = checkOlderSegment(this.options, this.recovery)
    for (const notice of this.recovery.notices) this.notices.push(notice)
    if (this.recovery.pending.length > 0) {
      this.writer?.startNew()
      this.pending = [...this.pending, ...this.recovery.pending]
      if (this.options.ensureWritable().ok && this.flushPending(false).ok) this.anchor()
    }
    return this.recovery.older.length > 0
  }

  status() {
    return {
      writable: this.state === 'open' && this.failure === null,
      why: this.state === 'open' ? this.failure : (this.failure ?? 'it cannot be read'),
      head: this.head,
      breaks: this.recovery === null ? [] : allBreaks(this.recovery.walk),
      notices: this.notices.toArray(),
    }
  }

  close(): void {
    this.writer?.close()
    this.state = 'closed'
  }
}

function newest(one: ChainHead | null, other: ChainHead | null): ChainHead | null {
  if (one === null || other === null) return one ?? other
  return other.seq > one.seq ? other : one
}

const isFull = ({ code }: FsError): boolean => code === 'ENOSPC' || code === 'EDQUOT'

/** Below this much free space Signalbox starts read-only (security page 9.5). */
const neededMib = 96

const inWords = (error: FsError): string =>
  isFull(error) ? `${error.message}. Free at least ${neededMib} MiB` : error.message
