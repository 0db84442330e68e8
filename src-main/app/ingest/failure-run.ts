import type { Millis } from '../../base/units'
import type { SecondCounts } from './second-counts'

/** Windows of this many seconds are bad when more than the limit of their requests failed (ux.md 6.1). */
const windowSeconds = 5
const failedMax = 0.005
/** Bad windows in a row that make a run. */
const windowsMin = 2
/** A run is over when nothing was heard of for this long. */
const quietSeconds = 60

/** Since when requests fail. */
export interface FailureRun {
  /** Wall time of the first failure of the present run; null when all is well. @param seconds oldest first */
  since(seconds: readonly SecondCounts[], now: number): Millis | null
  /** The last run that `since` saw end: its first failure, and the first one of its last second with one. */
  readonly over: { readonly fromWallMs: Millis; readonly toWallMs: Millis } | null
}

/**
 * A run of bad windows, remembered for longer than the seconds that show it. A window without an ended request neither
 * begins nor ends one.
 */
export function createFailureRun(): FailureRun {
  let remembered: Millis | null = null
  let lastFailureWallMs: Millis | null = null
  let over: FailureRun['over'] = null
  return {
    get over() {
      return over
    },
    since(seconds, now) {
      const before = remembered
      const run: Window[] = []
      let whole = true
      for (const window of windowsOf(seconds).reverse()) {
        if (window.ended === 0) continue
        if (run.length === 0 && window.lastIndex < now - quietSeconds) break
        if (window.failed / window.ended <= failedMax) {
          whole = false
          break
        }
        run.push(window)
      }
      const first = run.at(-1)?.firstFailureWallMs ?? null
      if (run.length === 0 || (run.length < windowsMin && (remembered === null || !whole))) remembered = null
      else remembered = whole ? (remembered ?? first) : first
      if (remembered !== null) lastFailureWallMs = lastFailureOf(seconds) ?? lastFailureWallMs
      else if (before !== null) over = { fromWallMs: before, toWallMs: lastFailureWallMs ?? before }
      return remembered
    },
  }
}

function lastFailureOf(seconds: readonly SecondCounts[]): Millis | null {
  return seconds.reduce<Millis | null>((last, { firstFailureWallMs: at }) => at ?? last, null)
}

interface Window {
  ended: number
  failed: number
  firstFailureWallMs: Millis | null
  lastIndex: number
}

function windowsOf(seconds: readonly SecondCounts[]): Window[] {
  const windows = new Map<number, Window>()
  for (const { index, ended, failed, firstFailureWallMs } of seconds) {
    const key = Math.floor(index / windowSeconds)
    const window = windows.get(key) ?? { ended: 0, failed: 0, firstFailureWallMs: null, lastIndex: index }
    window.ended += ended
    window.failed += failed
    window.firstFailureWallMs ??= firstFailureWallMs
    window.lastIndex = index
    windows.set(key, window)
  }
  return [...windows.values()]
}
