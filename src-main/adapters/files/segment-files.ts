import { join } from 'node:path'
import { ok, type Result } from '../../base/result'
import type { Sha256 } from '../../domain/journal/chain'
import { readSegment, type SegmentReading } from '../../domain/journal/chain-check'
import type { Fs, FsError } from '../../ports/seams/fs'

/** A segment larger than this was not written by us; it is not read into memory. */
const segmentReadLimit = 64 * 1024 * 1024

/** The folder of the segments `audit-1.log`, `audit-2.log` …, and what it takes to read them. */
export interface SegmentFolder {
  readonly fs: Fs
  readonly folder: string
  readonly sha256: Sha256
}

/** Where a segment lies. */
export const segmentPath = (folder: string, number: number): string => join(folder, `audit-${number}.log`)

/** Numbers of the segments that are there, ascending; none when the folder is missing. */
export function listSegments({ fs, folder }: SegmentFolder): Result<readonly number[], FsError> {
  const listed = fs.list(folder)
  if (!listed.ok) return listed.error.code === 'ENOENT' ? ok([]) : listed
  const numbers = listed.value.flatMap((name) => {
    const match = /^audit-([1-9]\d{0,8})\.log$/.exec(name)
    return match?.[1] === undefined ? [] : [Number(match[1])]
  })
  return ok(numbers.sort((a, b) => a - b))
}

/** A segment as it was read; `unreadable` says why there is nothing in it. */
export interface StoredSegment extends SegmentReading {
  readonly number: number
  readonly bytes: Uint8Array
  readonly unreadable: FsError | null
}

/** Reads and checks a segment; one that cannot be read counts as empty, and the walk finds the gap. */
export function readStoredSegment({ fs, folder, sha256 }: SegmentFolder, number: number): StoredSegment {
  const read = fs.read(segmentPath(folder, number), segmentReadLimit)
  const bytes = read.ok ? read.value : new Uint8Array()
  return { number, bytes, unreadable: read.ok ? null : read.error, ...readSegment(bytes, sha256) }
}
