import { createServer, type Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { connectors } from '../../src-main/adapters/connectors'
import { createHttpGet } from '../../src-main/adapters/http/get'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import { known } from '../../src-main/domain/fleet/reading'
import type { EngineReadings } from '../../src-main/domain/fleet/replica'
import { type Answer, answering, onLoopback } from '../helpers/loopback-server'

vi.setConfig({ testTimeout: 30_000 }) // the disk and the machine are shared

const engine = async (answers: Record<string, Answer>) => (await answering(answers)).url
const raw = async (talk: (socket: Socket) => void) => (await onLoopback(createServer(talk))).url
const text =
  (body: string | Uint8Array, status = 200): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end(body)

const page = (running: number, hits: number, queries: number, fast: number, slow: number) =>
  [
    '# TYPE vllm:num_requests_running gauge',
    `vllm:num_requests_running{model_name="m",engine="0"} ${running}`,
    'vllm:num_requests_waiting{model_name="m",engine="0"} 1',
    'vllm:kv_cache_usage_perc{model_name="m",engine="0"} 0.5',
    `vllm:prefix_cache_hits_total{model_name="m",engine="0"} ${hits}`,
    `vllm:prefix_cache_queries_total{model_name="m",engine="0"} ${queries}`,
    `vllm:time_to_first_token_seconds_bucket{le="0.1"} ${fast}`,
    `vllm:time_to_first_token_seconds_bucket{le="1"} ${fast + slow}`,
    `vllm:time_to_first_token_seconds_bucket{le="+Inf"} ${fast + slow}`,
    'process_start_time_seconds 1700000000',
    '',
  ].join('\n')
const good = (body: string): Record<string, Answer> => ({
  '/health': text(''),
  '/metrics': text(body),
  '/v1/models': text('{"object":"list","data":[{"id":"demo-8b"}]}'),
})

const seams = { clock: nodeClock, get: createHttpGet(nodeNet, nodeTimers) }
const open1 = (url: string) => connectors.get('vllm').open({ id: 'r1', model: 'demo-8b', url }, seams)
const read = (url: string, signal = new AbortController().signal) => open1(url).read(signal)
async function readings(url: string): Promise<EngineReadings | string> {
  const report = await read(url)
  if (!report.ok) return `health: ${report.error.message}`
  return report.value.readings.ok ? report.value.readings.value : report.value.readings.error.message
}

// What every connector keeps is held by test/conformance/connectors.test.ts; here stand the vLLM connector's own words.
describe('the vLLM connector', () => {
  test('[C5] names its source by the replica and reads all three pages', async () => {
    const url = await engine(good(page(3, 10, 40, 5, 5)))
    const report = await read(url)
    expect(open1(url)).toMatchObject({ id: 'engine:r1', kind: 'vllm', target: url })
    expect(report).toMatchObject({
      ok: true,
      value: { models: ['demo-8b'], startedWallMs: 1_700_000_000_000, skippedLines: 0 },
    })
  })

  test('[C3] what the page does not say is absent with its reason, not 0', async () => {
    const url = await engine(good('vllm:num_requests_running 3\nvllm:num_requests_waiting NaN\n'))
    expect(await readings(url)).toMatchObject({
      running: { value: 3, origin: 'observed', source: 'engine:r1' },
      waiting: { absent: 'never-received' },
      maxOngoing: { absent: 'not-exported' },
      kvUsedRatio: { absent: 'not-exported' },
      cacheHitRatio: { absent: 'not-exported' },
      ttftMsP99: { absent: 'not-exported' },
      latencySamples: 0,
    })
  })

  test('rates and percentiles come from the growth between two reads', async () => {
    let body = page(3, 10, 40, 100, 0)
    const url = await engine({ ...good(''), '/metrics': (_, response) => response.end(body) })
    const source = open1(url)
    const signal = new AbortController().signal
    const first = await source.read(signal)
    expect(first.ok && first.value.readings.ok && first.value.readings.value).toMatchObject({
      cacheHitRatio: { absent: 'never-received' },
      ttftMsP50: { absent: 'never-received' },
    })
    body = page(4, 25, 60, 100, 10)
    const second = await source.read(signal)
    const now = second.ok && second.value.readings.ok ? second.value.readings.value : null
    expect(now && known(now.cacheHitRatio)).toBeCloseTo(15 / 20)
    expect(now && known(now.ttftMsP50)).toBeCloseTo(550)
    expect(now?.latencySamples).toBe(10)
    source.restart()
    const third = await source.read(signal)
    expect(third.ok && third.value.readings.ok && third.value.readings.value.cacheHitRatio).toEqual({
      absent: 'never-received',
      source: 'engine:r1',
    })
  })
})

describe('[C2] health that is not good comes back in words', () => {
  const closedPort = async () => {
    const { url, stop } = await onLoopback(createServer())
    await stop()
    return url
  }
  test('nothing listens', async () => {
    expect(await read(await closedPort())).toMatchObject({
      ok: false,
      error: { kind: 'refused', message: expect.stringContaining('connection refused') },
    })
  })
  test.each<{ name: string; answers: Record<string, Answer>; kind: string }>([
    { name: '503 while it loads', answers: { '/health': text('', 503) }, kind: 'status' },
    {
      name: 'a redirect to a login',
      answers: {
        '/health': (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      },
      kind: 'status',
    },
    {
      name: 'an endless body',
      answers: { '/health': (_, response) => void response.write(Buffer.alloc(200_000)) },
      kind: 'too-large',
    },
    {
      name: 'a compressed answer',
      answers: {
        '/health': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
      },
      kind: 'bad-reply',
    },
    {
      name: 'a socket that closes',
      answers: { '/health': (request) => void request.socket.destroy() },
      kind: 'reset',
    },
    {
      name: 'a body shorter than it says',
      answers: {
        '/health': (_, response) => {
          response.writeHead(200, { 'content-length': '100' })
          response.write('short')
          setImmediate(() => response.destroy())
        },
      },
      kind: 'partial',
    },
    {
      name: 'header block of 64 KiB',
      answers: { '/health': (_, response) => response.writeHead(200, { 'x-big': 'y'.repeat(65_536) }).end() },
      kind: 'bad-reply',
    },
  ])('$name', async ({ answers, kind }) => {
    expect(await read(await engine(answers))).toMatchObject({ ok: false, error: { kind } })
  })
  test('bytes that are not HTTP', async () => {
    const url = await raw((socket) => void socket.end('220 mail.example ESMTP\r\n'))
    expect(await read(url)).toMatchObject({ ok: false, error: { kind: 'bad-reply' } })
  })
  test('[C1] an engine that never answers costs one second', async () => {
    const url = await raw(() => {})
    const started = nodeClock.monoMs()
    expect(await read(url)).toMatchObject({ ok: false, error: { kind: 'timeout' } })
    expect(nodeClock.monoMs() - started).toBeLessThan(3_000)
  })
  test('[C1] an abort ends the read at once', async () => {
    const url = await raw((socket) => void socket.once('data', () => stop.abort()))
    const stop = new AbortController()
    const started = nodeClock.monoMs()
    expect(await read(url, stop.signal)).toMatchObject({ ok: false, error: { kind: 'aborted' } })
    expect(nodeClock.monoMs() - started).toBeLessThan(500)
    expect(await read(url, stop.signal)).toMatchObject({ ok: false, error: { kind: 'aborted' } })
  })
})

describe('[F59] [F60] a metrics page that is none is thrown away whole', () => {
  test.each<{ name: string; answer: Answer; words: RegExp }>([
    {
      name: 'a web page with 200',
      answer: text('<!DOCTYPE html><html><body>Sign in</body></html>\n'),
      words: /web page, perhaps a login/,
    },
    { name: 'an empty body', answer: text(''), words: /empty/ },
    {
      name: 'binary',
      answer: text(Uint8Array.from({ length: 4_096 }, (_, at) => (at * 37) % 256)),
      words: /no sample/,
    },
    {
      name: 'half a line',
      answer: text('vllm:num_requests_running 3\nvllm:num_requests_wai'),
      words: /middle of a line/,
    },
    {
      name: 'half a number',
      answer: text('vllm:num_requests_running 3\nvllm:num_requests_waiting 1'),
      words: /middle of a line/,
    },
    { name: 'JSON', answer: text('{"running": 3}\n'), words: /no sample/ },
    { name: 'mostly rubbish', answer: text('vllm:x 1\n???\n???\n'), words: /2 of its lines/ },
    {
      name: "another engine's page",
      answer: text('sglang:num_running_reqs 1\n'),
      words: /no series that starts with vllm:/,
    },
    { name: '401', answer: text('no', 401), words: /status 401/ },
    {
      name: 'cut in the middle',
      answer: (_, response) => {
        response.writeHead(200, { 'content-length': '9999' })
        response.write('vllm:a 1\n')
        setImmediate(() => response.destroy())
      },
      words: /broke off after 9 bytes/,
    },
    {
      name: 'more than 8 MiB',
      answer: text(Buffer.alloc(9 * 1024 * 1024, 'vllm:a 1\n')),
      words: /more than 8388608 bytes/,
    },
    {
      name: 'a page that is never whole',
      answer: (_, response) => void response.write('vllm:a 1\n'),
      words: /did not answer in 1000 ms/,
    },
  ])('$name', async ({ answer, words }) => {
    const url = await engine({ ...good(''), '/metrics': answer })
    expect(await readings(url)).toMatch(words)
  })

  test('a huge value, NaN and a double beside good series lose only themselves', async () => {
    const url = await engine(
      good(
        'vllm:num_requests_running 3\nvllm:num_requests_running 9\nvllm:num_requests_waiting 1e999\nvllm:kv_cache_usage_perc NaN\n',
      ),
    )
    expect(await readings(url)).toMatchObject({
      running: { value: 3 },
      waiting: { absent: 'never-received' },
      kvUsedRatio: { absent: 'never-received' },
    })
  })
})

describe('the list of models', () => {
  test.each([
    ['good', '{"data":[{"id":"a"},{"id":"b"}]}', ['a', 'b']],
    ['no data', '{}', null],
    ['empty', '{"data":[]}', null],
    ['wrong types', '{"data":[{"id":1},null,"x"]}', null],
    ['not JSON', '<html>', null],
    ['too deep', `${'['.repeat(100_000)}`, null],
    ['a prototype key', '{"__proto__":{"data":[{"id":"x"}]}}', null],
  ])('%s', async (_, body, models) => {
    const url = await engine({ ...good('vllm:a 1\n'), '/v1/models': text(body) })
    expect(await read(url)).toMatchObject({ ok: true, value: { models } })
    expect(Object.hasOwn(Object.prototype, 'data')).toBe(false)
  })
})
