import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { TrafficNotes, trafficLink } from '../../src-main/contract/links'
import { createTransportPair } from '../../src-main/contract/memory-transport'
import { createPeer, type ParamsOf } from '../../src-main/contract/peer'
import { composeTraffic, type TrafficProcess } from '../../src-main/shells/traffic-process'
import { metric, openReplica, realSeams } from '../helpers/simulated-replica'
import { until } from '../helpers/until'

vi.setConfig({ testTimeout: 20_000 }) // real sockets on a machine that may be busy

const open: TrafficProcess[] = []
const servers: Server[] = []
afterEach(async () => {
  for (const traffic of open.splice(0)) traffic.close()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

type Start = ParamsOf<(typeof trafficLink)['traffic.start']>

function compose() {
  const [ours, theirs] = createTransportPair()
  open.push(composeTraffic(theirs, realSeams))
  const notes: TrafficNotes['traffic.status'][] = []
  const { call, close } = createPeer<
    Record<string, never>,
    typeof trafficLink,
    Record<string, never>,
    TrafficNotes
  >(ours, {
    serves: {},
    handlers: {},
    onNote: { 'traffic.status': (note) => notes.push(note) },
  })
  const start = (proxyUrl: string, more: Partial<Start> = {}) =>
    call('traffic.start', {
      proxyUrl,
      model: 'demo-8b',
      seed: 1,
      ratePerSecond: 100,
      running: true,
      dataPlaneKey: null,
      ...more,
    })
  return { call, close, notes, start }
}

interface Asked {
  readonly headers: IncomingHttpHeaders
  readonly body: { messages: { role: string; content: string }[]; stream: boolean }
}
/** A server that keeps what it was asked and answers with a status, or with an answer in one piece. */
async function listener(status = 200): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => {
      text += part
    })
    request.on('end', () => {
      asked.push({ headers: request.headers, body: JSON.parse(text) as Asked['body'] })
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          choices: [{ message: { content: `answer ${asked.length}` }, finish_reason: 'stop' }],
        }),
      )
    })
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    asked,
  }
}

test('against a real replica: chats are answered whole, none fails, and the counts are told each second', async () => {
  const { url } = await openReplica({ speed: 100 })
  const { start, notes } = compose()
  expect(await start(url)).toEqual({ ok: true, value: null })
  await until('a note after fifty', () => (notes.at(-1)?.sent ?? 0) > 50)
  expect(notes.at(-1)).toMatchObject({ failed: 0, skipped: 0 })
  await until('answered', async () => (await metric(url, 'vllm:e2e_request_latency_seconds_count')) > 30)
  expect(await metric(url, 'vllm:prefix_cache_hits_total')).toBeGreaterThan(0)
})

describe('what is sent', () => {
  test('every request is marked as demo, most carry a session, and the seed decides what is asked', async () => {
    const [first, second] = [await listener(), await listener()]
    const key = { dataPlaneKey: 'secret', ratePerSecond: 300 }
    await compose().start(first.url, key)
    await compose().start(second.url, { ...key, dataPlaneKey: null })
    await until('100 asked', () => first.asked.length > 100 && second.asked.length > 100)
    for (const { headers } of first.asked)
      expect(headers).toMatchObject({ 'x-signalbox-demo': '1', authorization: 'Bearer secret' })
    expect(second.asked[0]?.headers.authorization).toBeUndefined()
    const sessions = first.asked.map(({ headers }) => headers['x-session-id'])
    expect(sessions.filter((id) => id === undefined).length).toBeLessThan(15)
    expect(new Set(sessions).size).toBeGreaterThan(50)
    const opening = ({ asked }: { asked: Asked[] }) =>
      new Map(asked.map(({ headers, body }) => [headers['x-session-id'], body.messages.slice(0, 2)]))
    const [ours, theirs] = [opening(first), opening(second)]
    let compared = 0
    for (const [id, messages] of ours)
      if (id !== undefined && theirs.has(id)) {
        expect(theirs.get(id)).toEqual(messages)
        compared++
      }
    expect(compared).toBeGreaterThan(50)
  })

  test('a conversation goes on with the answers that it got', async () => {
    const { url, asked } = await listener()
    await compose().start(url, { ratePerSecond: 5 })
    await until('a second turn', () => asked.some(({ body }) => body.messages.length > 2), 20_000)
    const turn = asked.find(({ body }) => body.messages.length > 2)
    const before = asked.find(
      ({ headers, body }) =>
        body.messages.length === 2 && headers['x-session-id'] === turn?.headers['x-session-id'],
    )
    expect(turn?.body.messages.slice(0, 2)).toEqual(before?.body.messages)
    expect(turn?.body.messages[2]).toEqual({
      role: 'assistant',
      content: expect.stringMatching(/^answer \d+$/),
    })
    expect(turn?.body.messages[3]?.role).toBe('user')
  }, 25_000)
})

describe('control', () => {
  test('stops, goes on at another rate, and follows the proxy to another port', async () => {
    const [first, second] = [await listener(), await listener()]
    const { call, start } = compose()
    await start(first.url, { running: false })
    await call('traffic.set', { running: true, ratePerSecond: 200 })
    await until('asked', () => first.asked.length > 5)
    await call('traffic.proxy', { proxyUrl: second.url })
    await until('asked elsewhere', () => second.asked.length > 5)
    await call('traffic.set', { running: false, ratePerSecond: 200 })
    await until('quiet', async () => {
      const before = second.asked.length
      await new Promise((resolve) => setTimeout(resolve, 100))
      return second.asked.length === before
    })
  })

  test.each([0, -1, 501, Number.NaN])('a rate of %d is refused while running', async (ratePerSecond) => {
    const { call, start } = compose()
    await start('http://127.0.0.1:1', { running: false })
    expect(await call('traffic.set', { running: true, ratePerSecond })).toMatchObject({
      ok: false,
      error: { code: 'bad_params' },
    })
  })

  test('nothing can be set before the start', async () => {
    const { call } = compose()
    expect(await call('traffic.set', { running: true, ratePerSecond: 1 })).toMatchObject({
      error: { code: 'not_started' },
    })
    expect(await call('traffic.proxy', { proxyUrl: 'http://127.0.0.1:1' })).toMatchObject({
      error: { code: 'not_started' },
    })
  })

  test('when control goes, requests under way are given up', async () => {
    let held = 0
    const server = createServer((request) => {
      held++
      request.socket.once('close', () => held--)
    })
    servers.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    const { start, close } = compose()
    await start(`http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`)
    await until('held', () => held > 3)
    close()
    await until('let go', () => held === 0)
  })
})

describe('trouble', () => {
  test('failures are counted, and the conversations go on later', async () => {
    const { url } = await listener(503)
    const { start, notes, call } = compose()
    await start(url)
    await until('failed', () => (notes.at(-1)?.failed ?? 0) > 20)
    const well = await openReplica({ speed: 100 })
    await call('traffic.proxy', { proxyUrl: well.url })
    await until(
      'answered',
      async () => (await metric(well.url, 'vllm:e2e_request_latency_seconds_count')) > 20,
    )
  })

  test('no more than 256 are under way; the rest is skipped and counted', async () => {
    let held = 0
    const server = createServer(() => held++)
    servers.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    const { start, notes } = compose()
    await start(`http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`, {
      ratePerSecond: 500,
    })
    await until('skipped', () => (notes.at(-1)?.skipped ?? 0) > 50)
    expect(notes.at(-1)).toMatchObject({ sent: 256, active: 256, failed: 0 })
    expect(held).toBe(256)
  })
})
