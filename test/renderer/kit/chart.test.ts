import { describe, expect, test } from 'vitest'
import { csvOf } from '../../../src-renderer/kit/chart/chart-data'
import {
  type ChartModel,
  clustered,
  highest,
  lettersOf,
  pointAt,
  type Series,
} from '../../../src-renderer/kit/chart/model'
import { timeTicks, valueTicks } from '../../../src-renderer/kit/chart/scale'
import { type Column, nextSort, sorted } from '../../../src-renderer/kit/table/columns'

describe('ticks', () => {
  test.each([
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
    [0.9, [0, 0.25, 0.5, 0.75, 1]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [7, [0, 2, 4, 6, 8]],
    [24, [0, 10, 20, 30]],
    [1_840, [0, 500, 1_000, 1_500, 2_000]],
  ])('%d: at most five lines, from zero, the last not below the value', (largest, ticks) => {
    expect(valueTicks(largest)).toEqual(ticks)
  })
  test.each([300, 900, 3_600, 86_400])('%d s of time: round and few', (seconds) => {
    const ticks = timeTicks(1_000_123, 1_000_123 + seconds * 1_000)
    expect(ticks.length).toBeGreaterThanOrEqual(3)
    expect(ticks.length).toBeLessThanOrEqual(8)
    expect(ticks.every((tick) => tick % 10_000 === 0)).toBe(true)
  })
})

const series: readonly Series[] = [
  { id: 'a', title: 'A', series: 'series-1', kind: 'area' },
  { id: 'b', title: 'B, "b"', series: 'series-2', kind: 'area' },
]
const points = [
  { atMs: 0, values: { a: 1, b: 2 } },
  { atMs: 1_000, values: { a: 3, b: null } },
]
const model: ChartModel = {
  title: 'T',
  unit: 'req/s',
  series,
  points,
  holes: [],
  marks: [],
  fromMs: 0,
  toMs: 2_000,
  watermark: 'DEMO',
  topMax: null,
  write: String,
  writeTick: String,
  writeTime: String,
}

test('areas are as high as their stack, lines as the highest of them', () => {
  expect(highest(series, points)).toBe(3)
  expect(
    highest(
      series.map((each) => ({ ...each, kind: 'line' as const })),
      points,
    ),
  ).toBe(3)
  expect(highest(series, [{ atMs: 0, values: { a: 5, b: 6 } }])).toBe(11)
})

test('the point under the pointer is the last before it, and none in a hole', () => {
  expect(pointAt(points, 1_400, 1_000)).toBe(points[1])
  expect(pointAt(points, 9_000, 1_000)).toBeNull()
  expect(pointAt(points, -1, 1_000)).toBeNull()
})

test.each([
  ['S', 'S'],
  ['SSS', 'S×3'],
  ['NS', 'NS'],
  ['NSN', 'NS'],
])('%s is drawn as %s', (letters, text) => {
  expect(lettersOf([...letters].map((letter) => ({ letter })))).toBe(text)
})

test('letters that would overlap become one', () => {
  const mark = (id: string, atMs: number) => ({ id, atMs, letter: 'S', title: id })
  const groups = clustered([mark('c', 300), mark('a', 0), mark('b', 10)], (atMs) => atMs, 24)
  expect(groups.map(({ all }) => all.map(({ id }) => id))).toEqual([['a', 'b'], ['c']])
})

test('an export has raw numbers, UTC times, units and the environment in its heading', () => {
  expect(csvOf(model).split('\r\n')).toEqual([
    'time (UTC) DEMO,A (req/s),"B, ""b"" (req/s)"',
    '1970-01-01T00:00:00.000Z,1,2',
    '1970-01-01T00:00:01.000Z,3,',
  ])
})

describe('sorting', () => {
  type Row = { readonly id: string; readonly n: number | null }
  const columns: readonly Column<Row>[] = [
    { id: 'id', title: 'Id', width: '1rem', sortBy: ({ id }) => id, cell: ({ id }) => id },
    { id: 'n', title: 'N', width: '1rem', sortBy: ({ n }) => n, cell: ({ n }) => n },
  ]
  const rows = [
    { id: 'r10', n: null },
    { id: 'r2', n: 5 },
    { id: 'r1', n: 5 },
    { id: 'r3', n: 9 },
  ]
  test.each([
    ['its own order', null, 'r10 r2 r1 r3'],
    ['falling; unknown last, equals as they came', { id: 'n', descending: true }, 'r3 r2 r1 r10'],
    ['rising; unknown still last', { id: 'n', descending: false }, 'r2 r1 r3 r10'],
    ['ids by their numbers', { id: 'id', descending: false }, 'r1 r2 r3 r10'],
    ['a column that is not there', { id: 'x', descending: true }, 'r10 r2 r1 r3'],
  ] as const)('%s', (_, sort, order) => {
    expect(
      sorted(rows, columns, sort)
        .map(({ id }) => id)
        .join(' '),
    ).toBe(order)
  })
  test('a heading goes from falling to rising to none', () => {
    const first = nextSort(null, 'n')
    const second = nextSort(first, 'n')
    expect([first, second, nextSort(second, 'n')]).toEqual([
      { id: 'n', descending: true },
      { id: 'n', descending: false },
      null,
    ])
  })
})
