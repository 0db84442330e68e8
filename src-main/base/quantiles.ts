/**
 * Sketch: a mergeable histogram with logarithmic buckets (the idea of DDSketch, Masson et al., VLDB 2019). A quantile
 * is at most `relativeError` away from a real value of that rank; minimum and maximum are exact. Percentiles of
 * several windows come from merged sketches, never from averaged percentiles.
 */
export interface Sketch {
  /** Bucket index → count, for values > 0. Plain data. */
  readonly buckets: Map<number, number>
  zeros: number
  count: number
  sum: number
  min: number
  max: number
}

/** 1 %: half a bucket's width. */
export const relativeError = 0.01
const gamma = (1 + relativeError) / (1 - relativeError)
const logGamma = Math.log(gamma)

/** An empty sketch. */
export const emptySketch = (): Sketch => ({
  buckets: new Map(),
  zeros: 0,
  count: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
})

/** Counts one value; negative and non-finite values are refused by an assertion-free skip, since they carry no rank. */
export function record(sketch: Sketch, value: number): void {
  if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return
  sketch.count++
  sketch.sum += value
  if (value < sketch.min) sketch.min = value
  if (value > sketch.max) sketch.max = value
  if (value === 0) {
    sketch.zeros++
    return
  }
  const bucket = Math.ceil(Math.log(value) / logGamma)
  sketch.buckets.set(bucket, (sketch.buckets.get(bucket) ?? 0) + 1)
}

/** Adds what `other` has counted. */
export function merge(into: Sketch, other: Sketch): void {
  into.count += other.count
  into.zeros += other.zeros
  into.sum += other.sum
  into.min = Math.min(into.min, other.min)
  into.max = Math.max(into.max, other.max)
  for (const [bucket, count] of other.buckets)
    into.buckets.set(bucket, (into.buckets.get(bucket) ?? 0) + count)
}

/** A sketch as plain data, to cross a process boundary: pairs of bucket index and count, one after the other. */
export interface PackedSketch {
  readonly pairs: readonly number[]
  readonly zeros: number
  readonly sum: number
  readonly min: number
  readonly max: number
}

/** Packs a sketch; null when nothing was counted. */
export function pack({ buckets, zeros, count, sum, min, max }: Sketch): PackedSketch | null {
  if (count === 0) return null
  const pairs: number[] = []
  for (const [bucket, counted] of buckets) pairs.push(bucket, counted)
  return { pairs, zeros, sum, min, max }
}

/** Adds what a packed sketch has counted. */
export function mergePacked(into: Sketch, { pairs, zeros, sum, min, max }: PackedSketch): void {
  into.zeros += zeros
  into.count += zeros
  into.sum += sum
  into.min = Math.min(into.min, min)
  into.max = Math.max(into.max, max)
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const bucket = pairs[at] as number
    const counted = pairs[at + 1] as number
    into.buckets.set(bucket, (into.buckets.get(bucket) ?? 0) + counted)
    into.count += counted
  }
}

/** The value of rank `q` (0 to 1), or null when nothing was counted. */
export function quantile(sketch: Sketch, q: number): number | null {
  if (sketch.count === 0) return null
  const rank = q * (sketch.count - 1)
  if (rank < sketch.zeros) return 0
  let seen = sketch.zeros
  for (const bucket of [...sketch.buckets.keys()].sort((a, b) => a - b)) {
    seen += sketch.buckets.get(bucket) ?? 0
    if (seen > rank) return clamp((2 * gamma ** bucket) / (gamma + 1), sketch.min, sketch.max)
  }
  return sketch.max
}

/** The exact value of rank `q` of a few values, linear between neighbours; null when there are none. */
export function exactQuantile(values: readonly number[], q: number): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const rank = q * (sorted.length - 1)
  const low = sorted[Math.floor(rank)] as number
  const high = sorted[Math.ceil(rank)] as number
  return low + (high - low) * (rank - Math.floor(rank))
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high)
