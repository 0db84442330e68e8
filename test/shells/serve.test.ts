import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeRandom } from '../../src-main/adapters/node/random'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import type { PageTable } from '../../src-main/shells/page'
import { type Serving, serve } from '../../src-main/shells/serve/server'
import { createTokens } from '../../src-main/shells/serve/tokens'
import { createQuietControl } from '../helpers/quiet-control'

const page: PageTable = new Map([
  [
    '/',
    {
      type: 'text/html; charset=utf-8',
      body: Buffer.from('<p nonce="__CSP_NONCE__">page</p>'),
      immutable: false,
    },
  ],
  ['/assets/a.js', { type: 'text/javascript; charset=utf-8', body: Buffer.from('1'), immutable: true }],
])

let quiet: ReturnType<typeof createQuietControl>
let tokens: ReturnType<typeof createTokens>
let serving: Serving
const start = (mayOperate: boolean) =>
  serve(
    {
      net: nodeNet,
      timers: nodeTimers,
      random: nodeRandom,
      page,
      tokens,
      control: quiet.control,
      mayOperate,
    },
    0,
  )
beforeEach(async () => {
  quiet = createQuietControl()
  tokens = createTokens(nodeClock, nodeRandom)
  serving = await start(true)
})
afterEach(async () => {
  await serving.close()
  await quiet.control.stop(0)
})

