// How figures are written (ux.md 12). Every function takes raw SI numbers and gives text; none of them knows a missing
// value: callers write `missing` with its reason.

/** What stands where there is no value; the reason goes into its tooltip. */
export const missing = '—'

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** Three significant digits without an exponent, thousands separated from 1,000 on. */
export function threeDigits(value: number): string {
  const size = Math.abs(value)
  if (size >= 999.5) return grouped.format(value)
  if (size >= 99.95) return value.toFixed(0)
  if (size >= 9.995) return value.toFixed(1)
  return value.toFixed(2)
}

/** Exact to 99,999, then `1.23 M`; tooltips and exports carry the exact figure. */
export function count(value: number): string {
  const size = Math.abs(value)
  if (size < 100_000) return grouped.format(value)
  if (size < 1e6) return `${threeDigits(value / 1e3)} k`
  if (size < 1e9) return `${threeDigits(value / 1e6)} M`
  return `${threeDigits(value / 1e9)} G`
}

/** Tokens and the like in a narrow cell: `1.9k`, `8.2k`, exact below a thousand. */
export function shortCount(value: number): string {
  if (Math.abs(value) < 1_000) return grouped.format(value)
  if (Math.abs(value) < 1e6) return `${(value / 1e3).toFixed(1)}k`
  return `${(value / 1e6).toFixed(1)}M`
}

/** One decimal, two below 1 %, `< 0.01 %` for what would round to nothing. A true zero is `0 %`. */
export function percent(ratio: number): string {
  const value = ratio * 100
  const size = Math.abs(value)
  if (value === 0) return '0 %'
  if (size < 0.01) return '< 0.01 %'
  if (size < 0.995) return `${value.toFixed(2)} %`
  return size >= 99.95 && size !== 100 && size < 100 ? '> 99.9 %' : `${trimZero(value.toFixed(1))} %`
}

/** A change of a percentage, in points, with a true minus: `−19.3 pt`. */
export function points(ratioChange: number): string {
  const value = Math.abs(ratioChange * 100).toFixed(1)
  return `${sign(ratioChange)}${value} pt`
}

/** `1.42×`. */
export const times = (ratio: number): string => `${ratio.toFixed(2)}×`

/** Per second, three digits, with its unit: `9,980 req/s`, `44.4 k tok/s`. */
export function rate(perSecond: number, unit: string): string {
  const size = Math.abs(perSecond)
  if (size === 0) return `0 ${unit}`
  if (size < 0.01) return `< 0.01 ${unit}`
  return size < 10_000 ? `${threeDigits(perSecond)} ${unit}` : `${threeDigits(perSecond / 1e3)} k ${unit}`
}

const steps = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** IEC: `256 KiB`. */
export function bytes(value: number): string {
  let at = 0
  let left = value
  while (Math.abs(left) >= 1024 && at < steps.length - 1) {
    left /= 1024
    at++
  }
  return `${at === 0 ? grouped.format(left) : trimZero(threeDigits(left))} ${steps[at]}`
}

/** A signed whole number with a true minus: `+2`, `−1`, `0`. */
export const signed = (value: number): string =>
  value === 0 ? '0' : `${sign(value)}${grouped.format(Math.abs(value))}`

const sign = (value: number) => (value < 0 ? '−' : value > 0 ? '+' : '')
const trimZero = (text: string) => text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
