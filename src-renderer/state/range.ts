import type { Millis } from '../../src-main/base/units'
import type { Place } from './place'
import { useShownNow } from './use-now'
import { usePage } from './use-page'
import { useStore } from './use-store'

/** Which time the views show. A range that ended is never called live. */
export type Range =
  | { readonly kind: 'live'; readonly spanMs: Millis }
  | { readonly kind: 'fixed'; readonly fromWallMs: Millis; readonly toWallMs: Millis }

/** A range as two instants. */
export interface Span {
  readonly fromWallMs: Millis
  readonly toWallMs: Millis
}

/** The spans that the overview can show: the page keeps fifteen minutes of seconds. */
export const sessionSpansMs: readonly Millis[] = [300_000, 900_000]
const minute: Millis = 60_000

/** The range that a place names: `from` and `to` as ISO times, or `win` in minutes, which is live. */
export function rangeOf({ params }: Place, spansMs: readonly Millis[] = sessionSpansMs): Range {
  const [from, to] = [Date.parse(params.from ?? ''), Date.parse(params.to ?? '')]
  if (to > from) return { kind: 'fixed', fromWallMs: from, toWallMs: to }
  const asked = Number(params.win ?? 0) * minute
  return { kind: 'live', spanMs: spansMs.includes(asked) ? asked : (spansMs[0] ?? 300_000) }
}

/** The parameters of a place that set a range. */
export function paramsOfRange(range: Range): Readonly<Record<string, string | null>> {
  if (range.kind === 'live') return { win: String(range.spanMs / minute), from: null, to: null }
  return { from: isoOf(range.fromWallMs), to: isoOf(range.toWallMs) }
}

/** ISO time; null for an instant that no calendar has, which no range can name. */
function isoOf(wallMs: Millis): string | null {
  const at = new Date(Math.round(wallMs))
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

/** The range around an instant: ten minutes before and after it. */
export const aroundInstant = (wallMs: Millis): Range => ({
  kind: 'fixed',
  fromWallMs: wallMs - 10 * minute,
  toWallMs: wallMs + 10 * minute,
})

/** The page's range. */
export const useRange = (spansMs?: readonly Millis[]): Range =>
  rangeOf(useStore(usePage().places.place), spansMs)

/** The page's range as two instants; a live one ends now, or when the page was paused. */
export function useSpan(spansMs?: readonly Millis[]): Span {
  const range = useRange(spansMs)
  const now = useShownNow()
  return range.kind === 'fixed'
    ? { fromWallMs: range.fromWallMs, toWallMs: range.toWallMs }
    : { fromWallMs: now.wallMs - range.spanMs, toWallMs: now.wallMs }
}
