import type { Timers } from '../../ports/seams/timers'

/** The system's timers. */
export const nodeTimers: Timers = {
  after(ms, job) {
    const timer = setTimeout(job, ms)
    return { stop: () => clearTimeout(timer) }
  },
  every(ms, job) {
    const timer = setInterval(job, ms)
    return { stop: () => clearInterval(timer) }
  },
}
