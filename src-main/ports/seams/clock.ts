import type { Millis } from '../../base/units'

/** The two clocks. Ages, waits and rates use the monotonic one; the wall clock is for display and file names. */
export interface Clock {
  /** Milliseconds of a clock that never jumps and is the same for all processes of this machine. May have fractions. */
  monoMs(): Millis
  /** Milliseconds since 1970, UTC. */
  wallMs(): Millis
}
