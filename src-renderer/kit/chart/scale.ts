import type { Millis } from '../../../src-main/base/units'

/** At most this many lines across (ux.md 11). */
const ticksMax = 5

/** Ticks of an axis that starts at zero: round steps, the last one at or above the largest value. */
export function valueTicks(largest: number): readonly number[] {
  if (!(largest > 0)) return [0, 1]
  const rough = largest / (ticksMax - 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power
  const count = Math.ceil(largest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)))
}

const timeSteps = [10, 30, 60, 120, 300, 600, 1_800, 3_600, 10_800, 21_600].map((seconds) => seconds * 1_000)

/** Ticks at round times within a span, five to eight of them. */
export function timeTicks(fromMs: Millis, toMs: Millis): readonly Millis[] {
  const step = timeSteps.find((each) => (toMs - fromMs) / each <= 7) ?? 43_200_000
  const ticks: Millis[] = []
  for (let at = Math.ceil(fromMs / step) * step; at <= toMs; at += step) ticks.push(at)
  return ticks
}
