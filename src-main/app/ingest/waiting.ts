import type { ClusterRecord, DecisionRow } from '../../domain/journal/record'
import type { HistoryBatch } from '../../ports/history'

/** Rows and records that may wait to be written; beyond it the oldest are let go and counted. */
export const waitingRowsMax = 20_000
const waitingRecordsMax = 5_000
/** Rows of one transaction: writing must not hold everything else up. */
const batchRows = 500

/** What waits to be written. A row that changes while it waits is written once, as it is then. */
export interface Waiting {
  row(row: DecisionRow): void
  record(record: ClusterRecord): void
  /** What should be written next; null when nothing waits. It goes on waiting until `written` says otherwise. */
  batch(): HistoryBatch | null
  written(batch: HistoryBatch): void
  /** Rows that were let go since the last call. */
  lost(): number
}

/** Nothing waits. */
export function createWaiting(): Waiting {
  const rows = new Map<string, DecisionRow>()
  let records: ClusterRecord[] = []
  let lost = 0
  return {
    row(row) {
      rows.delete(row.id)
      rows.set(row.id, row)
      if (rows.size <= waitingRowsMax) return
      rows.delete(rows.keys().next().value as string)
      lost++
    },
    record(record) {
      records.push(record)
      if (records.length > waitingRecordsMax) records.shift()
    },
    batch: () =>
      rows.size === 0 && records.length === 0
        ? null
        : { rows: firstOf(rows, batchRows), records: [...records] },
    written(batch) {
      for (const row of batch.rows) if (rows.get(row.id) === row) rows.delete(row.id)
      const done = new Set(batch.records)
      records = records.filter((record) => !done.has(record))
    },
    lost() {
      const count = lost
      lost = 0
      return count
    },
  }
}

function firstOf(rows: ReadonlyMap<string, DecisionRow>, count: number): readonly DecisionRow[] {
  const some: DecisionRow[] = []
  for (const row of rows.values()) {
    if (some.length === count) break
    some.push(row)
  }
  return some
}
