import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  emptySketch,
  exactQuantile,
  merge,
  mergePacked,
  pack,
  quantile,
  record,
  relativeError,
} from '../../src-main/base/quantiles'

const sketchOf = (values: readonly number[]) => {
  const sketch = emptySketch()
  for (const value of values) record(sketch, value)
  return sketch
}
const values = fc.array(fc.double({ min: 0, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 200 })

describe('a sketch', () => {
  test('is within its error of a value of that rank', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, q) => {
        const sorted = [...list].sort((a, b) => a - b)
        const low = sorted[Math.floor(q * (list.length - 1))] as number
        const high = sorted[Math.ceil(q * (list.length - 1))] as number
        const found = quantile(sketchOf(list), q) as number
        expect(found).toBeGreaterThanOrEqual(low * (1 - 2 * relativeError))
        expect(found).toBeLessThanOrEqual(high * (1 + 2 * relativeError))
      }),
      { seed: 1 },
    )
  })
  test('merged, also by way of its packed form, is the sketch of all values', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const whole = sketchOf([...a, ...b])
        const merged = sketchOf(a)
        merge(merged, sketchOf(b))
        const crossed = sketchOf(a)
        const packed = pack(sketchOf(b))
        if (packed) mergePacked(crossed, JSON.parse(JSON.stringify(packed)))
        for (const each of [merged, crossed]) {
          expect([each.count, each.zeros, each.min, each.max]).toEqual([
            whole.count,
            whole.zeros,
            whole.min,
            whole.max,
          ])
          expect([...each.buckets].sort()).toEqual([...whole.buckets].sort())
        }
      }),
      { seed: 2 },
    )
  })
  test('keeps minimum and maximum exactly, so that a spike is never smoothed', () => {
    const sketch = sketchOf([...Array(10_000).fill(1), 12_345.6])
    expect([sketch.max, quantile(sketch, 1), quantile(sketch, 0.5)]).toEqual([12_345.6, 12_345.6, 1])
  })
  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('passes over %s, which has no rank', (value) => {
    expect(sketchOf([value]).count).toBe(0)
  })
  test('of nothing has no quantile, and nothing to pack', () => {
    expect([quantile(emptySketch(), 0.5), pack(emptySketch()), exactQuantile([], 0.5)]).toEqual([
      null,
      null,
      null,
    ])
  })
})

test.each([
  [[1, 2, 3, 4], 0.5, 2.5],
  [[4, 1], 1, 4],
  [[7], 0.99, 7],
])('exact: rank %j %d is %d', (list, q, value) => {
  expect(exactQuantile(list, q)).toBe(value)
})
