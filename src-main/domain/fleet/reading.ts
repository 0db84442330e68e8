import type { Millis } from '../../base/units'

/** Who told us: 'engine:r3', 'router', 'fleet'. */
export type SourceId = string

/** How a value came about: read from a component, recomputed here from known inputs, or modelled (ux: OBS, CALC, EST). */
export type Origin = 'observed' | 'recomputed' | 'estimated'

/**
 * A value that a screen may show: it says whose it is and how old, or why there is none. Unknown is never zero.
 * `takenMonoMs` is the monotonic clock of the process that hands the value on.
 */
export type Reading<T> =
  | {
      readonly value: T
      readonly origin: Origin
      readonly source: SourceId
      readonly takenMonoMs: Millis
    }
  | { readonly absent: Absence; readonly source: SourceId | null }

/** Why a reading has no value. */
export type Absence = 'not-exported' | 'not-supported' | 'never-received'

/** A value read from a component. */
export const observed = <T>(value: T, source: SourceId, takenMonoMs: Millis): Reading<T> => ({
  value,
  origin: 'observed',
  source,
  takenMonoMs,
})

/** No value, and why. */
export const absent = (why: Absence, source: SourceId | null): Reading<never> => ({ absent: why, source })

/** The value, or null when there is none. */
export const known = <T>(reading: Reading<T>): T | null => ('value' in reading ? reading.value : null)
