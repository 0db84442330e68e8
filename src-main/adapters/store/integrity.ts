import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Bytes } from '../../base/units'

/** A larger file is only probed: a whole look at this much takes about 120 ms, and the start has a second. */
export const checkMaxBytes: Bytes = 64 * 1024 * 1024
/** Rows of each table that are read from a larger file, evenly spread over it. */
const probes = 64

/**
 * The first thing that is wrong with a database, or null; also after a clean stop, since a disk may fail afterwards. What
 * a probe does not meet is told when it is read. Throws what SQLite throws on a page that it cannot read.
 */
export function damageOf(database: DatabaseSyncInstance, whole: boolean): string | null {
  if (whole) return quickCheck(database)
  probe(database, 'decisions')
  probe(database, 'records')
  return null
}

function quickCheck(database: DatabaseSyncInstance): string | null {
  const row = database.prepare('PRAGMA quick_check(1)').get() as Record<string, unknown> | undefined
  const found = String(Object.values(row ?? {})[0])
  return found === 'ok' ? null : found.slice(0, 200)
}

function probe(database: DatabaseSyncInstance, table: 'decisions' | 'records'): void {
  const place = (sql: string) => Number((database.prepare(sql).get() as { place: number | null }).place)
  const first = place(`SELECT min(place) AS place FROM ${table}`)
  const last = place(`SELECT max(place) AS place FROM ${table}`)
  const read = database.prepare(`SELECT * FROM ${table} WHERE place >= ? ORDER BY place LIMIT 1`)
  for (let at = 0; at < probes; at++) read.get(first + Math.floor(((last - first) * at) / (probes - 1)))
}
