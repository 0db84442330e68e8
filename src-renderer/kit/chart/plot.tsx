import { Area, CartesianGrid, ComposedChart, Line, XAxis, YAxis } from 'recharts'
import { colour, dashes } from '../tokens'
import { plotEdges } from './edges'
import { type ChartModel, highest } from './model'
import { timeTicks, valueTicks } from './scale'

/** The lines, areas and axes; everything that follows the pointer lies over it and redraws nothing here. */
export default function Plot({
  model,
  width,
  height,
}: {
  readonly model: ChartModel
  readonly width: number
  readonly height: number
}) {
  // The library freezes what it is given: fresh objects, one level deep.
  const data = model.points.map(({ atMs, values }) => ({ atMs, ...values }))
  const ticks = valueTicks(Math.max(model.topMax ?? 0, highest(model.series, model.points)))
  const tick = { fill: colour('text-tertiary'), fontSize: 11 }
  return (
    <ComposedChart width={width} height={height} data={data} margin={plotEdges} accessibilityLayer={false}>
      <defs>
        {model.series.map(({ id, series, hatched }) =>
          hatched ? (
            <pattern
              key={id}
              id={`hatch-${id}`}
              width="5"
              height="5"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(-45)"
            >
              <rect width="5" height="5" fill={colour(series)} fillOpacity="0.35" />
              <line x1="0" y1="0" x2="0" y2="5" stroke={colour(series)} strokeWidth="2.5" />
            </pattern>
          ) : null,
        )}
      </defs>
      <CartesianGrid vertical={false} stroke={colour('line')} />
      <XAxis
        dataKey="atMs"
        type="number"
        domain={[model.fromMs, model.toMs]}
        allowDataOverflow
        ticks={[...timeTicks(model.fromMs, model.toMs)]}
        tickFormatter={model.writeTime}
        tick={tick}
        tickLine={false}
        axisLine={{ stroke: colour('line') }}
        height={plotEdges.axisHeight}
        interval="preserveStartEnd"
      />
      <YAxis
        type="number"
        domain={[0, ticks.at(-1) ?? 1]}
        ticks={[...ticks]}
        tickFormatter={model.writeTick}
        tick={tick}
        tickLine={false}
        axisLine={false}
        width={plotEdges.axisWidth}
        interval={0}
      />
      {model.series.map(({ id, series, kind, hatched }) =>
        kind === 'area' ? (
          <Area
            key={id}
            dataKey={id}
            stackId="stack"
            type="stepAfter"
            stroke="none"
            fill={hatched ? `url(#hatch-${id})` : colour(series)}
            fillOpacity={hatched ? 1 : 0.6}
            isAnimationActive={false}
            activeDot={false}
          />
        ) : (
          <Line
            key={id}
            dataKey={id}
            type="linear"
            stroke={colour(series)}
            strokeWidth={1.5}
            strokeDasharray={dashes[series]}
            dot={false}
            activeDot={false}
            connectNulls={false}
            isAnimationActive={false}
          />
        ),
      )}
    </ComposedChart>
  )
}
