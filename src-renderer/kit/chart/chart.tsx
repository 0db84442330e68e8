import { Table2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Millis } from '../../../src-main/base/units'
import { words } from '../../words/en'
import { IconButton } from '../button'
import { type ColourName, colour, dashes } from '../tokens'
import { ChartData } from './chart-data'
import { type ChartModel, pointAt, type Series } from './model'
import { Overlay } from './overlay'
import { useWidth } from './use-width'

const Plot = lazy(() => import('./plot'))

/** What follows the pointer, shared by the charts of a view. */
export interface ChartCursor {
  readonly atMs: Millis | null
  readonly locked: boolean
  move(atMs: Millis | null): void
  lock(atMs: Millis): void
}

/** A chart with its title, its figures at the pointer instead of a tooltip that hides data, and its table. */
export function Chart({
  model,
  cursor,
  onRange,
  onMark,
  summary,
  note,
  height = 168,
}: {
  readonly model: ChartModel
  readonly cursor: ChartCursor
  onRange(fromMs: Millis, toMs: Millis): void
  onMark(id: string): void
  /** The course in a sentence, for those who do not see it. */
  readonly summary: string
  /** Number of samples, place of measurement, what a point is. */
  readonly note: string
  readonly height?: number
}) {
  const [box, width] = useWidth(560)
  const [asTable, setAsTable] = useState(false)
  const bucketMs = bucketOf(model)
  return (
    <figure aria-label={model.title} className="min-w-0 rounded-panel border border-line bg-panel">
      <figcaption className="flex items-center gap-2 px-3 pt-1">
        <h2 className="text-13 font-strong text-muted">{model.title}</h2>
        <span className="text-12 text-faint">{model.unit}</span>
        <span className="min-w-0 flex-1 truncate text-right text-12 text-faint" title={note}>
          {note}
        </span>
        <IconButton
          icon={Table2}
          label={words.chart.viewData(model.title)}
          onClick={() => setAsTable(true)}
        />
      </figcaption>
      <Legend model={model} atMs={cursor.atMs} bucketMs={bucketMs} />
      <div ref={box} className="relative" style={{ height }}>
        <div role="img" aria-label={summary} className="absolute inset-0">
          <Suspense fallback={null}>
            <Plot model={model} width={width} height={height} />
          </Suspense>
        </div>
        <Overlay
          model={model}
          width={width}
          height={height}
          bucketMs={bucketMs}
          cursor={cursor}
          onRange={onRange}
          onMark={onMark}
        />
      </div>
      {asTable ? <ChartData model={model} onClose={() => setAsTable(false)} /> : null}
    </figure>
  )
}

/** Distance of two points of the model, ms. */
function bucketOf({ points, fromMs, toMs }: ChartModel): Millis {
  let least = toMs - fromMs
  for (let at = 1; at < points.length; at++) {
    const [before, after] = [points[at - 1], points[at]]
    if (before && after) least = Math.min(least, after.atMs - before.atMs)
  }
  return Math.max(1, least)
}

function Legend({
  model,
  atMs,
  bucketMs,
}: {
  readonly model: ChartModel
  readonly atMs: Millis | null
  readonly bucketMs: Millis
}) {
  const last = [...model.points]
    .reverse()
    .find((point) => model.series.some(({ id }) => point.values[id] != null))
  const point = atMs === null ? last : pointAt(model.points, atMs, bucketMs)
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-x-3 px-3 text-12">
      {model.series.map((series) => {
        const value = point?.values[series.id] ?? null
        return (
          <span key={series.id} className="inline-flex items-center gap-1.5">
            <Swatch series={series} />
            <span className="text-muted">{series.title}</span>
            <span className="font-mono text-ink">{value === null ? '—' : model.write(value)}</span>
          </span>
        )
      })}
      <span className="ml-auto font-mono text-faint">
        {atMs === null ? words.chart.latest : model.writeTime(atMs)}
      </span>
    </div>
  )
}

function Swatch({ series }: { readonly series: Series }) {
  const stroke = colour(series.series satisfies ColourName)
  return (
    <svg aria-hidden="true" width="18" height="8">
      {series.kind === 'area' ? (
        <rect width="18" height="8" fill={stroke} fillOpacity={series.hatched ? 0.85 : 0.6} stroke={stroke} />
      ) : (
        <line
          x1="0"
          y1="4"
          x2="18"
          y2="4"
          stroke={stroke}
          strokeWidth="2"
          strokeDasharray={dashes[series.series]}
        />
      )}
    </svg>
  )
}
