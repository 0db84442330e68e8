import type { Millis } from '../../src-main/base/units'

/** In which zone times are shown; one switch for the whole page. */
export type Zone = 'utc' | 'local'

interface Parts {
  readonly date: string
  readonly time: string
  readonly millis: string
}

/** What stands for an instant that no calendar has: a stored record may hold any number, and the page must still draw. */
const noInstant: Parts = { date: '????-??-??', time: '??:??:??', millis: '???' }

function partsOf(wallMs: Millis, zone: Zone): Parts {
  const shift = zone === 'utc' ? 0 : offsetMinutes(wallMs) * 60_000
  const at = new Date(Math.round(wallMs) + shift)
  if (Number.isNaN(at.getTime())) return noInstant
  const [date = '', time = ''] = at.toISOString().split('T') // years beyond four digits are longer
  return { date, time: time.slice(0, 8), millis: time.slice(9, 12) }
}

/** Minutes by which local time is ahead of UTC at that instant; none where there is no such instant. */
const offsetMinutes = (wallMs: Millis) => -new Date(Math.round(wallMs)).getTimezoneOffset() || 0

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
export function iso(wallMs: Millis): string {
  const at = new Date(Math.round(wallMs))
  return Number.isNaN(at.getTime())
    ? `${noInstant.date}T${noInstant.time}.${noInstant.millis}Z`
    : at.toISOString()
}

/** The instant of an ISO text, or null when it is none. */
export function parseIso(text: string): Millis | null {
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}
