import type { Millis } from '../../base/units'
import type { Clock } from '../../ports/seams/clock'
import type { Stoppable, Timers } from '../../ports/seams/timers'

/** Pace of asking a page whether it lives. */
const askEveryMs: Millis = 1_000
/** A page that has not answered for this long hangs (fault F74). */
const hangsAfterMs: Millis = 5_000

interface Parts {
  readonly clock: Clock
  readonly timers: Timers
  /** Asks the page; it answers when its main thread gets to it. */
  readonly ask: () => void
  readonly hangs: () => void
  readonly responds: () => void
}

/** Tells when a page hangs and when it is back. Chromium's own monitor waits three times as long, and only for input. */
export interface Heartbeat extends Stoppable {
  /** The page answered, or was loaded anew. */
  alive(): void
}

/** Asks from now on. A machine that slept is no hanging page: the wait begins anew when our own timer was late. */
export function startHeartbeat({ clock, timers, ask, hangs, responds }: Parts): Heartbeat {
  let aliveMs = clock.monoMs()
  let tickMs = aliveMs
  let hanging = false
  const ticking = timers.every(askEveryMs, () => {
    const now = clock.monoMs()
    if (now - tickMs > hangsAfterMs) aliveMs = now
    tickMs = now
    if (!hanging && now - aliveMs >= hangsAfterMs) {
      hanging = true
      hangs()
    }
    ask()
  })
  return {
    alive() {
      aliveMs = clock.monoMs()
      if (hanging) responds()
      hanging = false
    },
    stop: () => ticking.stop(),
  }
}
