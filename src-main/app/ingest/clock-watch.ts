import type { Millis } from '../../base/units'
import type { Clock } from '../../ports/seams/clock'
import type { Stoppable, Timers } from '../../ports/seams/timers'

/** Pace of comparing the clocks. */
const everyMs: Millis = 1_000
/** A wall clock that moved by more than this against the monotonic one was set (security page 13.2). */
const jumpMs: Millis = 2_000
/** A tick that comes later than this means that the process did not run: sleep, or a stopped machine. */
const lateMs: Millis = 5_000

/** What the watch tells. */
export interface ClockWatchHooks {
  /** The wall clock was set, or the machine slept without its monotonic clock: forward is positive. */
  jumped(byMs: Millis): void
  /** Nothing ran for that long. */
  suspended(fromWallMs: Millis, toWallMs: Millis): void
}

/** Compares the two clocks once a second until it is stopped. */
export function watchClocks(clock: Clock, timers: Timers, hooks: ClockWatchHooks): Stoppable {
  let wallMs = clock.wallMs()
  let monoMs = clock.monoMs()
  return timers.every(everyMs, () => {
    const nowWallMs = clock.wallMs()
    const nowMonoMs = clock.monoMs()
    const wallPassed = nowWallMs - wallMs
    const monoPassed = nowMonoMs - monoMs
    const from = wallMs
    wallMs = nowWallMs
    monoMs = nowMonoMs
    const byMs = wallPassed - monoPassed
    if (Math.abs(byMs) > jumpMs) hooks.jumped(Math.round(byMs))
    if (monoPassed > everyMs + lateMs) hooks.suspended(from, nowWallMs)
  })
}
