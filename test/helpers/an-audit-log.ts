import { type ChainedLogOptions, openChainedLog } from '../../src-main/adapters/files/chained-log'
import { createNodeDigests } from '../../src-main/adapters/node/digests'
import { ok } from '../../src-main/base/result'
import type { ChainRecord } from '../../src-main/domain/journal/chain'
import type { Audit } from '../../src-main/ports/audit'
import type { Fs } from '../../src-main/ports/seams/fs'
import { createManualClock } from './manual-clock'

export const { sha256 } = createNodeDigests('00')

/** Options of a log in `<folder>/audit` with its anchor in `<folder>/second`. */
export function auditOptions(
  fs: Fs,
  folder: string,
  more: Partial<ChainedLogOptions> = {},
): ChainedLogOptions {
  return {
    fs,
    clock: createManualClock(),
    sha256,
    boot: 'boot-1',
    folder: `${folder}/audit`,
    anchorFile: `${folder}/second/audit-anchor.json`,
    ensureWritable: () => ok(undefined),
    reserveBytes: 64 * 1024,
    ...more,
  }
}

export const anAuditLog = (fs: Fs, folder: string, more: Partial<ChainedLogOptions> = {}): Audit =>
  openChainedLog(auditOptions(fs, folder, more))

/** Appends that many records; each must be acknowledged. */
export function appendMany(audit: Audit, count: number): void {
  for (let n = 0; n < count; n++) {
    const appended = audit.append({ kind: 'action.intent', body: { n, note: 'take out r3' } })
    if (!appended.ok) throw new Error(appended.error.words)
  }
}

/** Every good record, page by page. */
export function allRecords(audit: Audit): readonly ChainRecord[] {
  const records: ChainRecord[] = []
  for (let from: number | null = 1; from !== null; ) {
    const page = audit.read({ from, limit: 1_000 })
    if (!page.ok) throw new Error(page.error.words)
    records.push(...page.value.records)
    from = page.value.next
  }
  return records
}

export const seqsOf = (audit: Audit): readonly number[] => allRecords(audit).map(({ seq }) => seq)
export const codesOf = (audit: Audit): readonly string[] => audit.status().notices.map(({ code }) => code)
/** 1 to n. */
export const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_, at) => at + 1)
