import type { Millis } from '../../base/units'
import type { Clock } from '../../ports/seams/clock'
import type { Stoppable, Timers } from '../../ports/seams/timers'

/** How far behind its plan the loop may be; beyond it, after a sleep of the machine, it goes on from now. */
const lateMostMs: Millis = 1_000

interface ArrivalsParts {
  readonly clock: Clock
  readonly timers: Timers
  /** Time from one arrival to the next; asked anew for each. */
  readonly gapMs: () => Millis
  readonly onArrival: (nowMs: Millis) => void
}

/**
 * An open loop: arrivals fall due by their own plan, whatever became of the earlier ones. Several that fall due within one
 * timer come together, so the rate holds although timers are coarse. Runs until stopped.
 */
export function startArrivals({ clock, timers, gapMs, onArrival }: ArrivalsParts): Stoppable {
  let dueMs = clock.monoMs() + gapMs()
  let timer: Stoppable
  const arm = () => {
    timer = timers.after(Math.max(0, dueMs - clock.monoMs()), wake)
  }
  const wake = () => {
    const nowMs = clock.monoMs()
    dueMs = Math.max(dueMs, nowMs - lateMostMs)
    for (; dueMs <= nowMs; dueMs += gapMs()) onArrival(nowMs)
    arm()
  }
  arm()
  return { stop: () => timer.stop() }
}
