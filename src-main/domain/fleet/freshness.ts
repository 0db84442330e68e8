import type { Millis } from '../../base/units'

/** How far a value may be believed, from its age and the pace of its source. */
export type Freshness = 'live' | 'aging' | 'stale'

/**
 * Live up to twice the source's pace, aging up to five times, stale beyond that or beyond 15 s (ux.md 5.1).
 * @param ageMs age of the value
 * @param everyMs poll interval or heartbeat of its source
 */
export function freshness(ageMs: Millis, everyMs: Millis): Freshness {
  if (ageMs > Math.min(5 * everyMs, 15_000)) return 'stale'
  return ageMs > 2 * everyMs ? 'aging' : 'live'
}
