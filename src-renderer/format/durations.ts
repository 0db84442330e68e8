import type { Millis } from '../../src-main/base/units'
import { threeDigits } from './numbers'

/** A unit of latency; a column of a table keeps to one. */
export type LatencyUnit = 'µs' | 'ms' | 's'

/** A latency with three significant digits in the unit that suits it, or in the column's: `1.84 s`, `212 ms`, `640 µs`. */
export function latency(ms: Millis, unit: LatencyUnit = latencyUnit(ms)): string {
  if (ms === 0) return `0 ${unit}`
  const value = unit === 'µs' ? ms * 1_000 : unit === 'ms' ? ms : ms / 1_000
  return `${threeDigits(value)} ${unit}`
}

/** The unit in which a latency reads best. */
export function latencyUnit(ms: Millis): LatencyUnit {
  const size = Math.abs(ms)
  if (size >= 999.5) return 's'
  return size >= 0.9995 || size === 0 ? 'ms' : 'µs'
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** A span in its two largest units: `4 m 20 s`, `2 d 3 h`, `12 s`; in ms below a second. */
export function duration(ms: Millis): string {
  // None when two clocks differ so that something seems to lie ahead.
  if (ms < 1_000) return `${Math.max(0, Math.floor(ms))} ms`
  let left = Math.floor(ms / 1_000)
  const parts: string[] = []
  for (const [unit, seconds] of units) {
    const whole = Math.floor(left / seconds)
    left -= whole * seconds
    if (whole > 0 || (parts.length > 0 && parts.length < 2)) parts.push(`${whole} ${unit}`)
    if (parts.length === 2) break
  }
  return parts.filter((part) => !part.startsWith('0 ')).join(' ')
}

/** An age in a chip, as narrow as can be: `<1s`, `12s`, `4m`, `3h`, `2d`. */
export function shortAge(ms: Millis): string {
  if (ms < 1_000) return '<1s'
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 100) return `${seconds}s`
  if (seconds < 5_400) return `${Math.floor(seconds / 60)}m`
  return seconds < 129_600 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`
}

/** A stop watch: `0:41`, `12:05`, `1:02:03`. */
export function stopwatch(ms: Millis): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}
