import { describe, expect, test, vi } from 'vitest'
import { connectors } from '../../../src-main/adapters/connectors'
import { createHttpGet } from '../../../src-main/adapters/http/get'
import { readMetricPage } from '../../../src-main/adapters/metrics/prometheus-text'
import { nodeClock } from '../../../src-main/adapters/node/clock'
import { nodeNet } from '../../../src-main/adapters/node/net'
import { nodeTimers } from '../../../src-main/adapters/node/timers'
import { known } from '../../../src-main/domain/fleet/reading'
import { ask, metric, openReplica } from '../../helpers/simulated-replica'

vi.setConfig({ testTimeout: 20_000 }) // real sockets on a machine that may be busy

const chat = async (url: string, content: string, maxTokens = 20) => {
  const reply = await ask(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content }], max_tokens: maxTokens }),
  })
  return ((await reply.json()) as { usage: { prompt_tokens: number } }).usage.prompt_tokens
}

describe('/metrics', () => {
  test('every line parses; names and labels are vLLM’s, also for a model name with quotes', async () => {
    const model = 'a "quoted\\model"\n{x}'
    const { url } = await openReplica({ model })
    const page = readMetricPage(await (await ask(`${url}/metrics`)).text())
    expect(page).toMatchObject({ skippedCount: 0, cut: null })
    const own = page.samples.filter(
      ({ name }) => name.startsWith('vllm:') && name !== 'vllm:cache_config_info',
    )
    expect(own.length).toBeGreaterThan(100)
    for (const { labels } of own) {
      expect(labels.get('model_name')).toBe(model)
      expect(labels.get('engine')).toBe('0')
    }
  })

  test('counters and histograms say what was done', async () => {
    const { url } = await openReplica()
    const before = nodeClock.wallMs()
    const text = 'Tell me about the bridge. '.repeat(20)
    const tokens = await chat(url, text)
    await chat(url, text)
    const cached = Math.floor((tokens - 1) / 16) * 16
    const figures = {
      'vllm:prompt_tokens_total': 2 * tokens,
      'vllm:generation_tokens_total': 40,
      'vllm:prefix_cache_queries_total': 2 * tokens,
      'vllm:prefix_cache_hits_total': cached,
      'vllm:num_preemptions_total': 0,
      'vllm:num_requests_running': 0,
      'vllm:num_requests_waiting': 0,
      'vllm:kv_cache_usage_perc': 0,
      'vllm:time_to_first_token_seconds_count': 2,
      'vllm:inter_token_latency_seconds_count': 38,
      'vllm:e2e_request_latency_seconds_count': 2,
      'vllm:request_queue_time_seconds_count': 2,
      'vllm:request_time_per_output_token_seconds_count': 2,
      'vllm:request_prompt_tokens_sum': 2 * tokens,
      'vllm:request_generation_tokens_sum': 40,
      'vllm:request_params_max_tokens_sum': 40,
      'vllm:iteration_tokens_total_sum': tokens + (tokens - cached) + 38,
    }
    for (const [name, value] of Object.entries(figures))
      expect([name, await metric(url, name)]).toEqual([name, value])
    expect(await metric(url, 'vllm:request_success_total', { finished_reason: 'length' })).toBe(2)
    expect(await metric(url, 'vllm:request_success_total', { finished_reason: 'stop' })).toBe(0)
    expect(Math.abs((await metric(url, 'process_start_time_seconds')) * 1_000 - before)).toBeLessThan(5_000)
  })

  test('times are wall seconds: ten times the speed, a tenth of the time', async () => {
    const sums = async (speed: number) => {
      const { url } = await openReplica({ speed })
      await chat(url, 'x'.repeat(20_000), 2)
      return metric(url, 'vllm:request_prefill_time_seconds_sum')
    }
    const [slow, fast] = [await sums(2), await sums(20)]
    expect(slow).toBeGreaterThan(0.05) // 5,000 tokens: 163 ms of engine time
    expect(slow / fast).toBeCloseTo(10, 1)
  })

  test('first-token time is at least the engine’s own, front time included', async () => {
    const { url } = await openReplica({ speed: 2 })
    await chat(url, 'x'.repeat(20_000), 2)
    const firstToken = await metric(url, 'vllm:time_to_first_token_seconds_sum')
    expect(firstToken).toBeGreaterThanOrEqual((0.163 + 0.009) / 2 - 0.002)
    expect(await metric(url, 'vllm:e2e_request_latency_seconds_sum')).toBeGreaterThanOrEqual(firstToken)
  })

  test('the capacity can be read off', async () => {
    const { url } = await openReplica({ kvTokens: 10_000 })
    const page = readMetricPage(await (await ask(`${url}/metrics`)).text())
    const config = page.samples.find(({ name }) => name === 'vllm:cache_config_info')
    expect(config?.value).toBe(1)
    expect(Number(config?.labels.get('block_size')) * Number(config?.labels.get('num_gpu_blocks'))).toBe(
      10_000,
    )
  })

  test('our own vLLM connector reads it like any other engine', async () => {
    const { url } = await openReplica()
    const source = connectors
      .get('vllm')
      .open(
        { id: 'r1', model: 'demo-8b', url },
        { clock: nodeClock, get: createHttpGet(nodeNet, nodeTimers) },
      )
    const read = async () => {
      const report = await source.read(new AbortController().signal)
      if (!report.ok || !report.value.readings.ok) throw new Error('not read')
      return { ...report.value, readings: report.value.readings.value }
    }
    await read()
    await chat(url, 'Tell me about the bridge. '.repeat(20))
    await chat(url, 'Tell me about the bridge. '.repeat(20))
    const { readings, models, skippedLines } = await read()
    expect(models).toEqual(['demo-8b'])
    expect(skippedLines).toBe(0)
    expect(known(readings.running)).toBe(0)
    expect(known(readings.cacheHitRatio)).toBeGreaterThan(0.4)
    expect(known(readings.ttftMsP50)).toBeGreaterThan(0)
    expect(readings.latencySamples).toBeGreaterThan(0)
  })
})