/** Sends bytes as they are and answers all that comes back until the connection ends. */
const raw = (lines: readonly string[]) =>
  new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(serving.port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
const upgradeHead = (key: string) => [
  'GET /api/feed HTTP/1.1',
  `Host: ${host()}`,
  `Origin: http://${host()}`,
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${key}`,
]
const statusOf = (answer: string) => Number(answer.split(' ')[1])
const reasonOf = (answer: string) => /x-signalbox-reason: (.*)\r/i.exec(answer)?.[1]
const host = () => `127.0.0.1:${serving.port}`
const url = (path: string) => `http://${host()}${path}`
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url(path), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

describe('the page', () => {
  test('comes with the security headers and a fresh nonce', async () => {
    const [first, second] = [await fetch(url('/')), await fetch(url('/'))]
    const policy = first.headers.get('content-security-policy') ?? ''
    const nonce = /nonce-([0-9a-f]{32})/.exec(policy)?.[1]
    expect(await first.text()).toBe(`<p nonce="${nonce}">page</p>`)
    expect(second.headers.get('content-security-policy')).not.toBe(policy)
    expect(policy.replace(String(nonce), 'N')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; img-src 'self' blob: data:; font-src 'self'; worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-src 'none'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types signalbox",
    )
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cache-control': 'no-store',
    })
    expect(first.headers.has('server')).toBe(false)
  })
  test.each([
    ['/../package.json', 404],
    ['/%2e%2e/package.json', 404],
    ['/..\\package.json', 404],
    ['//etc/passwd', 404],
    ['/assets/', 404],
    ['/assets/a.js?x=1', 200],
    ['/healthz', 200],
  ])('%s is %i', async (path, status) => {
    expect(statusOf(await raw([`GET ${path} HTTP/1.1`, `Host: ${host()}`, 'Connection: close']))).toBe(status)
  })
  test('no answer ever grants another origin anything', async () => {
    for (const answer of [
      await fetch(url('/')),
      await fetch(url('/'), { method: 'OPTIONS' }),
      await post('/api/session', {}),
    ]) {
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('SR-021 to SR-024 checks before anything else', () => {
  test.each([
    ['a foreign host', ['GET / HTTP/1.1', 'Host: evil.test'], 403, 'host_not_allowed'],
    ['two hosts', ['GET / HTTP/1.1', 'Host: $', 'Host: $'], 403, 'host_not_allowed'],
    [
      'a foreign origin',
      [
        'POST /api/session HTTP/1.1',
        'Host: $',
        'Origin: http://evil.test',
        'Content-Type: application/json',
        'Content-Length: 2',
        '',
        '{}',
      ],
      403,
      'origin_not_allowed',
    ],
    [
      'a page of another site',
      ['GET / HTTP/1.1', 'Host: $', 'Sec-Fetch-Site: cross-site'],
      403,
      'origin_not_allowed',
    ],
    [
      'a form',
      [
        'POST /api/session HTTP/1.1',
        'Host: $',
        'Content-Type: text/plain',
        'Content-Length: 2',
        'Connection: close',
        '',
        '{}',
      ],
      415,
      'content_type',
    ],
    [
      'another method',
      ['PUT /api/session HTTP/1.1', 'Host: $', 'Content-Type: application/json', 'Connection: close'],
      405,
      'method',
    ],
    [
      'a feed without origin and token',
      [
        'GET /api/feed HTTP/1.1',
        'Host: $',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ],
      403,
      'origin_not_allowed',
    ],
    ['garbage', ['\x16\x03\x01\x02'], 400, 'bad_framing'],
  ])('%s', async (_name, lines, status, reason) => {
    const answer = await raw(lines.map((line) => line.replace('$', host())))
    expect([statusOf(answer), reasonOf(answer)]).toEqual([status, reason])
  })
})

describe('calls of scripts', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  test('need the token', async () => {
    const without = await post('/api/call/status.read', {})
    const wrong = await post('/api/call/status.read', {}, bearer('0'.repeat(64)))
    for (const answer of [without, wrong]) {
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    expect(await without.text()).toBe(await wrong.text())
  })
  test('are answered', async () => {
    const answer = await post('/api/call/status.read', {}, bearer(tokens.root))
    expect(await answer.json()).toMatchObject({ health: { version: 'test', environment: 'DEMO' } })
  })
  test.each([
    ['nothing', {}, 404],
    ['fleet.scale', { replicas: 0 }, 400],
    ['fleet.scale', 'no json object', 400],
  ])('%s %j is %i', async (name, params, status) => {
    expect((await post(`/api/call/${name}`, params, bearer(tokens.root))).status).toBe(status)
  })
  test('a wrong token is told a second late from the sixth time on, and does not slow the right one', async () => {
    for (let times = 0; times < 5; times++) await post('/api/call/status.read', {}, bearer('x'))
    const slow = post('/api/call/status.read', {}, bearer('x')).then(() => 'slow')
    const quick = post('/api/call/status.read', {}, bearer(tokens.root)).then(() => 'quick')
    expect(await Promise.race([slow, quick])).toBe('quick')
    expect(await slow).toBe('slow')
  })
})

/** A screen as a browser opens it; `next` gives its messages one by one, `closed` its close code. */
function aScreen(origin: string | null = `http://${host()}`, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`ws://${host()}/api/feed`, {
    headers: { ...headers, ...(origin ? { origin } : {}) },
  })
  const messages: string[] = []
  const waiting: ((text: string) => void)[] = []
  socket.on('message', (data) => {
    const text = data.toString()
    const next = waiting.shift()
    if (next) next(text)
    else messages.push(text)
  })
  socket.on('error', () => {})
  return {
    socket,
    opened: new Promise<void>((resolve) => socket.once('open', () => resolve())),
    closed: new Promise<number>((resolve) => socket.once('close', (code) => resolve(code))),
    next: () =>
      new Promise<string>((resolve) =>
        messages.length > 0 ? resolve(messages.shift() as string) : waiting.push(resolve),
      ),
  }
}
const session = async () =>
  (await (await post('/api/session', { ticket: tokens.ticket() })).json()).token as string

describe('a screen', () => {
  test('shows its token first and is a screen then', async () => {
    const screen = aScreen()
    await screen.opened
    screen.socket.send(JSON.stringify({ k: 'hello', token: await session() }))
    expect(JSON.parse(await screen.next())).toEqual({ k: 'welcome' })
    screen.socket.send(
      JSON.stringify({ k: 'call', id: 0, name: 'feed.open', params: { protocol: 1, resume: null } }),
    )
    expect(JSON.parse(await screen.next())).toMatchObject({ k: 'note', name: 'feed', body: { t: 'hello' } })
    screen.socket.close()
    await screen.closed
  })
  test.each([
    ['a wrong token', JSON.stringify({ k: 'hello', token: 'x' })],
    ['no token', JSON.stringify({ k: 'hello' })],
    ['another message first', JSON.stringify({ k: 'call', id: 0, name: 'status.read', params: {} })],
    ['no JSON', 'hello'],
    ['too long a message', JSON.stringify({ k: 'hello', token: 'x'.repeat(9_000) })],
  ])('with %s is closed with 4401', async (_name, text) => {
    const screen = aScreen()
    await screen.opened
    screen.socket.send(text)
    expect(await screen.closed).toBe(4401)
  })
  test.each([
    ['text that is no JSON', '{', 4400],
    ['a frame of no kind', '{"k":"shout"}', 4400],
    ['a binary frame', Buffer.from([1, 2, 3]), 1003],
    ['a frame over 256 KiB', 'x'.repeat(300_000), 1009],
  ])('that sends %s is closed', async (_name, message, code) => {
    const screen = aScreen(null, { authorization: `Bearer ${tokens.root}` })
    expect(JSON.parse(await screen.next())).toEqual({ k: 'welcome' })
    screen.socket.send(message)
    expect(await screen.closed).toBe(code)
  })
  test('that calls a hundred and one times at once is closed with 4429', async () => {
    const screen = aScreen(null, { authorization: `Bearer ${tokens.root}` })
    await screen.next()
    for (let id = 0; id < 150; id++)
      screen.socket.send(JSON.stringify({ k: 'call', id, name: 'status.read', params: {} }))
    expect(await screen.closed).toBe(4429)
  })
  test('F86 whose token is revoked is closed with 4401', async () => {
    const screen = aScreen()
    await screen.opened
    screen.socket.send(JSON.stringify({ k: 'hello', token: await session() }))
    await screen.next()
    tokens.revokeSessions()
    expect(await screen.closed).toBe(4401)
  })
  test('SR-029 the thirty-third that has not shown a token is refused, and one with a token gets in', async () => {
    const idle = Array.from({ length: 32 }, () => aScreen())
    await Promise.all(idle.map(({ opened }) => opened))
    const refused = await raw(upgradeHead('AAAAAAAAAAAAAAAAAAAAAA=='))
    expect([statusOf(refused), reasonOf(refused)]).toEqual([503, 'preauth_limit'])
    const known = aScreen(null, { authorization: `Bearer ${tokens.root}` })
    expect(JSON.parse(await known.next())).toEqual({ k: 'welcome' })
    for (const screen of [...idle, known]) screen.socket.terminate()
  })
})

/** Sends bytes and resets the connection before the answer can be written. */
const resetAfter = (lines: readonly string[]) =>
  new Promise<void>((resolve) => {
    const socket = connect(serving.port, '127.0.0.1', () =>
      socket.write(`${lines.join('\r\n')}\r\n\r\n`, () => socket.resetAndDestroy()),
    )
    socket.on('error', () => {})
    socket.once('close', () => resolve())
  })
describe('hostile clients', () => {
  test('a refused upgrade that is reset ends nothing but itself', async () => {
    for (let times = 0; times < 40; times++)
      await resetAfter([
        'GET /api/feed HTTP/1.1',
        'Host: evil.test',
        'Connection: Upgrade',
        'Upgrade: websocket',
      ])
    expect((await fetch(url('/healthz'))).status).toBe(200)
  })
  test('SR-029 a handshake that is refused gives its place back', async () => {
    for (let times = 0; times < 33; times++) expect(statusOf(await raw(upgradeHead('bad')))).toBe(400)
    const screen = aScreen()
    await screen.opened
    screen.socket.terminate()
  })
  test('SR-005 a body nested five thousand deep is refused', async () => {
    const answer = await fetch(url('/api/call/status.read'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.root}` },
      body: '['.repeat(5_000) + ']'.repeat(5_000),
    })
    expect([answer.status, answer.headers.get('x-signalbox-reason')]).toEqual([400, 'bad_params'])
  })
  test('a request that never ends is cut off', async () => {
    await serving.close()
    const { control } = quiet
    const parts = {
      net: nodeNet,
      timers: nodeTimers,
      random: nodeRandom,
      page,
      tokens,
      control,
      mayOperate: true,
    }
    serving = await serve({ ...parts, requestTimeoutMs: 200 }, 0)
    const socket = connect(serving.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: '))
    socket.on('error', () => {}).resume()
    await new Promise((resolve) => socket.once('close', resolve))
  })
})

test('SR-030 under --read-only a change is refused, whatever the token', async () => {
  await serving.close()
  serving = await start(false)
  const answer = await post(
    '/api/call/fleet.scale',
    { replicas: 3 },
    { authorization: `Bearer ${tokens.root}` },
  )
  expect([answer.status, answer.headers.get('x-signalbox-reason')]).toEqual([403, 'read_only'])
  expect(quiet.audited).toEqual([])
})

test('F41 a port in use ends with one sentence and the way out', async () => {
  await expect(
    serve(
      {
        net: nodeNet,
        timers: nodeTimers,
        random: nodeRandom,
        page,
        tokens,
        control: quiet.control,
        mayOperate: true,
      },
      serving.port,
    ),
  ).rejects.toThrow(
    new RegExp(
      `cannot serve the page on port ${serving.port}: .*EADDRINUSE.*; choose another with --port, or --port 0`,
    ),
  )
})
