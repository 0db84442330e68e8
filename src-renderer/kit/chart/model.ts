import type { Millis } from '../../../src-main/base/units'
import type { SeriesName } from '../tokens'

/** One line or area of a chart. */
export interface Series {
  readonly id: string
  readonly title: string
  readonly series: SeriesName
  /** Areas are stacked in the order given, the first at the bottom. */
  readonly kind: 'line' | 'area'
  /** A pattern on the area, for what failed: colour is never alone. */
  readonly hatched?: boolean
}

/** The values of all series at one instant; null: none then, and no line across. */
export interface Point {
  readonly atMs: Millis
  readonly values: Readonly<Record<string, number | null>>
}

/** A span without data, and its name. */
export interface Hole {
  readonly fromMs: Millis
  readonly toMs: Millis
  readonly title: string
}

/** Something that happened, as a letter above the chart. */
export interface EventMark {
  readonly id: string
  readonly atMs: Millis
  readonly letter: string
  readonly title: string
}

/** Everything a chart shows. */
export interface ChartModel {
  readonly title: string
  readonly unit: string
  readonly series: readonly Series[]
  readonly points: readonly Point[]
  readonly holes: readonly Hole[]
  readonly marks: readonly EventMark[]
  readonly fromMs: Millis
  readonly toMs: Millis
  /** Stands behind the lines and in exports, so that a demo's picture is never taken for the real thing; null: nothing. */
  readonly watermark: string | null
  /** The largest value that the axis must have room for, for instance 1 for shares; null: that of the points. */
  readonly topMax: number | null
  write(value: number): string
  writeTick(value: number): string
  writeTime(atMs: Millis): string
}

/** The point at or before an instant, within `withinMs`; null where there is none. */
export function pointAt(points: readonly Point[], atMs: Millis, withinMs: Millis): Point | null {
  let found: Point | null = null
  for (const point of points) {
    if (point.atMs > atMs) break
    found = point
  }
  return found && atMs - found.atMs <= withinMs ? found : null
}

/** The highest that the points reach: of the stack for areas, of any line otherwise. */
export function highest(series: readonly Series[], points: readonly Point[]): number {
  const stacked = series.some(({ kind }) => kind === 'area')
  let top = 0
  for (const { values } of points) {
    const all = series.map(({ id }) => values[id] ?? 0)
    top = Math.max(top, stacked ? all.reduce((sum, each) => sum + each, 0) : Math.max(...all))
  }
  return top
}

/** Letters of marks that are drawn as one: `S×3` of one kind, `NS` of several. */
export function lettersOf(marks: readonly { readonly letter: string }[]): string {
  const kinds = [...new Set(marks.map(({ letter }) => letter))]
  const [first = ''] = kinds
  if (kinds.length > 1) return kinds.join('')
  return marks.length > 1 ? `${first}×${marks.length}` : first
}

/** Marks that would stand closer than `apartPx` are drawn as one, `S×3`. */
export function clustered(
  marks: readonly EventMark[],
  place: (atMs: Millis) => number,
  apartPx: number,
): readonly { readonly first: EventMark; readonly all: readonly EventMark[] }[] {
  const groups: { first: EventMark; all: EventMark[] }[] = []
  for (const mark of [...marks].sort((a, b) => a.atMs - b.atMs)) {
    const last = groups.at(-1)
    const previous = last?.all.at(-1)
    if (last && previous && place(mark.atMs) - place(previous.atMs) < apartPx) last.all.push(mark)
    else groups.push({ first: mark, all: [mark] })
  }
  return groups
}
