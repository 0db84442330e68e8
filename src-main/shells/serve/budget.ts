import type { Millis } from '../../base/units'
import type { Timers } from '../../ports/seams/timers'

/** Limits of those who have not shown a token yet (SR-029). */
const unknownMax = 32
const failuresPerMinute = 5
const failureDelayMs: Millis = 1_000
/** Time in which a connection must have asked for something, and a socket must have shown a token. */
export const authenticateWithinMs: Millis = 5_000

/** Counts the unknown, so that they cannot crowd out those who have a token. */
export interface Budget {
  /** Takes a place for a socket without a token; false when there is none left. */
  admit(): boolean
  /** Gives the place back: it has shown a token, or is gone. */
  leave(): void
  /** A wrong token or ticket was shown. Resolves when that may be said: a second late after too many within a minute. */
  failed(): Promise<void>
}

/** Fresh counters. */
export function createBudget(timers: Timers): Budget {
  let unknown = 0
  let failures = 0
  return {
    admit() {
      if (unknown >= unknownMax) return false
      unknown++
      return true
    },
    leave: () => {
      unknown--
    },
    failed() {
      if (failures >= failuresPerMinute)
        return new Promise((resolve) => timers.after(failureDelayMs, () => resolve()))
      failures++ // those that wait are not counted again: a flood of them makes no flood of timers
      timers.after(60_000, () => {
        failures--
      })
      return Promise.resolve()
    },
  }
}
