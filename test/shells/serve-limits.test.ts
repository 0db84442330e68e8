import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeRandom } from '../../src-main/adapters/node/random'
import { createSessionLimits } from '../../src-main/shells/serve/session-limits'
import { createTokens } from '../../src-main/shells/serve/tokens'
import { aPageServer, bodyOf, headerOf, statusOf, upgradeHead } from '../helpers/a-page-server'
import { createManualClock } from '../helpers/manual-clock'

const key = 'AAAAAAAAAAAAAAAAAAAAAA=='
const hello = (token: string) => JSON.stringify({ k: 'hello', token })
const call = (id: number, name: string, params: unknown = {}) =>
  JSON.stringify({ k: 'call', id, name, params })

describe('who asks', () => {
  test.each([
    ['the token of the ready line over HTTP', 'http', 'root', 'cli'],
    ['a browser session over HTTP', 'http', 'session', 'browser'],
    ['the token of the ready line over a socket', 'socket', 'root', 'cli'],
    ['a browser session over a socket', 'socket', 'session', 'browser'],
  ] as const)('%s is audited as such', async (_name, way, whose, actor) => {
    const { quiet, tokens, session, post, screen } = await aPageServer()
    const token = whose === 'root' ? tokens.root : await session()
    if (way === 'http') await post('/api/call/console.revoke', {}, { authorization: `Bearer ${token}` })
    else {
      const { socket, next } = screen({ authorization: `Bearer ${token}` })
      await next()
      socket.send(call(0, 'console.revoke'))
      await next()
    }
    expect(quiet.actors).toEqual([actor, actor])
  })
  test('a browser session makes no links, which would outlive its end', async () => {
    const { session, post, bearer } = await aPageServer()
    const authorization = `Bearer ${await session()}`
    const refused = await post('/api/call/console.open', {}, { authorization })
    expect([refused.status, refused.headers.get('x-signalbox-reason')]).toEqual([403, 'role'])
    expect((await post('/api/call/console.open', {}, bearer)).status).toBe(200)
  })
})

