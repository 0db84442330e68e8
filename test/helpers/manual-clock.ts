import type { Clock } from '../../src-main/ports/seams/clock'
import type { Timers } from '../../src-main/ports/seams/timers'

/** Both clocks and the timers, moved by hand: `advance` runs what falls due, in order. */
export interface ManualClock extends Clock, Timers {
  advance(ms: number): void
  /** Moves the wall clock alone, as a clock jump does. */
  jump(byMs: number): void
  /** Moves both clocks while nothing runs; what fell due meanwhile runs once, late, with the next `advance`. */
  sleep(ms: number): void
  readonly pending: number
}

export function createManualClock(startWallMs = Date.UTC(2026, 0, 1)): ManualClock {
  let mono = 0
  let wall = startWallMs
  let due: { at: number; job: () => void; everyMs: number | null }[] = []
  const start = (ms: number, job: () => void, everyMs: number | null) => {
    const timer = { at: mono + ms, job, everyMs }
    due.push(timer)
    return {
      stop: () => {
        due = due.filter((each) => each !== timer)
      },
    }
  }
  return {
    monoMs: () => mono,
    wallMs: () => wall,
    after: (ms, job) => start(ms, job, null),
    every: (ms, job) => start(ms, job, ms),
    jump: (byMs) => {
      wall += byMs
    },
    sleep(ms) {
      mono += ms
      wall += ms
      for (const each of due) each.at = Math.max(each.at, mono)
    },
    get pending() {
      return due.length
    },
    advance(ms) {
      const until = mono + ms
      for (;;) {
        const next = due.filter((each) => each.at <= until).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        wall += next.at - mono
        mono = next.at
        if (next.everyMs === null) due = due.filter((each) => each !== next)
        else next.at += next.everyMs
        next.job()
      }
      wall += until - mono
      mono = until
    },
  }
}
