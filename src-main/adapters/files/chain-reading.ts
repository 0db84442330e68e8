import { ok, type Result } from '../../base/result'
import type { ChainRecord } from '../../domain/journal/chain'
import type { AuditPage } from '../../ports/audit'
import type { FsError } from '../../ports/seams/fs'
import { listSegments, readStoredSegment, type SegmentFolder } from './segment-files'

/** Records in one page at most. */
export const pageLimit = 1_000

/**
 * Good records from a sequence number on. Segments are read from the newest back until one begins at or before it, so
 * a look at the newest records reads one segment.
 */
export function pageOf(
  folder: SegmentFolder,
  { from, limit }: { readonly from: number; readonly limit: number },
): Result<AuditPage, FsError> {
  const listed = listSegments(folder)
  if (!listed.ok) return listed
  const size = Math.max(1, Math.min(limit, pageLimit))
  let page: readonly ChainRecord[] = []
  for (const number of [...listed.value].reverse()) {
    const { records } = readStoredSegment(folder, number)
    const wanted = records.filter(({ seq }) => seq >= from)
    page = inOrder([...wanted, ...page]).slice(0, size + 1)
    if (records[0] !== undefined && records[0].seq <= from) break
  }
  return ok({ records: page.slice(0, size), next: page[size]?.seq ?? null })
}

/** By sequence number, each once: a record that was written again after a failed fsync stands in two segments. */
function inOrder(records: readonly ChainRecord[]): readonly ChainRecord[] {
  const sorted = [...records].sort((a, b) => a.seq - b.seq)
  return sorted.filter((record, at) => record.seq !== sorted[at - 1]?.seq)
}
