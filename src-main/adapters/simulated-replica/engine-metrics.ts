import type { Millis } from '../../base/units'
import type { Micros } from '../../sim/cost-model'
import type { Preset } from '../../sim/presets'
import type { EngineStats } from '../../sim/replica-model'
import type { FinishReason } from '../../sim/sequence'
import type { EngineObserver, Job } from './engine'
import {
  bounds125,
  createHistogram,
  createPrometheusWriter,
  type Histogram,
  type Labels,
  type PrometheusWriter,
} from './prometheus-writer'

/**
 * The books of one replica, told as vLLM's V1 engine tells them at `GET /metrics`, under its current names.
 *
 * All times are seconds of the wall clock, as someone outside would measure them: first token, gaps between tokens and
 * whole requests by the clock when the token was handed to the connection (tokens that fall due in one wake-up have a gap of
 * zero, since they leave together); queue, prefill, decode and inference time by the engine's virtual time over the
 * speed. A replica that runs ten times as fast shows a tenth of its preset's times.
 */
export interface EngineMetrics extends EngineObserver {
  /** A request came in. */
  accepted(outputTokensMax: number | null): void
  text(stats: EngineStats): string
}

/** Default buckets of vLLM, seconds or tokens; operators of real engines may replace theirs. */
const firstTokenBounds = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640,
  2_560,
]
const gapBounds = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
]
const phaseBounds = [
  0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1_920, 7_680,
]
const stepBounds = [1, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384]
const choiceBounds = [1, 2, 5, 10, 20]

/** Histograms by name, with what they hold, in vLLM's order. */
const histogramHelp = {
  'vllm:iteration_tokens_total': 'Histogram of number of tokens per engine_step.',
  'vllm:request_params_max_tokens': 'Histogram of the max_tokens request parameter.',
  'vllm:request_params_n': 'Histogram of the n request parameter.',
  'vllm:request_prompt_tokens': 'Number of prefill tokens processed.',
  'vllm:request_generation_tokens': 'Number of generation tokens processed.',
  'vllm:time_to_first_token_seconds': 'Histogram of time to first token in seconds.',
  'vllm:inter_token_latency_seconds': 'Histogram of inter-token latency in seconds.',
  'vllm:request_time_per_output_token_seconds': 'Histogram of time_per_output_token_seconds per request.',
  'vllm:e2e_request_latency_seconds': 'Histogram of e2e request latency in seconds.',
  'vllm:request_queue_time_seconds': 'Histogram of time spent in WAITING phase for request.',
  'vllm:request_inference_time_seconds': 'Histogram of time spent in RUNNING phase for request.',
  'vllm:request_prefill_time_seconds': 'Histogram of time spent in PREFILL phase for request.',
  'vllm:request_decode_time_seconds': 'Histogram of time spent in DECODE phase for request.',
} as const
type HistogramName = keyof typeof histogramHelp

function boundsOf(name: HistogramName, tokensMax: number): readonly number[] {
  switch (name) {
    case 'vllm:iteration_tokens_total':
      return stepBounds
    case 'vllm:request_params_n':
      return choiceBounds
    case 'vllm:request_params_max_tokens':
    case 'vllm:request_prompt_tokens':
    case 'vllm:request_generation_tokens':
      return bounds125(tokensMax)
    case 'vllm:time_to_first_token_seconds':
      return firstTokenBounds
    case 'vllm:inter_token_latency_seconds':
    case 'vllm:request_time_per_output_token_seconds':
      return gapBounds
    default:
      return phaseBounds
  }
}

interface MetricsParts {
  readonly preset: Preset
  readonly model: string
  readonly speed: number
  /** When the replica started, ms since 1970. */
  readonly startedWallMs: Millis
}

