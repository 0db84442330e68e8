import { connect } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { aPageServer, headerOf, statusOf, upgradeHead } from '../helpers/a-page-server'

let served: Awaited<ReturnType<typeof aPageServer>>
beforeEach(async () => {
  served = await aPageServer()
})
const reasonOf = (answer: string) => headerOf(answer, 'x-signalbox-reason')

describe('the page', () => {
  test('comes with the security headers and a fresh nonce', async () => {
    const [first, second] = [await fetch(served.url('/')), await fetch(served.url('/'))]
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
    ['/../package.json', 400],
    ['/%2e%2e/package.json', 400],
    ['/..\\package.json', 404],
    ['//etc/passwd', 400],
    ['/assets/', 404],
    ['/assets/a.js?x=1', 200],
    ['/healthz', 200],
  ])('%s is %i', async (path, status) => {
    expect(statusOf(await served.raw([`GET ${path} HTTP/1.1`, 'Host: $', 'Connection: close']))).toBe(status)
  })
  test('no answer ever grants another origin anything', async () => {
    for (const answer of [
      await fetch(served.url('/')),
      await fetch(served.url('/'), { method: 'OPTIONS' }),
      await served.post('/api/session', {}),
    ]) {
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('SR-021 to SR-024 checks before anything else', () => {
  test.each([
    ['a foreign host', ['GET / HTTP/1.1', 'Host: evil.test'], 403, 'host_not_allowed'],
    ['two hosts', ['GET / HTTP/1.1', 'Host: $', 'Host: $'], 400, 'bad_host'],
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
    const answer = await served.raw(lines)
    expect([statusOf(answer), reasonOf(answer)]).toEqual([status, reason])
  })
})

describe('calls of scripts', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  test('need the token', async () => {
    const without = await served.post('/api/call/status.read', {})
    const wrong = await served.post('/api/call/status.read', {}, bearer('0'.repeat(64)))
    for (const answer of [without, wrong]) {
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    expect(await without.text()).toBe(await wrong.text())
  })
  test('are answered', async () => {
    const answer = await served.post('/api/call/status.read', {}, bearer(served.tokens.root))
    expect(await answer.json()).toMatchObject({ health: { version: 'test', environment: 'DEMO' } })
  })
  test.each([
    ['nothing', {}, 404],
    ['fleet.scale', { replicas: 0 }, 400],
    ['fleet.scale', 'no json object', 400],
  ])('%s %j is %i', async (name, params, status) => {
    expect((await served.post(`/api/call/${name}`, params, bearer(served.tokens.root))).status).toBe(status)
  })
  test('a wrong token is told a second late from the sixth time on, and does not slow the right one', async () => {
    for (let times = 0; times < 5; times++) await served.post('/api/call/status.read', {}, bearer('x'))
    const slow = served.post('/api/call/status.read', {}, bearer('x')).then(() => 'slow')
    const quick = served.post('/api/call/status.read', {}, bearer(served.tokens.root)).then(() => 'quick')
    expect(await Promise.race([slow, quick])).toBe('quick')
    expect(await slow).toBe('slow')
  })
})

describe('a screen', () => {
  test('shows its token first and is a screen then', async () => {
    const screen = served.screen()
    await screen.opened
    screen.socket.send(JSON.stringify({ k: 'hello', token: await served.session() }))
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
    const screen = served.screen()
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
    const screen = served.screen(served.bearer)
    expect(JSON.parse(await screen.next())).toEqual({ k: 'welcome' })
    screen.socket.send(message)
    expect(await screen.closed).toBe(code)
  })
  test('that calls a hundred and one times at once is closed with 4429', async () => {
    const screen = served.screen(served.bearer)
    await screen.next()
    for (let id = 0; id < 150; id++)
      screen.socket.send(JSON.stringify({ k: 'call', id, name: 'status.read', params: {} }))
    expect(await screen.closed).toBe(4429)
  })
  test('F86 whose token is revoked is closed with 4401', async () => {
    const screen = served.screen()
    await screen.opened
    screen.socket.send(JSON.stringify({ k: 'hello', token: await served.session() }))
    await screen.next()
    served.tokens.revokeSessions()
    expect(await screen.closed).toBe(4401)
  })
  test('SR-029 the thirty-third that has not shown a token is refused, and one with a token gets in', async () => {
    const idle = Array.from({ length: 32 }, () => served.screen())
    await Promise.all(idle.map(({ opened }) => opened))
    const refused = await served.raw(upgradeHead('AAAAAAAAAAAAAAAAAAAAAA=='))
    expect([statusOf(refused), reasonOf(refused)]).toEqual([503, 'preauth_limit'])
    const known = served.screen(served.bearer)
    expect(JSON.parse(await known.next())).toEqual({ k: 'welcome' })
    for (const screen of [...idle, known]) screen.socket.terminate()
  })
})

/** Sends bytes and resets the connection before the answer can be written. */
const resetAfter = (lines: readonly string[]) =>
  new Promise<void>((resolve) => {
    const socket = connect(served.port, '127.0.0.1', () =>
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
    expect((await fetch(served.url('/healthz'))).status).toBe(200)
  })
  test('SR-029 a handshake that is refused gives its place back', async () => {
    for (let times = 0; times < 33; times++) expect(statusOf(await served.raw(upgradeHead('bad')))).toBe(400)
    const screen = served.screen()
    await screen.opened
    screen.socket.terminate()
  })
  test('SR-005 a body nested five thousand deep is refused', async () => {
    const answer = await fetch(served.url('/api/call/status.read'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${served.tokens.root}` },
      body: '['.repeat(5_000) + ']'.repeat(5_000),
    })
    expect([answer.status, answer.headers.get('x-signalbox-reason')]).toEqual([400, 'bad_params'])
  })
  test('a request that never ends is cut off', async () => {
    served = await aPageServer({ waits: { headersMs: 200 } })
    const socket = connect(served.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: '))
    socket.on('error', () => {}).resume()
    await new Promise((resolve) => socket.once('close', resolve))
  })
})

test('SR-030 under --read-only a change is refused, whatever the token', async () => {
  served = await aPageServer({ mayOperate: false })
  const answer = await served.post(
    '/api/call/fleet.scale',
    { replicas: 3 },
    { authorization: `Bearer ${served.tokens.root}` },
  )
  expect([answer.status, answer.headers.get('x-signalbox-reason')]).toEqual([403, 'read_only'])
  expect(served.quiet.audited).toEqual([])
})
