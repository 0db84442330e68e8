import type { Millis } from '../../../src-main/base/units'
import type { SecondBucket } from '../../../src-main/domain/journal/views'
import { isFailure, outcomeClasses } from '../../../src-main/domain/routing/outcome'
import {
  type Buckets,
  bucketed,
  inFlightFigures,
  type KnownGap,
  outcomeFigures,
  pointsOf,
  share,
  worst,
} from '../../field/series'
import { latency } from '../../format/durations'
import { count, percent, threeDigits } from '../../format/numbers'
import type { ChartModel, EventMark, Series } from '../../kit/chart/model'
import { words } from '../../words/en'

/** A chart but for what is the page's business: how times are written, which environment it is. */
type Model = Omit<ChartModel, 'writeTime' | 'watermark'>

/** The charts of the overview, and what their points are. */
export interface OverviewModels {
  /** Seconds that share a point. */
  readonly secondsPerPoint: number
  /** Requests with a first token behind a point, on average. */
  readonly samplesPerPoint: number
  readonly requests: Model
  readonly ttft: Model
  readonly affinity: Model
  readonly inFlight: Model
}

/** What every chart of a span shares. */
interface Base extends Pick<ChartModel, 'holes' | 'marks' | 'fromMs' | 'toMs'> {}

const text = words.overview.charts

/** Makes the four charts of a span. */
export function overviewModels(
  seconds: readonly SecondBucket[],
  gaps: readonly KnownGap[],
  marks: readonly EventMark[],
  fromMs: Millis,
  toMs: Millis,
): OverviewModels {
  const cut = bucketed(seconds, fromMs, toMs, gaps)
  const base = { holes: cut.holes, marks, fromMs, toMs }
  const samples = cut.buckets
    .flatMap((bucket) => bucket.seconds)
    .reduce((sum, { ttftMs }) => sum + ttftMs.n, 0)
  return {
    secondsPerPoint: cut.bucketMs / 1_000,
    samplesPerPoint: samples / Math.max(1, cut.buckets.length),
    requests: requests(cut, base),
    ttft: ttft(cut, base),
    affinity: affinity(cut, base),
    inFlight: inFlight(cut, base),
  }
}

/** Fixed order, ok at the bottom; failures in one hatched area, since which of them it was is what Decisions tells. */
const outcomeSeries: readonly Series[] = [
  { id: 'ok', title: words.field.outcome.ok, series: 'series-1', kind: 'area' },
  { id: 'fallback', title: words.field.outcome.fallback, series: 'series-3', kind: 'area' },
  { id: 'left', title: text.byClient, series: 'series-6', kind: 'area' },
  { id: 'failed', title: text.failed, series: 'series-2', kind: 'area', hatched: true },
]

function requests(cut: Buckets, base: Base): Model {
  return {
    ...base,
    title: text.requests,
    unit: text.perSecond,
    series: outcomeSeries,
    topMax: null,
    points: pointsOf(cut, (bucket) => {
      const figures = outcomeFigures(bucket)
      const failed = outcomeClasses.filter(isFailure).reduce((sum, name) => sum + figures[name], 0)
      return {
        ok: figures.ok,
        fallback: figures.fallback,
        left: figures['client-left'] + figures['client-error'],
        failed,
      }
    }),
    write: plainTick,
    writeTick: plainTick,
  }
}

function ttft(cut: Buckets, base: Base): Model {
  const series: readonly Series[] = [
    { id: 'p50', title: 'p50', series: 'series-1', kind: 'line' },
    { id: 'p95', title: 'p95', series: 'series-3', kind: 'line' },
    { id: 'p99', title: 'p99', series: 'series-2', kind: 'line' },
  ]
  return {
    ...base,
    title: text.ttft,
    unit: text.milliseconds,
    series,
    topMax: null,
    points: pointsOf(cut, (bucket) => ({
      p50: worst(bucket, (second) => second.ttftMs, 'p50'),
      p95: worst(bucket, (second) => second.ttftMs, 'p95'),
      p99: worst(bucket, (second) => second.ttftMs, 'p99'),
    })),
    write: (ms) => latency(ms),
    writeTick: plainTick,
  }
}

function affinity(cut: Buckets, base: Base): Model {
  const series: readonly Series[] = [
    { id: 'cache', title: text.cacheLine, series: 'series-2', kind: 'line' },
    { id: 'affinity', title: text.affinityLine, series: 'series-1', kind: 'line' },
  ]
  return {
    ...base,
    title: text.affinity,
    unit: text.share,
    series,
    topMax: 1,
    points: pointsOf(cut, (bucket) => ({
      affinity: share(bucket, (second) => second.affinity),
      cache: share(bucket, (second) => second.cachedTokens),
    })),
    write: percent,
    writeTick: (ratio) => String(Math.round(ratio * 100)),
  }
}

function inFlight(cut: Buckets, base: Base): Model {
  const series: readonly Series[] = [
    { id: 'min', title: text.min, series: 'series-6', kind: 'line' },
    { id: 'mean', title: text.mean, series: 'series-1', kind: 'line' },
    { id: 'max', title: text.max, series: 'series-3', kind: 'line' },
  ]
  return {
    ...base,
    title: text.inFlight,
    unit: text.requestsUnit,
    series,
    topMax: null,
    points: pointsOf(cut, inFlightFigures),
    write: plainTick,
    writeTick: plainTick,
  }
}

const plainTick = (value: number) =>
  Number.isInteger(value) ? count(value) : threeDigits(value).replace(/(\.\d*?)0+$/, '$1')
