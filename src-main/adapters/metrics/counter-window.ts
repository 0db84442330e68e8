import { createRingBuffer } from '../../base/ring-buffer'
import type { Millis } from '../../base/units'
import type { CounterColumns } from './metric-aliases'

/** What counters grew by, per series, and over which time. */
export interface Growth {
  readonly by: Float64Array
  readonly overMs: Millis
}

/** The last minute of some counters, differenced. Time is that of our own reads, never the exporter's. */
export interface CounterWindow {
  add(takenMonoMs: Millis, counters: CounterColumns): void
  /** Growth since the oldest sample of the window; null until there are two samples without a reset between them. */
  growth(): Growth | null
  /** Forgets everything: the next sample is a first one. */
  restart(): void
  /** How often a counter went down or the set of series changed: the engine was restarted (fault F56). */
  readonly resets: number
}

interface Point {
  readonly takenMonoMs: Millis
  readonly values: Float64Array
}

/**
 * A window over `spanMs`. A counter that went down was restarted with its engine: what it grew by in between is unknown,
 * so the window starts anew and no rate is ever negative.
 * @param pointsMax most samples that are kept, whatever the pace
 */
export function createCounterWindow(spanMs: Millis, pointsMax = 400): CounterWindow {
  const points = createRingBuffer<Point>(pointsMax)
  let keys: readonly string[] = []
  let resets = 0
  const newest = () => points.last(1)[0]
  return {
    add(takenMonoMs, counters) {
      const before = newest()
      if (before && !continues(keys, before.values, counters)) {
        points.clear()
        resets++
      }
      keys = counters.keys
      points.push({ takenMonoMs, values: counters.values })
    },
    growth() {
      const last = newest()
      if (!last) return null
      const first = points.toArray().find(({ takenMonoMs }) => takenMonoMs >= last.takenMonoMs - spanMs)
      if (!first || first === last) return null
      return {
        by: last.values.map((value, at) => value - (first.values[at] as number)),
        overMs: last.takenMonoMs - first.takenMonoMs,
      }
    },
    restart: () => points.clear(),
    get resets() {
      return resets
    },
  }
}

function continues(keys: readonly string[], before: Float64Array, now: CounterColumns): boolean {
  return (
    keys.length === now.keys.length &&
    keys.every((key, at) => key === now.keys[at]) &&
    now.values.every((value, at) => value >= (before[at] as number))
  )
}

/** Growth of all series together. */
export const totalOf = ({ by }: Growth): number => by.reduce((sum, each) => sum + each, 0)
