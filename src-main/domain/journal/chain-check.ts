import type { Bytes } from '../../base/units'
import { type ChainHead, type ChainRecord, type DamagedRange, readRecord, type Sha256 } from './chain'

/** What a segment's bytes hold, each line checked by itself. */
export interface SegmentReading {
  /** The lines that are good by themselves, in the order of the file. */
  readonly records: readonly ChainRecord[]
  /** Bad lines that stand before a good one: how many records had been read before it, and what is wrong. */
  readonly flaws: readonly { readonly before: number; readonly why: string }[]
  /** Bytes up to the end of the last good line; what follows is a tail that was never finished, or was broken. */
  readonly goodBytes: Bytes
  readonly tailBytes: Bytes
}

const lineFeed = 10

/** Reads a segment. Lines are decoded strictly: two different byte sequences never read as the same text. */
export function readSegment(bytes: Uint8Array, sha256: Sha256): SegmentReading {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const records: ChainRecord[] = []
  const flaws: { before: number; why: string }[] = []
  let goodBytes = 0
  let goodFlaws = 0
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, start)
    if (end < 0) break
    const record = readLine(bytes.subarray(start, end), decoder, sha256)
    start = end + 1
    if (typeof record === 'string') flaws.push({ before: records.length, why: record })
    else {
      records.push(record)
      goodBytes = start
      goodFlaws = flaws.length
    }
  }
  return { records, flaws: flaws.slice(0, goodFlaws), goodBytes, tailBytes: bytes.length - goodBytes }
}

function readLine(bytes: Uint8Array, decoder: TextDecoder, sha256: Sha256): ChainRecord | string {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return 'not UTF-8'
  }
  const record = readRecord(text, sha256)
  return record.ok ? record.value : record.error
}

/** A break that was found: the sequence numbers that it covers, and why they cannot be vouched for. */
export interface ChainBreak extends DamagedRange {
  readonly why: string
}

/** How far a chain has been walked. */
export interface ChainWalk {
  /** The newest record in its place; null when it is not known what must come first. */
  readonly head: ChainHead | null
  readonly breaks: readonly ChainBreak[]
  /** Ranges that a later record of the log itself has already declared damaged. */
  readonly declared: readonly DamagedRange[]
}

/** A walk from a known head, or from nowhere, taking the first record on trust. */
export const walkFrom = (head: ChainHead | null): ChainWalk => ({ head, breaks: [], declared: [] })

/** Goes over one more segment: each record must follow the one before. */
export function walkSegment(walk: ChainWalk, reading: SegmentReading): ChainWalk {
  const flawAt = new Map(reading.flaws.map((flaw) => [flaw.before, flaw.why]))
  let { head } = walk
  const breaks: ChainBreak[] = [...walk.breaks]
  const declared: DamagedRange[] = [...walk.declared]
  for (const [at, record] of reading.records.entries()) {
    const found = breakBefore(record, head, flawAt.get(at) ?? null, at === 0)
    if (found !== null) breaks.push(found)
    if (head === null || record.seq > head.seq) head = { seq: record.seq, hash: record.hash }
    declared.push(...declaredBy(record))
  }
  return { head, breaks, declared }
}

/**
 * What stands between the head and the next record. A segment may begin by repeating the record before it: it was
 * written again after a failed fsync of the old segment.
 */
function breakBefore(
  record: ChainRecord,
  head: ChainHead | null,
  flaw: string | null,
  beginsSegment: boolean,
): ChainBreak | null {
  if (head === null) return flaw === null ? null : { from: record.seq, to: record.seq, why: flaw }
  if (beginsSegment && record.seq === head.seq && record.hash === head.hash) return null
  if (record.seq > head.seq + 1) return { from: head.seq + 1, to: record.seq - 1, why: flaw ?? 'missing' }
  if (record.seq <= head.seq) return { from: record.seq, to: record.seq, why: 'out of its place' }
  if (record.prev !== head.hash)
    return { from: record.seq, to: record.seq, why: 'it does not follow from the record before it' }
  return flaw === null ? null : { from: record.seq, to: record.seq, why: `before it stands a line: ${flaw}` }
}

/** Kinds by which the log itself says that something was lost. */
export const restartKinds = { torn: 'recovered', damaged: 'chain_restart' } as const

function declaredBy({ kind, body }: ChainRecord): readonly DamagedRange[] {
  if (kind !== restartKinds.torn && kind !== restartKinds.damaged) return []
  if (typeof body !== 'object' || body === null || !('damaged' in body)) return []
  const { damaged } = body
  return Array.isArray(damaged) ? damaged.filter(isRange) : []
}

function isRange(value: unknown): value is DamagedRange {
  if (typeof value !== 'object' || value === null || !('from' in value) || !('to' in value)) return false
  return Number.isSafeInteger(value.from) && Number.isSafeInteger(value.to)
}

/** Breaks that no record has declared yet. */
export function undeclared(walk: ChainWalk): readonly ChainBreak[] {
  return walk.breaks.filter(
    ({ from, to }) => !walk.declared.some((range) => range.from <= from && to <= range.to),
  )
}

/** What was found, and what the log declares although it cannot be seen any more. */
export function allBreaks(walk: ChainWalk): readonly ChainBreak[] {
  const unseen = walk.declared.filter(
    (range) => !walk.breaks.some(({ from, to }) => range.from <= from && to <= range.to),
  )
  return [...walk.breaks, ...unseen.map((range) => ({ ...range, why: 'declared damaged by the log' }))]
}
