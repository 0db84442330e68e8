/** What fell into a histogram, cumulative: bounds ascending, the last one infinite. */
export interface Buckets {
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
}

/** Adds the series of several ranks by bound. `bounds` and `counts` stand beside each other, in any order. */
export function bucketsOf(bounds: readonly number[], counts: ArrayLike<number>): Buckets {
  const byBound = new Map<number, number>()
  for (const [at, bound] of bounds.entries())
    byBound.set(bound, (byBound.get(bound) ?? 0) + (counts[at] ?? 0))
  const sorted = [...byBound].sort(([a], [b]) => a - b)
  return { bounds: sorted.map(([bound]) => bound), counts: sorted.map(([, count]) => count) }
}

/** How many observations there are. */
export const countOf = ({ counts }: Buckets): number => counts.at(-1) ?? 0

/**
 * The value of rank `q`, linear inside its bucket, as Prometheus' `histogram_quantile` does it. `beyond` when the rank
 * lies above the last finite bound, where a number would be made up; null without observations or without a bucket up
 * to infinity.
 */
export function histogramQuantile(buckets: Buckets, q: number): number | 'beyond' | null {
  const { bounds, counts } = buckets
  const total = countOf(buckets)
  if (!(total > 0) || bounds.at(-1) !== Number.POSITIVE_INFINITY) return null
  const rank = q * total
  const at = counts.findIndex((count) => count >= rank && count > 0)
  if (at === -1 || bounds[at] === Number.POSITIVE_INFINITY) return 'beyond'
  const upper = bounds[at] as number
  const lower = at === 0 ? Math.min(0, upper) : (bounds[at - 1] as number)
  const below = at === 0 ? 0 : (counts[at - 1] as number)
  const inside = (counts[at] as number) - below
  return inside > 0 ? lower + (upper - lower) * Math.max(0, (rank - below) / inside) : upper
}
