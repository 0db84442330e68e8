import type { Millis } from '../../base/units'
import type { Timers } from '../../ports/seams/timers'

/** Limits of those who have not shown a token yet (SR-029). */
const unknownMax = 32
const failuresPerMinute = 5
const failureDelayMs: Millis = 1_000
/** Time in which a socket must show a token. */
export const authenticateWithinMs: Millis = 5_000

/** Counts the unknown, so that they cannot crowd out those who have a token. */
export interface Budget {
  /** Takes a place for a socket without a token; false when there is none left. */
  admit(): boolean
  /** Gives the place back: it has shown a token, or is gone. */
  leave(): void
  /** Runs the check; answers "no" a second late after too many wrong tokens within a minute. */
  authenticate(check: () => boolean): Promise<boolean>
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
    authenticate(check) {
      if (check()) return Promise.resolve(true)
      failures++
      timers.after(60_000, () => {
        failures--
      })
      if (failures <= failuresPerMinute) return Promise.resolve(false)
      return new Promise((resolve) => timers.after(failureDelayMs, () => resolve(false)))
    },
  }
}
