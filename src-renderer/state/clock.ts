import type { Clock } from '../../src-main/ports/seams/clock'
import type { Timers } from '../../src-main/ports/seams/timers'

/** The page's clocks and timers: the only file of the page that knows the browser's. */
export interface PageClock extends Clock, Timers {}

/** The browser's own. Its monotonic clock counts from the page's start, unlike the server's: see `server-clock.ts`. */
export const browserClock: PageClock = {
  monoMs: () => performance.now(),
  wallMs: () => Date.now(),
  after(ms, job) {
    const timer = setTimeout(job, ms)
    return { stop: () => clearTimeout(timer) }
  },
  every(ms, job) {
    const timer = setInterval(job, ms)
    return { stop: () => clearInterval(timer) }
  },
}

/** Runs a job before the next picture is drawn. A hidden page draws none, and so its jobs wait. */
export type Frames = (job: () => void) => void

/** The browser's own. */
export const browserFrames: Frames = (job) => void requestAnimationFrame(job)
