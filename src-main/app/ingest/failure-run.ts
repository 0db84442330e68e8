import type { Millis } from '../../base/units'
import type { SecondCounts } from './second-counts'

/** Windows of this many seconds are bad when more than the limit of their requests failed (ux.md 6.1). */
const windowSeconds = 5
const failedMax = 0.005
/** Bad windows in a row that make a run, and whole good ones that end it: of few requests all may go well by chance. */
const windowsMin = 2
const goodWindowsMin = 3
/** A run is forgotten when nothing was heard of for this long: whether it is over, nobody knows. */
const quietSeconds = 60

/** Since when requests fail. */
export interface FailureRun {
  /** Wall time of the first failure of the present run; null when all is well. @param seconds oldest first */
  since(seconds: readonly SecondCounts[], now: number): Millis | null
  /** The last run that `since` saw end well: its first failure, and the first one of its last second with one. */
  readonly over: { readonly fromWallMs: Millis; readonly toWallMs: Millis } | null
}

/**
 * A run of bad windows, remembered for longer than the seconds that show it. A window without an ended request neither
 * begins nor ends one, and neither does a window that has not passed and is good so far: where little is asked, a part of
 * the failures would else end a run every few seconds, and its onset would be lost.
 */
export function createFailureRun(): FailureRun {
  let onset: Millis | null = null
  let lastFailureWallMs: Millis | null = null
  let over: FailureRun['over'] = null
  return {
    get over() {
      return over
    },
    since(seconds, now) {
      const present = Math.floor(now / windowSeconds)
      const told = windowsOf(seconds)
        .filter((window) => window.ended > 0 && (isBad(window) || window.key < present))
        .reverse()
      const begun = onset ?? onsetOf(told)
      if (begun === null) return null
      onset = begun
      lastFailureWallMs = lastFailureOf(seconds) ?? lastFailureWallMs ?? begun
      const [newest] = told
      if (!newest || newest.lastIndex < now - quietSeconds) onset = null
      else if (told.length >= goodWindowsMin && !told.slice(0, goodWindowsMin).some(isBad)) {
        over = { fromWallMs: begun, toWallMs: lastFailureWallMs }
        onset = null
      }
      return onset
    },
  }
}

const isBad = ({ failed, ended }: Window): boolean => failed / ended > failedMax

/** The first failure of the newest bad windows in a row, when there are enough of them. @param windows newest first */
function onsetOf(windows: readonly Window[]): Millis | null {
  const good = windows.findIndex((window) => !isBad(window))
  const run = good < 0 ? windows : windows.slice(0, good)
  return run.length < windowsMin ? null : (run.at(-1)?.firstFailureWallMs ?? null)
}

function lastFailureOf(seconds: readonly SecondCounts[]): Millis | null {
  return seconds.reduce<Millis | null>((last, { firstFailureWallMs: at }) => at ?? last, null)
}

interface Window {
  readonly key: number
  ended: number
  failed: number
  firstFailureWallMs: Millis | null
  lastIndex: number
}

function windowsOf(seconds: readonly SecondCounts[]): Window[] {
  const windows = new Map<number, Window>()
  for (const { index, ended, failed, firstFailureWallMs } of seconds) {
    const key = Math.floor(index / windowSeconds)
    const window = windows.get(key) ?? {
      key,
      ended: 0,
      failed: 0,
      firstFailureWallMs: null,
      lastIndex: index,
    }
    window.ended += ended
    window.failed += failed
    window.firstFailureWallMs ??= firstFailureWallMs
    window.lastIndex = index
    windows.set(key, window)
  }
  return [...windows.values()]
}
