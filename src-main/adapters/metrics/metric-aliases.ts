import type { Absence } from '../../domain/fleet/reading'
import type { Sample } from './exposition-line'
import { type MetricPage, seriesKey } from './prometheus-text'

/** What a figure means to us, whatever an engine calls it. */
export type Meaning =
  | 'running'
  | 'waiting'
  | 'kvUsedRatio'
  | 'cachedPromptTokens'
  | 'promptTokens'
  | 'outputTokens'
  | 'preemptions'
  | 'ttftSeconds'
  | 'itlSeconds'
  | 'processStartSeconds'

/** One name of a figure and the versions that use it, newest name first in its list. */
export interface MetricName {
  readonly name: string
  readonly versions: string
}

/** How an engine exports one figure. */
export interface MetricAlias {
  readonly type: 'gauge' | 'counter' | 'histogram'
  /** Several series of one name (data-parallel ranks): counts are added, of ratios the largest stands. */
  readonly combine: 'sum' | 'max'
  readonly names: readonly MetricName[]
}

/** The names of one engine. */
export interface EngineMetrics {
  readonly engine: string
  /** Prefix of all its own series, by which its pages are told from others. */
  readonly prefix: string
  readonly aliases: Readonly<Record<Meaning, MetricAlias>>
}

const alias = (
  type: MetricAlias['type'],
  combine: MetricAlias['combine'],
  ...names: readonly (readonly [string, string])[]
): MetricAlias => ({ type, combine, names: names.map(([name, versions]) => ({ name, versions })) })

/**
 * vLLM's names (docs/serving metrics of V1 and V0, and pull request 18354 for the KV rename). Prefix cache counters
 * count tokens; the KV gauge is a fraction in spite of its name and leaves cached but free blocks out.
 */
export const vllmMetrics: EngineMetrics = {
  engine: 'vllm',
  prefix: 'vllm:',
  aliases: {
    running: alias('gauge', 'sum', ['vllm:num_requests_running', 'all']),
    waiting: alias('gauge', 'sum', ['vllm:num_requests_waiting', 'all']),
    kvUsedRatio: alias(
      'gauge',
      'max',
      ['vllm:kv_cache_usage_perc', 'V1 since 0.9.2'],
      ['vllm:gpu_cache_usage_perc', 'V0 and early V1'],
    ),
    cachedPromptTokens: alias(
      'counter',
      'sum',
      ['vllm:prefix_cache_hits_total', 'V1'],
      ['vllm:gpu_prefix_cache_hits_total', 'early V1'],
    ),
    promptTokens: alias(
      'counter',
      'sum',
      ['vllm:prefix_cache_queries_total', 'V1'],
      ['vllm:gpu_prefix_cache_queries_total', 'early V1'],
    ),
    outputTokens: alias('counter', 'sum', ['vllm:generation_tokens_total', 'all']),
    preemptions: alias('counter', 'sum', ['vllm:num_preemptions_total', 'all']),
    ttftSeconds: alias('histogram', 'sum', ['vllm:time_to_first_token_seconds', 'all']),
    itlSeconds: alias(
      'histogram',
      'sum',
      ['vllm:inter_token_latency_seconds', 'V1 since 0.11'],
      ['vllm:time_per_output_token_seconds', 'older'],
    ),
    processStartSeconds: alias('gauge', 'max', ['process_start_time_seconds', 'one API server process']),
  },
}

/** A page by sample name, with the table that tells what the names mean. */
export interface EnginePage {
  readonly metrics: EngineMetrics
  readonly byName: ReadonlyMap<string, readonly Sample[]>
}

/** Sorts a page by name. */
export function enginePage(page: MetricPage, metrics: EngineMetrics): EnginePage {
  const byName = new Map<string, Sample[]>()
  for (const sample of page.samples) {
    const own = byName.get(sample.name)
    if (own) own.push(sample)
    else byName.set(sample.name, [sample])
  }
  return { metrics, byName }
}

/** True when the page holds at least one series of the engine. */
export const speaksOf = ({ metrics, byName }: EnginePage): boolean =>
  [...byName.keys()].some((name) => name.startsWith(metrics.prefix))

/** A gauge over all its series: `not-exported` without the name, `never-received` for NaN, infinite or negative. */
export function gaugeOf(page: EnginePage, meaning: Meaning): number | Absence {
  const samples = samplesOf(page, meaning, '')
  if (samples === null) return 'not-exported'
  const values = samples.map(({ value }) => value)
  if (!values.every(isCount)) return 'never-received'
  return page.metrics.aliases[meaning].combine === 'sum'
    ? values.reduce((sum, value) => sum + value, 0)
    : Math.max(...values)
}

/** Counters in columns, one entry a series, in a steady order. */
export interface CounterColumns {
  readonly keys: readonly string[]
  readonly values: Float64Array
  /** Upper bounds of a histogram's buckets, beside the keys; empty for plain counters. */
  readonly bounds: readonly number[]
}

/** The series of a counter, or of a histogram's buckets. */
export function countersOf(page: EnginePage, meaning: Meaning): CounterColumns | Absence {
  const histogram = page.metrics.aliases[meaning].type === 'histogram'
  const samples = samplesOf(page, meaning, histogram ? '_bucket' : '')
  if (samples === null) return 'not-exported'
  if (!samples.every(({ value }) => isCount(value))) return 'never-received'
  const sorted = samples
    .map((sample) => ({ key: seriesKey(sample), sample }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const bounds = histogram ? sorted.map(({ sample }) => boundOf(sample)) : []
  if (bounds.some(Number.isNaN)) return 'never-received'
  return {
    keys: sorted.map(({ key }) => key),
    values: Float64Array.from(sorted, ({ sample }) => sample.value),
    bounds,
  }
}

const isCount = (value: number) => Number.isFinite(value) && value >= 0
const boundOf = ({ labels }: Sample) => {
  const le = labels.get('le')
  return le === undefined ? Number.NaN : le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
}

/** The samples under the first of the meaning's names that the page has. */
function samplesOf(page: EnginePage, meaning: Meaning, suffix: string): readonly Sample[] | null {
  for (const { name } of page.metrics.aliases[meaning].names) {
    const samples = page.byName.get(name + suffix)
    if (samples) return samples
  }
  return null
}
