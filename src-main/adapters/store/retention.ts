import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Millis } from '../../base/units'
import type { Retention, RetentionClock } from '../../ports/history'
import { pragma } from './schema'

/** Cluster records are rare and tell the story: they stay this many times longer than decisions. */
const recordsStay = 30
/** Rows that go in one transaction, so that writing is never held up for long. */
const chunkRows = 5_000
/** Of earlier runs at most this part of all rows goes at a time: the wall clock may be wrong (security page 13.4). */
const earlierPart = 0.25
const earlierRowsMin = 1_000

interface Pruning extends RetentionClock {
  readonly boot: string
  readonly retention: Retention
  readonly inTransaction: (run: () => void) => void
}

/** Removes decisions past their age or past the size of the store, oldest first. */
export function pruneStore(database: DatabaseSyncInstance, pruning: Pruning): { readonly removed: number } {
  let removed = 0
  const remove = (sql: string, ...values: (string | number)[]): number => {
    let changes = 0
    pruning.inTransaction(() => {
      changes = Number(database.prepare(sql).run(...values).changes)
    })
    removed += changes
    return changes
  }
  removeOld(database, pruning, remove)
  removeMany(database, pruning, remove)
  if (removed > 0) database.exec('PRAGMA incremental_vacuum')
  return { removed }
}

type Remove = (sql: string, ...values: (string | number)[]) => number

/** Within this run ages are monotonic; of earlier runs only the wall clock is known. */
function removeOld(database: DatabaseSyncInstance, pruning: Pruning, remove: Remove): void {
  const { boot, monoMs, wallMs, earlierRuns, retention } = pruning
  const oldest = (which: string, table = 'decisions') =>
    `DELETE FROM ${table} WHERE place IN (SELECT place FROM ${table} WHERE ${which} ORDER BY place LIMIT ?)`
  const own = (age: Millis) => [boot, monoMs - age] as const
  const earlier = (age: Millis) => [boot, wallMs - age] as const
  remove(oldest('boot = ? AND monoMs < ?'), ...own(retention.maxAgeMs), chunkRows)
  if (!earlierRuns) return
  const count = Number(
    (database.prepare('SELECT count(*) AS count FROM decisions').get() as { readonly count: number }).count,
  )
  const limit = Math.max(earlierRowsMin, Math.floor(count * earlierPart))
  remove(oldest('boot <> ? AND wallMs < ?'), ...earlier(retention.maxAgeMs), limit)
  remove(
    oldest('boot <> ? AND wallMs < ?', 'records'),
    ...earlier(retention.maxAgeMs * recordsStay),
    chunkRows,
  )
}

/** Rows go until what is in use is a twentieth below the limit; the freed pages are given back or used again. */
function removeMany(database: DatabaseSyncInstance, { retention }: Pruning, remove: Remove): void {
  const used = () =>
    (pragma(database, 'page_count') - pragma(database, 'freelist_count')) * pragma(database, 'page_size')
  const goal = used() > retention.maxBytes ? retention.maxBytes * 0.95 : retention.maxBytes
  while (used() > goal) {
    const gone = remove(
      'DELETE FROM decisions WHERE place IN (SELECT place FROM decisions ORDER BY place LIMIT ?)',
      Math.min(chunkRows, Math.max(100, Math.floor(chunkRows / 10))),
    )
    if (gone === 0) return
  }
}
