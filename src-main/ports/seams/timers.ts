import type { Millis } from '../../base/units'

/** Something that can be stopped. */
export interface Stoppable {
  stop(): void
}

/** The only door to timers. */
export interface Timers {
  after(ms: Millis, job: () => void): Stoppable
  every(ms: Millis, job: () => void): Stoppable
}
