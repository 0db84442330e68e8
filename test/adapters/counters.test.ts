import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCounterWindow, totalOf } from '../../src-main/adapters/metrics/counter-window'
import { bucketsOf, histogramQuantile } from '../../src-main/adapters/metrics/histogram-quantile'
import {
  countersOf,
  enginePage,
  gaugeOf,
  type Meaning,
  speaksOf,
  vllmMetrics,
} from '../../src-main/adapters/metrics/metric-aliases'
import { readMetricPage } from '../../src-main/adapters/metrics/prometheus-text'

const pageOf = (...lines: string[]) => enginePage(readMetricPage(`${lines.join('\n')}\n`), vllmMetrics)
const counters = (...values: number[]) => ({
  keys: values.map((_, at) => `c${at}`),
  values: Float64Array.from(values),
  bounds: [],
})

describe('counters over a window', () => {
  const rows = [
    { name: 'one sample says nothing', steps: [[0, 5]], growth: null },
    {
      name: 'two samples say the difference',
      steps: [
        [0, 5],
        [1_000, 8],
      ],
      growth: [3, 1_000],
    },
    {
      name: 'a standing counter grew by 0',
      steps: [
        [0, 5],
        [1_000, 5],
      ],
      growth: [0, 1_000],
    },
    {
      name: '[F56] a counter that went down is a reset: unknown, not negative',
      steps: [
        [0, 50],
        [1_000, 60],
        [2_000, 3],
      ],
      growth: null,
    },
    {
      name: '[F56] after a reset it counts from the new start',
      steps: [
        [0, 50],
        [1_000, 3],
        [2_000, 10],
      ],
      growth: [7, 1_000],
    },
    {
      name: 'the window forgets what is older than its span',
      steps: [
        [0, 0],
        [5_000, 10],
        [12_000, 40],
      ],
      growth: [30, 7_000],
    },
  ] as const
  test.each(rows)('$name', ({ steps, growth }) => {
    const window = createCounterWindow(10_000)
    for (const [at, value] of steps) window.add(at, counters(value))
    const grown = window.growth()
    expect(grown === null ? null : [totalOf(grown), grown.overMs]).toEqual(growth)
  })

  test('[F56] one of several series that was reset resets them all, and is counted', () => {
    const window = createCounterWindow(10_000)
    window.add(0, counters(5, 100))
    window.add(1_000, counters(6, 2))
    expect(window.growth()).toBeNull()
    expect(window.resets).toBe(1)
  })

  test('a changed set of series is a reset', () => {
    const window = createCounterWindow(10_000)
    window.add(0, counters(5))
    window.add(1_000, counters(6, 7))
    expect(window.growth()).toBeNull()
  })

  test('[SR-076] whatever the values, growth is never negative', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { minLength: 2, maxLength: 60 }), (values) => {
        const window = createCounterWindow(20_000)
        for (const [at, value] of values.entries()) {
          window.add(at * 1_000, counters(value))
          expect(totalOf(window.growth() ?? { by: new Float64Array(1), overMs: 0 })).toBeGreaterThanOrEqual(0)
        }
      }),
      { seed: 11, numRuns: 500 },
    )
  }, 30_000)
})

