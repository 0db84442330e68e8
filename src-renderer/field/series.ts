import type { Millis } from '../../src-main/base/units'
import { type Percentiles, ratioOf, type SecondBucket, type Share } from '../../src-main/domain/journal/views'
import { type OutcomeClass, outcomeClasses } from '../../src-main/domain/routing/outcome'
import type { Hole, Point } from '../kit/chart/model'
import { words } from '../words/en'

/** Most points of a series (ux.md 11 allows 600). */
const pointsMax = 450
const second: Millis = 1_000

/** A span of seconds as points: equal buckets, and the holes between them. */
export interface Buckets {
  readonly bucketMs: Millis
  readonly buckets: readonly Bucket[]
  readonly holes: readonly Hole[]
}
/** Seconds that share one point; never empty. */
export interface Bucket {
  readonly atMs: Millis
  readonly seconds: readonly SecondBucket[]
}

/** A known reason for missing seconds. */
export interface KnownGap {
  readonly fromWallMs: Millis
  readonly toWallMs: Millis
  readonly why: string
}

/**
 * Cuts seconds into buckets at round times. A bucket that no second fell into is a hole: nothing is drawn across it. So
 * is the time after the last second, once it is `lateMs` long.
 */
export function bucketed(
  seconds: readonly SecondBucket[],
  fromMs: Millis,
  toMs: Millis,
  gaps: readonly KnownGap[],
  lateMs: Millis = 5_000,
): Buckets {
  const bucketMs = Math.max(1, Math.ceil((toMs - fromMs) / second / pointsMax)) * second
  const byStart = new Map<Millis, SecondBucket[]>()
  for (const each of seconds) {
    if (each.wallMs < fromMs - bucketMs || each.wallMs > toMs) continue
    const start = Math.floor(each.wallMs / bucketMs) * bucketMs
    const bucket = byStart.get(start)
    if (bucket) bucket.push(each)
    else byStart.set(start, [each])
  }
  const buckets = [...byStart].sort(([a], [b]) => a - b).map(([atMs, own]) => ({ atMs, seconds: own }))
  return { bucketMs, buckets, holes: holesOf(buckets, bucketMs, toMs, gaps, lateMs) }
}

function holesOf(
  buckets: readonly Bucket[],
  bucketMs: Millis,
  toMs: Millis,
  gaps: readonly KnownGap[],
  lateMs: Millis,
): readonly Hole[] {
  const holes: Hole[] = []
  const hole = (fromMs: Millis, until: Millis, otherwise: string) => {
    const known = gaps.find((gap) => gap.toWallMs >= fromMs && gap.fromWallMs <= until)
    holes.push({ fromMs, toMs: until, title: words.overview.charts.hole(known?.why ?? otherwise) })
  }
  for (const [index, { atMs }] of buckets.entries()) {
    const before = buckets[index - 1]
    if (before && atMs - before.atMs > bucketMs)
      hole(before.atMs + bucketMs, atMs, words.overview.charts.holeWhy)
  }
  const last = buckets.at(-1)
  if (last && toMs - last.atMs - bucketMs > lateMs)
    hole(last.atMs + bucketMs, toMs, words.overview.charts.holeTail)
  return holes
}

/** Points of some figures of each bucket, with an empty point in each hole so that lines end there. */
export function pointsOf(
  { buckets, bucketMs }: Buckets,
  figures: (bucket: Bucket) => Readonly<Record<string, number | null>>,
): readonly Point[] {
  return buckets.flatMap((bucket, index) => {
    const point = { atMs: bucket.atMs, values: figures(bucket) }
    const next = buckets[index + 1]
    if (next && next.atMs - bucket.atMs <= bucketMs) return [point]
    const empty = Object.fromEntries(Object.keys(point.values).map((name) => [name, null]))
    return [point, { atMs: bucket.atMs + bucketMs, values: empty }]
  })
}

/** Requests a second of each outcome: the highest second of the bucket, so that a wider range lowers no peak. */
export function outcomeFigures({ seconds }: Bucket): Readonly<Record<OutcomeClass, number>> {
  const figures = { ...(seconds[0] as SecondBucket).outcomes }
  for (const each of seconds)
    for (const name of outcomeClasses) figures[name] = Math.max(figures[name], each.outcomes[name])
  return figures
}

/** The worst second's percentile of the bucket: percentiles are never averaged. */
export function worst(
  { seconds }: Bucket,
  pick: (second: SecondBucket) => Percentiles,
  q: 'p50' | 'p95' | 'p99',
): Millis | null {
  const known = seconds.map((each) => pick(each)[q]).filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** A share of the whole bucket: parts and wholes are added up, then divided. */
export function share({ seconds }: Bucket, pick: (second: SecondBucket) => Share): number | null {
  const sum = seconds.map(pick).reduce((a, b) => ({ part: a.part + b.part, whole: a.whole + b.whole }))
  return ratioOf(sum)
}

/** Largest, mean and least number of requests in flight over the replicas, over the bucket. */
export function inFlightFigures({
  seconds,
}: Bucket): Readonly<Record<'max' | 'mean' | 'min', number | null>> {
  const known = seconds.map(({ inFlight }) => inFlight).filter((each) => each !== null)
  if (known.length === 0) return { max: null, mean: null, min: null }
  return {
    max: Math.max(...known.map(({ max }) => max)),
    mean: known.reduce((sum, { mean }) => sum + mean, 0) / known.length,
    min: Math.min(...known.map(({ min }) => min)),
  }
}