describe('SR-033 one session cannot take the console from the others', () => {
  test('the hundred and first call at once is 429, and soon there is room again', async () => {
    const clock = createManualClock()
    const { post, bearer, session } = await aPageServer({ limits: createSessionLimits(clock) })
    const ask = (authorization: string) => post('/api/call/policies.list', {}, { authorization })
    for (let times = 0; times < 100; times++) expect((await ask(bearer.authorization)).status).toBe(200)
    const over = await ask(bearer.authorization)
    expect([over.status, over.headers.get('retry-after'), over.headers.get('x-signalbox-reason')]).toEqual([
      429,
      '1',
      'client_limit',
    ])
    expect((await ask(`Bearer ${await session()}`)).status).toBe(200)
    clock.advance(1_000)
    for (let times = 0; times < 50; times++) expect((await ask(bearer.authorization)).status).toBe(200)
    expect((await ask(bearer.authorization)).status).toBe(429)
  })
  test('requests and screens of a session share its allowance', async () => {
    const { post, bearer, screen } = await aPageServer({ limits: createSessionLimits(createManualClock()) })
    const { socket, next, closed } = screen(bearer)
    await next()
    for (let id = 0; id < 60; id++) {
      socket.send(call(id, 'policies.list'))
      await next()
    }
    for (let times = 0; times < 40; times++)
      expect((await post('/api/call/policies.list', {}, bearer)).status).toBe(200)
    socket.send(call(60, 'policies.list'))
    expect(await closed).toBe(4429)
  })
  test('the seventeenth screen is refused, by either way in, and a closed one makes room', async () => {
    const { screen, bearer, tokens, session } = await aPageServer()
    const open = Array.from({ length: 16 }, () => screen(bearer))
    for (const { next } of open) await next()
    const refused = await screen(bearer).refused
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    const late = screen()
    await late.opened
    late.socket.send(hello(tokens.root))
    expect(await late.closed).toBe(4429)
    const other = screen({ authorization: `Bearer ${await session()}` })
    expect(JSON.parse(await other.next())).toEqual({ k: 'welcome' })
    open[0]?.socket.close()
    await open[0]?.closed
    expect(JSON.parse(await screen(bearer).next())).toEqual({ k: 'welcome' })
  })
  test('allowances of sessions that are gone are forgotten', () => {
    const clock = createManualClock()
    const limits = createSessionLimits(clock)
    for (let at = 0; at < 1_000; at++) {
      expect(limits.takeCall(`token ${at}`)).toBe(true)
      clock.advance(100)
    }
  })
  test('SR-027 guessing tickets is slowed down like guessing tokens', async () => {
    const clock = createManualClock()
    const { post } = await aPageServer({ timers: clock })
    const guess = () => post('/api/session', { ticket: 'x' }).then(({ status }) => status)
    for (let times = 0; times < 5; times++) expect(await guess()).toBe(401)
    const before = clock.pending
    const slow = guess()
    await expect.poll(() => clock.pending).toBeGreaterThan(before)
    clock.advance(1_000)
    expect(await slow).toBe(401)
  })
  test('one connection too many is told so, and one that ends makes room', async () => {
    const { port, raw, url } = await aPageServer()
    const open = Array.from({ length: 256 }, () => connect(port, '127.0.0.1'))
    await Promise.all(open.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    const over = await raw(['GET /healthz HTTP/1.1', 'Host: $', 'Connection: close'])
    expect([statusOf(over), headerOf(over, 'retry-after')]).toEqual([503, '5'])
    for (const socket of open) socket.destroy()
    await expect.poll(() => fetch(url('/healthz')).then(({ status }) => status)).toBe(200)
  })
})

describe('SR-029 silence keeps no place', () => {
  /** What a client gets that sends this and then nothing more. */
  const silent = (port: number, bytes: string) =>
    new Promise<string>((resolve) => {
      let text = ''
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(bytes))
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', () => {})
      socket.once('end', () => resolve(text))
      socket.once('close', () => resolve(text))
    })
  test.each([
    ['nothing', ''],
    ['half a line', 'GET / HT'],
    ['half a head', 'GET / HTTP/1.1\r\nHost: '],
  ])('after %s the connection is ended', async (_name, bytes) => {
    const { port } = await aPageServer({ waits: { headersMs: 100 } })
    expect(statusOf(await silent(port, bytes))).toBe(408)
  })
  test('after half a body, too', async () => {
    const { port, host, bearer } = await aPageServer({ waits: { bodyMs: 100 } })
    const head = [
      'POST /api/call/status.read HTTP/1.1',
      `Host: ${host}`,
      'Content-Type: application/json',
      `Authorization: ${bearer.authorization}`,
      'Content-Length: 10',
    ]
    const answer = await silent(port, `${head.join('\r\n')}\r\n\r\n{"a"`)
    expect([statusOf(answer), JSON.parse(bodyOf(answer)).error.code]).toEqual([408, 'client_body_timeout'])
  })
  test('an answer that nobody reads is given up', async () => {
    const accepted: Duplex[] = []
    const body = Buffer.alloc(32 * 1024 * 1024)
    const { port, host } = await aPageServer({
      page: new Map([['/', { type: 'text/plain', body, immutable: false }]]),
      waits: { stalledMs: 100 },
      net: {
        ...nodeNet,
        listen: (address, accept) =>
          nodeNet.listen(address, (socket) => {
            accepted.push(socket)
            accept(socket)
          }),
      },
    })
    const deaf = connect(port, '127.0.0.1', () =>
      deaf.pause().write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
    )
    await expect.poll(() => accepted[0]?.destroyed, { timeout: 4_000 }).toBe(true)
    deaf.destroy()
  })
  test('a socket that shows no token is out after five seconds, though it does not close its side', async () => {
    const clock = createManualClock()
    const { port, host, screen } = await aPageServer({ timers: clock })
    const head = upgradeHead(key)
      .map((line) => line.replace('$', host))
      .join('\r\n')
    const deaf = await Promise.all(
      Array.from(
        { length: 32 },
        () =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
              socket.write(`${head}\r\n\r\n`),
            )
            socket.once('data', () => resolve(socket))
          }),
      ),
    )
    expect((await screen().refused).status).toBe(503)
    const gone = deaf.map((socket) => new Promise((resolve) => socket.once('end', resolve)))
    clock.advance(5_000)
    const room = screen()
    await room.opened
    room.socket.terminate()
    for (const socket of deaf) socket.on('error', () => {}).resume()
    await Promise.all(gone)
    for (const socket of deaf) socket.destroy()
  })
})

test('a call in the same packet as the hello is answered', async () => {
  const { screen, tokens } = await aPageServer()
  const { socket, opened, next } = screen()
  await opened
  const tcp = (socket as unknown as { _socket: { cork(): void; uncork(): void } })._socket
  tcp.cork()
  socket.send(hello(tokens.root))
  for (const id of [1, 2, 3]) socket.send(call(id, 'policies.list'))
  tcp.uncork()
  expect(JSON.parse(await next())).toEqual({ k: 'welcome' })
  for (const id of [1, 2, 3]) expect(JSON.parse(await next())).toMatchObject({ k: 'reply', id })
})

test('a screen whose session ended by its age is closed at the next ping', async () => {
  const clock = createManualClock()
  const tokens = createTokens(clock, nodeRandom)
  const { screen } = await aPageServer({ tokens, timers: clock })
  const redeemed = tokens.redeem(tokens.ticket())
  const { next, closed } = screen({ authorization: `Bearer ${'token' in redeemed ? redeemed.token : ''}` })
  await next()
  clock.sleep(12 * 3_600_000 + 1)
  clock.advance(15_000)
  expect(await closed).toBe(4401)
})
