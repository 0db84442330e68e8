import type { Millis } from '../../base/units'

/** The time that a written instant covers, up to but without its end: a second, or the minute when it names none. */
export interface InstantSpan {
  readonly fromWallMs: Millis
  readonly toWallMs: Millis
}

const written = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(\.\d{1,3})?)?Z$/i

/** Reads `2026-01-01T03:07:41Z`, the seconds or their fraction left out at will; null for anything else. */
export function instantSpan(text: string): InstantSpan | null {
  const match = written.exec(text)
  if (match === null) return null
  const [, date, minute, second, fraction] = match
  const fromWallMs = Date.parse(`${date}T${minute}:${second ?? '00'}${fraction ?? ''}Z`)
  if (!Number.isFinite(fromWallMs)) return null
  const wide = second === undefined ? 60_000 : fraction === undefined ? 1_000 : 1
  return { fromWallMs, toWallMs: fromWallMs + wide }
}
