import { useMemo } from 'react'
import { clock } from '../format/times'
import { Button } from '../kit/button'
import { Chart, type ChartCursor } from '../kit/chart/chart'
import type { ChartModel } from '../kit/chart/model'
import { Panel } from '../kit/panel'
import { paramsOfRange } from '../state/range'
import { usePage } from '../state/use-page'
import { useHealth, useStore } from '../state/use-store'
import { words } from '../words/en'

/** A chart of the page's range: one cursor for all of them, dragging sets the range, a letter opens its event. */
export function TimeChart({
  model,
  note,
  height,
}: {
  readonly model: Omit<ChartModel, 'writeTime' | 'watermark'>
  readonly note: string
  readonly height?: number
}) {
  const { places, preferences, arrival } = usePage()
  const { zone } = useStore(preferences)
  const safe = useStore(arrival) === 'safe'
  const cursor = useChartCursor()
  const health = useHealth()
  const watermark = health ? words.frame.environment[health.environment] : null
  const full: ChartModel = { ...model, watermark, writeTime: (atMs) => clock(atMs, zone) }
  if (safe)
    return (
      <Panel
        title={model.title}
        aside={<Button onClick={() => arrival.set(null)}>{words.banners.showCharts}</Button>}
      >
        <p className="text-muted">
          {summaryOf(full)} {words.frame.chartLeftOut}
        </p>
      </Panel>
    )
  return (
    <Chart
      model={full}
      cursor={cursor}
      note={note}
      summary={summaryOf(full)}
      onRange={(fromWallMs, toWallMs) =>
        places.go({ params: paramsOfRange({ kind: 'fixed', fromWallMs, toWallMs }) })
      }
      onMark={(id) => places.go({ view: 'timeline', params: { sel: `event:${id}` } })}
      {...(height === undefined ? {} : { height })}
    />
  )
}

/** The page's cursor as charts use it. */
export function useChartCursor(): ChartCursor {
  const { cursor } = usePage()
  const value = useStore(cursor)
  return useMemo(
    () => ({
      atMs: value?.wallMs ?? null,
      locked: value?.locked ?? false,
      move: (wallMs) =>
        cursor.set(wallMs === null ? null : { wallMs, locked: cursor.get()?.locked ?? false }),
      lock: (wallMs) => cursor.set(cursor.get()?.locked ? null : { wallMs, locked: true }),
    }),
    [value, cursor],
  )
}

/** The course of the last series in a sentence: it is the one that matters, failures or the highest percentile. */
export function summaryOf({ title, series, points, holes, marks, write }: ChartModel): string {
  const main = series.at(-1)
  const values = points
    .map(({ values }) => values[main?.id ?? ''])
    .filter((value) => typeof value === 'number')
  const last = values.at(-1)
  if (!main || last === undefined) return words.overview.charts.noPoints(title)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return words.overview.charts.summary(
    `${title}, ${main.title}`,
    write(last),
    write(low),
    write(high),
    holes.length,
    marks.length,
  )
}
