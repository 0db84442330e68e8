import type { Millis } from '../../base/units'
import { emptySecond, type SecondCounts } from './second-counts'

/** How far back seconds are kept. */
export const keptSeconds = 300
/** A second is told this long after it has passed: records are up to 100 ms on their way, more when a link is busy. */
const tellAfterMs: Millis = 500

/** The last five minutes, second by second. */
export interface Seconds {
  /** The counts that a record of that time belongs to. A second that was told already takes no more: the next one does. */
  at(monoMs: Millis): SecondCounts
  /** The newest `count` seconds up to now, oldest first; those in which nothing happened are left out. */
  last(count: number): SecondCounts[]
  /** The seconds that have passed since the last time, in order and without holes. */
  passed(): SecondCounts[]
  /** Index of the present second. */
  now(): number
  /** Start of a second on the wall clock. */
  wallMsOf(index: number): Millis
  /** Seconds since counting began, at most those that are kept. */
  readonly covered: number
  /** The wall clock was set: starts of seconds move with it. */
  clockJumped(byMs: Millis): void
}

/**
 * Seconds are counted on the monotonic clock, with the phase of the wall clock at the start, so that they begin on whole
 * seconds of wall time and no clock jump makes one longer.
 */
export function createSeconds(clock: { monoMs(): Millis; wallMs(): Millis }): Seconds {
  const offsetMs = Math.round(clock.wallMs() - clock.monoMs())
  const indexOf = (monoMs: Millis) => Math.floor((monoMs + offsetMs) / 1_000)
  const now = () => indexOf(clock.monoMs())
  const start = now()
  const kept = new Map<number, SecondCounts>()
  let earliest = start
  let told: number | null = null
  let jumpedMs = 0
  const prune = () => {
    const oldest = now() - keptSeconds
    for (const index of kept.keys()) if (index <= oldest) kept.delete(index)
  }
  return {
    at(monoMs) {
      const newest = now()
      const open = told === null ? newest - keptSeconds + 1 : told + 1
      const index = Math.min(newest, Math.max(open, indexOf(monoMs)))
      earliest = Math.min(earliest, index)
      const known = kept.get(index)
      if (known) return known
      prune()
      const fresh = emptySecond(index)
      kept.set(index, fresh)
      return fresh
    },
    last(count) {
      const newest = now()
      const found = [...kept.values()].filter(({ index }) => index > newest - count && index <= newest)
      return found.sort((a, b) => a.index - b.index)
    },
    passed() {
      const until = indexOf(clock.monoMs() - tellAfterMs) - 1
      // The first time also tells what a router kept for us while we were away.
      const from = Math.max(told === null ? earliest : told + 1, until - keptSeconds + 1)
      if (until < from) return []
      told = until
      return Array.from(
        { length: until - from + 1 },
        (_, at) => kept.get(from + at) ?? emptySecond(from + at),
      )
    },
    now,
    wallMsOf: (index) => index * 1_000 + jumpedMs,
    get covered() {
      return Math.min(keptSeconds, now() - earliest + 1)
    },
    clockJumped(byMs) {
      jumpedMs += byMs
    },
  }
}