/** Empty books. */
export function createEngineMetrics({ preset, model, speed, startedWallMs }: MetricsParts): EngineMetrics {
  const names = Object.keys(histogramHelp) as HistogramName[]
  const histograms = Object.fromEntries(
    names.map((name) => [name, createHistogram(boundsOf(name, preset.modelTokensMax))]),
  ) as Record<HistogramName, Histogram>
  const counted = { prompt: 0, generated: 0 }
  const finishes = { stop: 0, length: 0, abort: 0, error: 0 }
  const labels = { model_name: model, engine: '0' }
  const created = startedWallMs / 1_000
  const observe = (name: HistogramName, value: number) => histograms[name].observe(value)

  return {
    accepted(outputTokensMax) {
      observe('vllm:request_params_n', 1)
      if (outputTokensMax !== null) observe('vllm:request_params_max_tokens', outputTokensMax)
    },
    token(job, gapMs) {
      counted.generated++
      if (job.produced === 0) {
        counted.prompt += job.sequence.request.promptTokens
        observe('vllm:time_to_first_token_seconds', gapMs / 1_000)
      } else observe('vllm:inter_token_latency_seconds', gapMs / 1_000)
    },
    finished(job, reason, nowMs) {
      finishes[reason]++
      if (reason === 'abort') return
      for (const [name, value] of requestValues(job, nowMs, speed, preset.frontUs)) observe(name, value)
    },
    step: (tokens) => observe('vllm:iteration_tokens_total', tokens),
    text(stats) {
      const writer = createPrometheusWriter()
      writeLevels(writer, labels, stats)
      writeCounters(writer, { labels, stats, counted, finishes, created })
      for (const name of names) writer.histogram(name, histogramHelp[name], labels, histograms[name], created)
      writeConfig(writer, preset, stats.blocks)
      writer.gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', [
        [{}, created],
      ])
      return writer.text()
    },
  }
}

/** What a whole request adds, wall seconds or tokens. */
function requestValues(
  job: Job,
  nowMs: Millis,
  speed: number,
  frontUs: Micros,
): readonly (readonly [HistogramName, number])[] {
  const { request, arrivedUs, scheduledUs, firstTokenUs, lastTokenUs, generated } = job.sequence
  const seconds = (fromUs: Micros | null, toUs: Micros | null) =>
    fromUs === null || toUs === null ? 0 : (toUs - fromUs) / 1e6 / speed
  const decode = seconds(firstTokenUs, lastTokenUs)
  return [
    ['vllm:e2e_request_latency_seconds', (nowMs - job.receivedMs) / 1_000],
    ['vllm:request_queue_time_seconds', seconds(arrivedUs + frontUs, scheduledUs)],
    ['vllm:request_prefill_time_seconds', seconds(scheduledUs, firstTokenUs)],
    ['vllm:request_decode_time_seconds', decode],
    ['vllm:request_inference_time_seconds', seconds(scheduledUs, lastTokenUs)],
    ['vllm:request_prompt_tokens', request.promptTokens],
    ['vllm:request_generation_tokens', generated],
    ...(generated > 1
      ? ([['vllm:request_time_per_output_token_seconds', decode / (generated - 1)]] as const)
      : []),
  ]
}

function writeLevels(writer: PrometheusWriter, labels: Labels, stats: EngineStats): void {
  writer.gauge('vllm:num_requests_running', 'Number of requests in model execution batches.', [
    [labels, stats.running],
  ])
  writer.gauge('vllm:num_requests_waiting', 'Number of requests waiting to be processed.', [
    [labels, stats.waiting],
  ])
  writer.gauge('vllm:kv_cache_usage_perc', 'KV-cache usage. 1 means 100 percent usage.', [
    [labels, stats.kvUsedRatio],
  ])
}

interface Counters {
  readonly labels: Labels
  readonly stats: EngineStats
  readonly counted: { readonly prompt: number; readonly generated: number }
  readonly finishes: Readonly<Record<FinishReason | 'error', number>>
  readonly created: number
}

function writeCounters(
  writer: PrometheusWriter,
  { labels, stats, counted, finishes, created }: Counters,
): void {
  const one = (name: string, help: string, value: number) =>
    writer.counter(name, help, [[labels, value]], created)
  one(
    'vllm:prefix_cache_queries',
    'Prefix cache queries, in terms of number of queried tokens.',
    stats.queriedTokens,
  )
  one('vllm:prefix_cache_hits', 'Prefix cache hits, in terms of number of cached tokens.', stats.hitTokens)
  one('vllm:num_preemptions', 'Cumulative number of preemption from the engine.', stats.preemptions)
  one('vllm:prompt_tokens', 'Number of prefill tokens processed.', counted.prompt)
  one('vllm:generation_tokens', 'Number of generation tokens processed.', counted.generated)
  writer.counter(
    'vllm:request_success',
    'Count of successfully processed requests.',
    Object.entries(finishes).map(([reason, count]) => [{ ...labels, finished_reason: reason }, count]),
    created,
  )
}

function writeConfig(writer: PrometheusWriter, preset: Preset, blocks: number): void {
  const config = {
    block_size: `${preset.blockTokens}`,
    cache_dtype: 'auto',
    enable_prefix_caching: 'True',
    engine: '0',
    gpu_memory_utilization: '0.9',
    num_gpu_blocks: `${blocks}`,
  }
  writer.gauge('vllm:cache_config_info', 'Information of the LLMEngine CacheConfig', [[config, 1]])
}
