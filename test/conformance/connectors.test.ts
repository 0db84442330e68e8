import type { ServerResponse } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { connectors, openSource } from '../../src-main/adapters/connectors'
import { createHttpGet } from '../../src-main/adapters/http/get'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import { known } from '../../src-main/domain/fleet/reading'
import type { EngineReadings } from '../../src-main/domain/fleet/replica'
import type { FleetSource } from '../../src-main/ports/fleet-source'
import { type Answer, answering } from '../helpers/loopback-server'
import { createManualClock } from '../helpers/manual-clock'
import type { Figures, ScriptedEngine } from './engines/scripted-engine'

// Rules C1 to C6 are spelled out in src-main/adapters/connectors/README.md. Whatever is in the registry keeps them, against
// real HTTP servers that speak as its engine does (engines/<id>.engine.ts) or as none should.
vi.setConfig({ testTimeout: 30_000 }) // the disk and the machine are shared

const scripts = import.meta.glob<{ default: ScriptedEngine }>('./engines/*.engine.ts', { eager: true })
const scriptOf = (id: string) => scripts[`./engines/${id}.engine.ts`]?.default

const first: Figures = {
  running: 3,
  waiting: 2,
  kvUsedRatio: 0.5,
  cachedPromptTokens: 100,
  promptTokens: 400,
  outputTokens: 1_000,
  preemptions: 4,
  firstTokens: 10,
  nextTokens: 100,
}
/** What each figure is shown as: without the figure, none of these may be a number. */
const shownAs: Readonly<Record<keyof Figures, readonly (keyof EngineReadings)[]>> = {
  running: ['running'],
  waiting: ['waiting'],
  kvUsedRatio: ['kvUsedRatio'],
  cachedPromptTokens: ['cacheHitRatio'],
  promptTokens: ['cacheHitRatio'],
  outputTokens: ['outputTokensPerSecond'],
  preemptions: ['preemptionsPerMinute'],
  firstTokens: ['ttftMsP50', 'ttftMsP99'],
  nextTokens: ['itlMsP99'],
}
const figureNames = Object.keys(shownAs) as (keyof Figures)[]
const readingNames = [...new Set(Object.values(shownAs).flat())] as Exclude<
  keyof EngineReadings,
  'latencySamples'
>[]
const grown = (times: number): Figures => ({
  ...first,
  cachedPromptTokens: first.cachedPromptTokens + 30 * times,
  promptTokens: first.promptTokens + 40 * times,
  outputTokens: first.outputTokens + 500 * times,
  preemptions: first.preemptions + times,
  firstTokens: first.firstTokens + 5 * times,
  nextTokens: first.nextTokens + 50 * times,
})

/** Writes without end, as fast as it is taken. */
function pour(response: ServerResponse, chunk: Buffer): void {
  while (!response.destroyed && response.write(chunk));
  response.once('drain', () => pour(response, chunk))
}

