import type { Millis } from '../base/units'
import type { Stoppable, Timers } from './seams/timers'

/**
 * Runs `job` every `everyMs` until stopped; never two at once: the pause begins when the job has ended. A job that throws
 * is a bug and is not caught here.
 * @param everyMs the pause, or what tells the next one: jitter keeps many loops from marching in step
 */
export function poll(
  timers: Timers,
  everyMs: Millis | (() => Millis),
  job: (signal: AbortSignal) => Promise<void>,
): Stoppable {
  const stop = new AbortController()
  const pauseMs = typeof everyMs === 'number' ? () => everyMs : everyMs
  let timer: Stoppable | null = null
  const tick = () => {
    timer = null
    void job(stop.signal).then(() => {
      if (!stop.signal.aborted) timer = timers.after(pauseMs(), tick)
    })
  }
  timer = timers.after(0, tick)
  return {
    stop() {
      stop.abort()
      timer?.stop()
    },
  }
}
