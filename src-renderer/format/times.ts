import type { Millis } from '../../src-main/base/units'

/** In which zone times are shown; one switch for the whole page. */
export type Zone = 'utc' | 'local'

interface Parts {
  readonly date: string
  readonly time: string
  readonly millis: string
}

function partsOf(wallMs: Millis, zone: Zone): Parts {
  const shift = zone === 'utc' ? 0 : offsetMinutes(wallMs) * 60_000
  const iso = new Date(Math.round(wallMs) + shift).toISOString()
  return { date: iso.slice(0, 10), time: iso.slice(11, 19), millis: iso.slice(20, 23) }
}

/** Minutes by which local time is ahead of UTC at that instant. */
const offsetMinutes = (wallMs: Millis) => -new Date(Math.round(wallMs)).getTimezoneOffset()

/** `03:12:07.412`. */
export function clockMillis(wallMs: Millis, zone: Zone): string {
  const { time, millis } = partsOf(wallMs, zone)
  return `${time}.${millis}`
}

/** `03:12:07`. */
export const clock = (wallMs: Millis, zone: Zone): string => partsOf(wallMs, zone).time

/** The time, with its date in front when that is another day than `nowWallMs`: `2026-01-03 03:12:07`. */
export function moment(wallMs: Millis, nowWallMs: Millis, zone: Zone): string {
  const at = partsOf(wallMs, zone)
  return at.date === partsOf(nowWallMs, zone).date ? at.time : `${at.date} ${at.time}`
}

/** `UTC`, or the offset of local time at that instant: `+09:00`, `−03:30`. */
export function zoneName(wallMs: Millis, zone: Zone): string {
  if (zone === 'utc') return 'UTC'
  const minutes = offsetMinutes(wallMs)
  const two = (value: number) => String(value).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** ISO 8601 in UTC, for links, copies and exports, whatever the page shows. */
export const iso = (wallMs: Millis): string => new Date(Math.round(wallMs)).toISOString()

/** The instant of an ISO text, or null when it is none. */
export function parseIso(text: string): Millis | null {
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}