describe('quantiles of a histogram', () => {
  const bounds = [0.1, 0.2, 0.4, Number.POSITIVE_INFINITY]
  test.each([
    { name: 'linear inside the bucket', counts: [0, 10, 10, 10], q: 0.5, value: 0.15 },
    { name: 'the first bucket begins at 0', counts: [10, 10, 10, 10], q: 0.5, value: 0.05 },
    { name: 'spread over buckets', counts: [2, 4, 8, 8], q: 0.75, value: 0.3 },
    {
      name: 'above the last finite bound there is no number',
      counts: [0, 0, 1, 10],
      q: 0.99,
      value: 'beyond',
    },
    { name: 'no observations, no value', counts: [0, 0, 0, 0], q: 0.5, value: null },
  ])('$name', ({ counts, q, value }) => {
    const found = histogramQuantile(bucketsOf(bounds, counts), q)
    if (typeof value === 'number') expect(found).toBeCloseTo(value, 10)
    else expect(found).toBe(value)
  })

  test('ranks are added by bound before the quantile, never averaged after it', () => {
    const two = bucketsOf([...bounds, ...bounds], [10, 10, 10, 10, 0, 0, 10, 10])
    expect(two.counts).toEqual([10, 10, 20, 20])
    expect(histogramQuantile(two, 0.5)).toBeCloseTo(0.1, 10)
  })

  test('a histogram without a bucket up to infinity has no quantile', () => {
    expect(histogramQuantile(bucketsOf([0.1, 0.2], [1, 2]), 0.5)).toBeNull()
  })
})

describe('names of metrics', () => {
  test.each<{ meaning: Meaning; line: string; value: number | string }>([
    { meaning: 'running', line: 'vllm:num_requests_running{engine="0"} 3', value: 3 },
    {
      meaning: 'running',
      line: 'vllm:num_requests_running{engine="0"} 3\nvllm:num_requests_running{engine="1"} 4',
      value: 7,
    },
    { meaning: 'kvUsedRatio', line: 'vllm:kv_cache_usage_perc 0.25', value: 0.25 },
    { meaning: 'kvUsedRatio', line: 'vllm:gpu_cache_usage_perc 0.5', value: 0.5 },
    {
      meaning: 'kvUsedRatio',
      line: 'vllm:gpu_cache_usage_perc 0.5\nvllm:kv_cache_usage_perc 0.25',
      value: 0.25,
    },
    {
      meaning: 'kvUsedRatio',
      line: 'vllm:kv_cache_usage_perc{engine="0"} 0.2\nvllm:kv_cache_usage_perc{engine="1"} 0.9',
      value: 0.9,
    },
    { meaning: 'waiting', line: 'vllm:num_requests_running 1', value: 'not-exported' },
    { meaning: 'waiting', line: 'vllm:num_requests_waiting_renamed 1', value: 'not-exported' },
    { meaning: 'waiting', line: 'vllm:num_requests_waiting NaN', value: 'never-received' },
    { meaning: 'waiting', line: 'vllm:num_requests_waiting +Inf', value: 'never-received' },
    { meaning: 'waiting', line: 'vllm:num_requests_waiting -1', value: 'never-received' },
    { meaning: 'waiting', line: 'vllm:num_requests_waiting 1e999', value: 'never-received' },
    {
      meaning: 'waiting',
      line: 'vllm:num_requests_waiting{e="0"} 2\nvllm:num_requests_waiting{e="1"} NaN',
      value: 'never-received',
    },
  ])('[F61] $meaning of $line is $value', ({ meaning, line, value }) => {
    expect(gaugeOf(pageOf(line), meaning)).toBe(value)
  })

  test.each([
    ['NaN', 'never-received'],
    ['-5', 'never-received'],
    ['+Inf', 'never-received'],
  ])('[SR-075] a counter of %s never reaches arithmetic', (value, absence) => {
    expect(countersOf(pageOf(`vllm:generation_tokens_total ${value}`), 'outputTokens')).toBe(absence)
  })

  test('histogram buckets come with their bounds', () => {
    const page = pageOf(
      'vllm:time_to_first_token_seconds_bucket{le="0.5"} 1',
      'vllm:time_to_first_token_seconds_bucket{le="+Inf"} 2',
    )
    const columns = countersOf(page, 'ttftSeconds')
    expect(columns).toMatchObject({ bounds: [Number.POSITIVE_INFINITY, 0.5] })
  })

  test('a page of another program is told by its prefix', () => {
    expect(speaksOf(pageOf('vllm:x 1'))).toBe(true)
    expect(speaksOf(pageOf('sglang:num_running_reqs 1'))).toBe(false)
  })
})