/** What no engine should answer. `good` is what it would have said. */
const hostile: readonly { name: string; answer: (good: string) => Answer }[] = [
  {
    name: 'bytes of nothing',
    answer: () => (_, response) =>
      response.end(Uint8Array.from({ length: 4_096 }, (_, at) => (at * 37) % 256)),
  },
  {
    name: 'a login page with 200',
    answer: () => (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Sign in</p>\n'),
  },
  { name: 'JSON of something else', answer: () => (_, response) => response.end('{"detail":[null,{}]}\n') },
  {
    name: 'a body without end',
    answer: () => (_, response) => pour(response, Buffer.alloc(65_536, 'a 1\n')),
  },
  { name: 'a body that never comes', answer: () => (_, response) => response.flushHeaders() },
  { name: 'no answer', answer: () => () => {} },
  {
    name: 'a body that is cut',
    answer: (good) => (_, response) => {
      response.writeHead(200, { 'content-length': String(good.length + 100) }).write(`${good} `)
      setImmediate(() => response.destroy())
    },
  },
  { name: 'a connection that closes', answer: () => (request) => void request.socket.destroy() },
  ...[401, 404, 500, 503].map((status) => ({
    name: `the right body with status ${status}`,
    answer: (good: string) => (_: unknown, response: ServerResponse) => response.writeHead(status).end(good),
  })),
  {
    name: 'a redirect',
    answer: (good) => (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(good),
  },
  {
    name: 'a compressed body',
    answer: (good) => (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(good),
  },
]
/** Of those, what a page that only has to say "200" may take for well. */
const wellEnough = ['bytes of nothing', 'a login page with 200', 'JSON of something else']

/** No read may take longer: a connector asks at most twice in a row, a second each. */
const readMaxMs = 5_000

describe.each(connectors.all())('connector $id', (connector) => {
  const script = scriptOf(connector.id)
  if (!script) {
    test('has a scripted engine', () =>
      expect.fail(`write test/conformance/engines/${connector.id}.engine.ts: how that engine answers`))
    return
  }
  const [newest = ''] = script.namings
  const paths = Object.keys(script.pages(first, newest))

  /** An engine whose answers the test may change, and a source that reads it on a clock that the test moves. */
  async function aRig(figures: Partial<Figures> = first, naming = newest) {
    const answers: Record<string, Answer> = {}
    const seen: string[] = []
    const serve = (path: string, answer: Answer) => {
      answers[path] = (request, response) => {
        seen.push(`${request.method} ${request.url} ${request.headers['content-length'] ?? 'no body'}`)
        answer(request, response)
      }
    }
    const say = (now: Partial<Figures>, contentType = 'text/plain') => {
      for (const [path, body] of Object.entries(script?.pages(now, naming) ?? {}))
        serve(path, (_, response) => response.writeHead(200, { 'content-type': contentType }).end(body))
    }
    say(figures)
    serve('/elsewhere', (_, response) => response.end())
    const { url } = await answering(answers)
    const clock = createManualClock()
    const open = (id = 'r1') =>
      openSource(
        { id, model: 'demo-8b', url, engine: connector.id },
        { clock, get: createHttpGet(nodeNet, nodeTimers) },
      )
    return { say, serve, seen, clock, open, source: open() }
  }
  const read = (source: FleetSource, signal = new AbortController().signal) => source.read(signal)
  async function readingsOf(source: FleetSource): Promise<EngineReadings> {
    const report = await read(source)
    if (!report.ok) throw new Error(report.error.message)
    if (!report.value.readings.ok) throw new Error(report.value.readings.error.message)
    return report.value.readings.value
  }
  /** Reads, lets ten seconds pass while the counters grow, and reads again. */
  async function readTwice(figures: (times: number) => Partial<Figures>, naming = newest) {
    const rig = await aRig(figures(0), naming)
    await read(rig.source)
    rig.clock.advance(10_000)
    rig.say(figures(1))
    return { ...rig, readings: await readingsOf(rig.source) }
  }

  test.each(script.namings)(
    'a good engine is read, whatever its version calls things: %s',
    async (naming) => {
      const { readings } = await readTwice(grown, naming)
      const found = Object.fromEntries(readingNames.map((name) => [name, known(readings[name])]))
      expect(found).toMatchObject({
        running: 3,
        waiting: 2,
        kvUsedRatio: 0.5,
        cacheHitRatio: 0.75,
        outputTokensPerSecond: 50,
        preemptionsPerMinute: 6,
      })
      for (const name of ['ttftMsP50', 'ttftMsP99', 'itlMsP99']) {
        expect(found[name]).toBeGreaterThan(0)
        expect(found[name]).toBeLessThanOrEqual(100)
      }
      expect(readings.latencySamples).toBe(5)
    },
  )

  test.each(['text/html', 'application/octet-stream', 'x'])(
    'the bytes decide, not the content type they come with: %s',
    async (contentType) => {
      const { say, source } = await aRig()
      const labelled = await readingsOf(source)
      say(first, contentType)
      expect(await readingsOf(source)).toMatchObject({ running: labelled.running, waiting: labelled.waiting })
    },
  )

  describe.each(paths)('[C1] [C2] %s answered with', (path) => {
    test.each(hostile)('$name', async ({ name, answer }) => {
      const { serve, source, seen } = await aRig()
      serve(path, answer(script.pages(first, newest)[path] ?? ''))
      const began = performance.now()
      const report = await read(source)
      expect(performance.now() - began).toBeLessThan(readMaxMs)
      if (path === script.healthPath && !wellEnough.includes(name)) expect(report.ok).toBe(false)
      const problem = report.ok && !report.value.readings.ok ? report.value.readings.error : null
      if (path === script.figuresPath) expect(report.ok && problem === null).toBe(false)
      const error = report.ok ? problem : report.error
      if (error)
        expect(error).toMatchObject({ kind: expect.any(String), message: expect.stringMatching(/\w/) })
      expect(seen.filter((line) => line.includes('/elsewhere'))).toEqual([])
    })
  })

  test('[C1] an abort ends a read at once, and one that was called off before asks nothing', async () => {
    const { serve, source, seen } = await aRig()
    const stop = new AbortController()
    for (const path of paths) serve(path, () => stop.abort())
    const began = performance.now()
    expect(await read(source, stop.signal)).toMatchObject({ ok: false, error: { kind: 'aborted' } })
    expect(performance.now() - began).toBeLessThan(900)
    const { length } = seen
    expect(await read(source, stop.signal)).toMatchObject({ ok: false, error: { kind: 'aborted' } })
    expect(seen).toHaveLength(length)
  })

  test.each(figureNames)('[C3] without %s, what it is shown as is absent with a reason', async (left) => {
    const { readings } = await readTwice((times) => {
      const { [left]: _, ...rest } = grown(times)
      return rest
    })
    for (const name of readingNames) {
      const reading = readings[name]
      if (shownAs[left].includes(name)) expect(reading, name).toMatchObject({ absent: 'not-exported' })
      else expect(known(reading), name).toEqual(expect.any(Number))
    }
  })

  test('[C3] an engine without a figure is read all the same, and nothing of it is 0', async () => {
    const { source } = await aRig({})
    const readings = await readingsOf(source)
    for (const name of readingNames) expect(readings[name], name).toMatchObject({ absent: 'not-exported' })
  })

  test('[C3] counters that restart make no rate, never a negative one, until they have grown again', async () => {
    const { say, clock, source } = await readTwice(grown)
    clock.advance(10_000)
    say({
      ...first,
      cachedPromptTokens: 0,
      promptTokens: 0,
      outputTokens: 0,
      preemptions: 0,
      firstTokens: 0,
      nextTokens: 0,
    })
    const restarted = await readingsOf(source)
    for (const name of readingNames.filter((each) => !['running', 'waiting', 'kvUsedRatio'].includes(each)))
      expect(restarted[name], name).toHaveProperty('absent')
    expect(restarted.latencySamples).toBe(0)
    clock.advance(10_000)
    say({ ...first, outputTokens: 100 })
    expect(known((await readingsOf(source)).outputTokensPerSecond)).toBe(10)
  })

  test('[C4] the same bytes give the same readings', async () => {
    const [one, other] = [await readTwice(grown), await readTwice(grown)]
    expect(one.readings).toEqual(other.readings)
  })

  test('[C5] a source keeps its id, from read to read and from good to bad; another replica has another', async () => {
    const { open, serve, source } = await aRig()
    const { id } = source
    await read(source)
    source.restart()
    for (const path of paths) serve(path, (_, response) => response.writeHead(500).end())
    await read(source)
    expect([source.id, open().id]).toEqual([id, id])
    expect(open('r2').id).not.toBe(id)
    expect(source.kind).toBe(connector.id)
  })

  test('[C6] it asks with GET, without a body, and for nothing but what is read', async () => {
    const { seen, source } = await aRig()
    await read(source)
    expect(seen.sort()).toEqual(paths.map((path) => `GET ${path} no body`).sort())
  })
})

describe('the engine that a replica declares', () => {
  const seams = {
    clock: createManualClock(),
    get: () => Promise.reject(new Error('nothing is to be fetched')),
  }
  const replica = { id: 'r1', model: 'm', url: 'http://127.0.0.1:9' }
  test('one that declares none speaks vLLM', () => {
    expect(openSource(replica, seams)).toMatchObject({ kind: 'vllm', id: 'engine:r1' })
  })
  test.each(['no-such-engine', '', '__proto__', 'constructor'])(
    'one that no connector reads: %j',
    async (engine) => {
      const source = openSource({ ...replica, engine }, seams)
      expect(source).toMatchObject({ kind: engine, id: 'engine:r1', target: replica.url })
      const report = await source.read(new AbortController().signal)
      expect(report).toMatchObject({ ok: false, error: { kind: 'unsupported' } })
      expect(report.ok ? '' : report.error.message).toBe(
        `replica r1 declares the engine "${engine}", which no connector reads; ` +
          `declare one of these, or add its connector: ${connectors.ids().join(', ')}`,
      )
    },
  )
})
