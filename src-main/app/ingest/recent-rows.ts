import type { DecisionRow } from '../../domain/journal/record'

/** The newest decisions in memory, by arrival and by id. */
export interface RecentRows {
  add(row: DecisionRow): void
  /** Puts a newer state of a row in its place; false when the row is not here any more. */
  replace(row: DecisionRow): boolean
  find(id: string): DecisionRow | null
  /** Newest first. */
  newestFirst(): IterableIterator<DecisionRow>
  readonly size: number
  /** The oldest row that is kept. */
  readonly oldest: DecisionRow | null
}

/** Most rows in memory. */
export const recentRowsMax = 50_000
/** Most reasons of these rows together: with many replicas the rows get long, and fewer are kept. */
export const recentReasonsMax = 500_000

/** No rows yet; the limits are those of the product unless a test says otherwise. */
export function createRecentRows(rowsMax = recentRowsMax, reasonsMax = recentReasonsMax): RecentRows {
  const slots: (DecisionRow | undefined)[] = []
  const placeOf = new Map<string, number>()
  let first = 0 // place of the oldest; a row of place p lies in slot p mod rowsMax
  let next = 0
  let reasons = 0
  const at = (place: number) => slots[place % rowsMax]
  const drop = () => {
    const row = at(first)
    slots[first % rowsMax] = undefined
    first++
    if (!row) return
    placeOf.delete(row.id)
    reasons -= row.reasons.length
  }
  return {
    add(row) {
      if (next - first === rowsMax) drop()
      slots[next % rowsMax] = row
      placeOf.set(row.id, next)
      next++
      reasons += row.reasons.length
      while (reasons > reasonsMax && next - first > 1) drop()
    },
    replace(row) {
      const place = placeOf.get(row.id)
      if (place === undefined) return false
      slots[place % rowsMax] = row
      return true
    },
    find(id) {
      const place = placeOf.get(id)
      return place === undefined ? null : (at(place) ?? null)
    },
    *newestFirst() {
      for (let place = next - 1; place >= first; place--) {
        const row = at(place)
        if (row) yield row
      }
    },
    get size() {
      return next - first
    },
    get oldest() {
      return at(first) ?? null
    },
  }
}
