import { fail, ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import { type ChainEntry, type ChainHead, type ChainRecord, chainStart } from '../../domain/journal/chain'
import {
  type ChainBreak,
  type ChainWalk,
  restartKinds,
  undeclared,
  walkFrom,
  walkSegment,
} from '../../domain/journal/chain-check'
import type { Notice } from '../../ports/notice'
import type { FsError } from '../../ports/seams/fs'
import { putAside } from './aside'
import {
  listSegments,
  readStoredSegment,
  type SegmentFolder,
  type StoredSegment,
  segmentPath,
} from './segment-files'
import type { WritePosition } from './segment-writer'

/** How the log stands after it was looked through. */
export interface Recovery {
  /** What the next record follows. */
  readonly head: ChainHead
  readonly position: WritePosition
  readonly walk: ChainWalk
  /** Records that say what was lost; they must be written before any other. */
  readonly pending: readonly ChainEntry[]
  /** Segments that were not looked at yet, ascending, and the record that the last of them must lead to. */
  readonly older: readonly number[]
  readonly oldestChecked: ChainRecord | null
  readonly notices: readonly Notice[]
}

/** What is known from elsewhere: the anchor's head, or that of a log that was open when its files changed. */
export interface RecoveryHints {
  readonly known: ChainHead | null
  /** The log was open when its files changed. */
  readonly wasOpen: boolean
  readonly writable: boolean
  readonly wallMs: Millis
}

/** Segments that are verified at once at the start; older ones are verified later (security page 9.5). */
const segmentsAtStart = 2

/**
 * Looks through the newest segments, moves an unfinished tail aside and finds what is damaged (security page 9.3).
 * Changes nothing but that tail, and nothing at all when the folder is not writable.
 */
export function recoverChain(folder: SegmentFolder, hints: RecoveryHints): Result<Recovery, FsError> {
  const listed = listSegments(folder)
  if (!listed.ok) return fail(listed.error)
  const numbers = listed.value
  const gapless = numbers.every((number, at) => number === at + 1)
  const older = gapless ? numbers.slice(0, -segmentsAtStart) : []
  const segments = numbers.slice(older.length).map((number) => readStoredSegment(folder, number))
  const walked = segments.reduce(walkSegment, walkFrom(older.length === 0 ? chainStart : null))
  const walk = againstAnchor(walked, segments, hints.known)
  const last = segments.at(-1) ?? null
  const tail = last === null || !hints.writable ? null : moveTail(folder, last, hints.wallMs)
  const lost = undeclared(walk)
  return ok({
    head: furthest(walk.head ?? chainStart, hints.known),
    position: positionAfter(last, lost, tail),
    walk,
    pending: restartEntries(lost, tail, segments, hints.wasOpen),
    older,
    oldestChecked: segments.flatMap(({ records }) => records)[0] ?? null,
    notices: [...segments.flatMap(unreadableNotice), ...tailNotice(tail), ...lost.map(breakNotice)],
  })
}

const furthest = (head: ChainHead, known: ChainHead | null): ChainHead =>
  known !== null && known.seq > head.seq ? known : head

/** A log that ends before its anchor was cut; one that has another record at the anchor's place was rewritten. */
function againstAnchor(
  walk: ChainWalk,
  segments: readonly StoredSegment[],
  known: ChainHead | null,
): ChainWalk {
  if (known === null) return walk
  const headSeq = walk.head?.seq ?? 0
  if (known.seq > headSeq)
    return withBreak(walk, { from: headSeq + 1, to: known.seq, why: 'acknowledged once, and gone' })
  const there = segments.flatMap(({ records }) => records).find(({ seq }) => seq === known.seq)
  if (there === undefined || there.hash === known.hash) return walk
  return withBreak(walk, { from: known.seq, to: known.seq, why: 'not the record that was acknowledged' })
}

const withBreak = (walk: ChainWalk, found: ChainBreak): ChainWalk => ({
  ...walk,
  breaks: [...walk.breaks, found],
})

interface MovedTail {
  readonly bytes: number
  readonly movedTo: string | null
  readonly cut: boolean
}

/** An unfinished tail goes to a file of its own; nothing is thrown away. */
function moveTail(
  { fs, folder }: SegmentFolder,
  { number, bytes, goodBytes, tailBytes }: StoredSegment,
  wallMs: Millis,
): MovedTail | null {
  if (tailBytes === 0) return null
  const kept = putAside({ fs, folder, prefix: 'torn' }, bytes.subarray(goodBytes), wallMs)
  if (!kept.ok) return { bytes: tailBytes, movedTo: null, cut: false }
  return {
    bytes: tailBytes,
    movedTo: kept.value,
    cut: fs.truncate(segmentPath(folder, number), goodBytes).ok,
  }
}

/** A segment with a break in it, or a tail that would not go, is never appended to again. */
function positionAfter(
  last: StoredSegment | null,
  lost: readonly ChainBreak[],
  tail: MovedTail | null,
): WritePosition {
  if (last === null) return { number: 0, size: 0, startNew: true }
  const startNew = lost.length > 0 || last.unreadable !== null || (tail !== null && !tail.cut)
  return { number: last.number, size: last.goodBytes, startNew }
}

function restartEntries(
  lost: readonly ChainBreak[],
  tail: MovedTail | null,
  segments: readonly StoredSegment[],
  wasOpen: boolean,
): readonly ChainEntry[] {
  const torn = tail === null ? null : { bytes: tail.bytes, movedTo: tail.movedTo }
  if (lost.length > 0) return [restartEntry(lost, torn, segments, wasOpen)]
  return torn === null
    ? []
    : [{ kind: restartKinds.torn, body: { why: 'unfinished tail', torn, damaged: [] } }]
}

/** Ranges named one by one in a restart record; with more breaks than that, one range covers all of them. */
const rangesInRecord = 100

function restartEntry(
  lost: readonly ChainBreak[],
  torn: { readonly bytes: number; readonly movedTo: string | null } | null,
  segments: readonly StoredSegment[],
  wasOpen: boolean,
): ChainEntry {
  const ranges = lost.map(({ from, to }) => ({ from, to }))
  const first = ranges.reduce((lowest, { from }) => Math.min(lowest, from), Number.MAX_SAFE_INTEGER)
  const last = ranges.reduce((highest, { to }) => Math.max(highest, to), 0)
  const records = segments.flatMap((segment) => segment.records)
  const good = records.find(({ seq }) => seq === first - 1)
  // A log that went away whole under our hands was removed with its folder; the chain itself is known to be sound.
  const kind = wasOpen && records.length === 0 ? restartKinds.torn : restartKinds.damaged
  return {
    kind,
    body: {
      why: lost[0]?.why ?? 'damaged',
      lastGood: { seq: first - 1, hash: first === 1 ? chainStart.hash : (good?.hash ?? null) },
      damaged: ranges.length > rangesInRecord ? [{ from: first, to: last }] : ranges,
      torn,
    },
  }
}

const unreadableNotice = ({ unreadable }: StoredSegment): readonly Notice[] =>
  unreadable === null
    ? []
    : [{ code: 'audit_unreadable', words: `${unreadable.message}; its records are left out` }]

function tailNotice(tail: MovedTail | null): readonly Notice[] {
  if (tail === null) return []
  const where = tail.movedTo === null ? 'could not be moved aside' : `were moved to ${tail.movedTo}`
  return [
    { code: 'torn_tail', words: `the audit log ended in ${tail.bytes} unfinished bytes; they ${where}` },
  ]
}

/** A break in words. */
export function breakNotice({ from, to, why }: ChainBreak): Notice {
  const which = from === to ? `record ${from} is` : `records ${from} to ${to} are`
  return {
    code: 'audit_damaged',
    words: `audit ${which} damaged: ${why}. The log goes on in a new segment; compare it with a backup`,
  }
}

/**
 * Goes over the newest segment that was not looked at; the result has one fewer of them. With `pending` records the
 * log must go on in a new segment.
 */
export function checkOlderSegment(folder: SegmentFolder, recovery: Recovery): Recovery {
  const number = recovery.older.at(-1)
  if (number === undefined) return recovery
  const older = recovery.older.slice(0, -1)
  const segment = readStoredSegment(folder, number)
  const walked = walkSegment(walkFrom(older.length === 0 ? chainStart : null), segment)
  const joined = recovery.oldestChecked === null ? walked : walkSegment(walked, only(recovery.oldestChecked))
  const breaks = [...recovery.walk.breaks, ...joined.breaks]
  const declared = [...recovery.walk.declared, ...joined.declared]
  const walk = { head: recovery.walk.head, breaks, declared }
  const lost = undeclared({ ...walk, breaks: joined.breaks })
  return {
    ...recovery,
    walk,
    older,
    oldestChecked: segment.records[0] ?? recovery.oldestChecked,
    pending: lost.length > 0 ? [restartEntry(lost, null, [segment], false)] : [],
    notices: [...unreadableNotice(segment), ...lost.map(breakNotice)],
  }
}

const only = (record: ChainRecord) => ({ records: [record], flaws: [], goodBytes: 0, tailBytes: 0 })
