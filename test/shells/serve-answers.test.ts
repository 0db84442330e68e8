import { createServer } from 'node:net'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { nodeNet } from '../../src-main/adapters/node/net'
import { fail } from '../../src-main/base/result'
import { Stop } from '../../src-main/shells/exit'
import { portHolder } from '../../src-main/shells/serve/port-holder'
import { aPageServer, bodyOf, headerOf, statusOf } from '../helpers/a-page-server'

let served: Awaited<ReturnType<typeof aPageServer>>
beforeEach(async () => {
  served = await aPageServer()
})
const reasonOf = (answer: string) => headerOf(answer, 'x-signalbox-reason')
const ask = async (line: string, ...more: string[]) =>
  served.raw([`${line} HTTP/1.1`, 'Host: $', 'Connection: close', ...more])
const json = 'Content-Type: application/json'
const withBody = (type: string, body: string) => [type, `Content-Length: ${body.length}`, '', body]

describe('every refusal has its status, its reason and a sentence on what to do', () => {
  test.each([
    ['POST /', [json, 'Content-Length: 0'], 405, 'method', 'GET, HEAD'],
    ['POST /healthz', [json, 'Content-Length: 0'], 405, 'method', 'GET, HEAD'],
    ['DELETE /assets/a.js', [], 405, 'method', 'GET, HEAD'],
    ['OPTIONS /', [], 405, 'method', 'GET, HEAD'],
    ['GET /api/session', [], 405, 'method', 'POST'],
    ['HEAD /api/session', [], 405, 'method', 'POST'],
    ['GET /api/call/status.read', [], 405, 'method', 'POST'],
    ['POST /api/feed', [json, 'Content-Length: 0'], 405, 'method', 'GET'],
    ['GET /api/feed', [], 426, 'upgrade_required', undefined],
    ['TRACE /', [], 405, 'method', 'GET, HEAD, POST'],
    ['GET /nothing', [], 404, 'no_route', undefined],
    ['PUT /nothing', [json], 404, 'no_route', undefined],
    ['GET /api', [], 404, 'no_route', undefined],
    ['POST /api/session', withBody('Content-Type: text/plain', '{}'), 415, 'content_type', undefined],
    [
      'POST /api/session',
      ['Content-Encoding: gzip', ...withBody(json, '{}')],
      415,
      'content_type',
      undefined,
    ],
    ['POST /api/session', withBody(json, '{'), 400, 'bad_params', undefined],
    ['POST /api/session', withBody(json, '{"ticket":1}'), 400, 'bad_params', undefined],
    ['POST /api/session', withBody(json, '{"ticket":"x"}'), 401, 'ticket_unknown', undefined],
    ['POST /api/session', [json, 'Content-Length: 2000000'], 413, 'body_too_large', undefined],
    ['POST /api/call/status.read', withBody(json, '{}'), 401, 'auth_required', undefined],
    ['GET /', ['Expect: a miracle'], 417, 'expectation', undefined],
    [`GET /${'x'.repeat(9_000)}`, [], 414, 'target_too_long', undefined],
    ['GET /', [`X: ${'x'.repeat(20_000)}`], 431, 'headers_too_large', undefined],
    ['GET /', Array.from({ length: 101 }, (_, at) => `X-${at}: x`), 431, 'too_many_headers', undefined],
  ] as const)('%s %j is %i %s', async (line, more, status, reason, allow) => {
    const answer = await ask(line, ...more)
    expect([statusOf(answer), reasonOf(answer), headerOf(answer, 'allow')]).toEqual([status, reason, allow])
    if (line.startsWith('HEAD')) return expect(bodyOf(answer)).toBe('')
    const { error } = JSON.parse(bodyOf(answer))
    expect(error).toMatchObject({ code: reason, message: expect.stringMatching(/^[A-Z].{15,}\.$/) })
  })
  test.each([
    ['nothing', {}, 404, 'no_such_call'],
    ['x'.repeat(100), {}, 404, 'no_such_call'],
    ['__proto__', {}, 404, 'no_such_call'],
    ['fleet.scale', { replicas: 0 }, 400, 'bad_params'],
    ['policy.set', { id: 'no-such', params: {} }, 400, 'no_such_policy'],
    ['decisions.last', { last: 1 }, 503, 'restarting'],
    ['fleet.scale', { replicas: 3 }, 503, 'restarting'],
  ])('the call %s %j is %i %s', async (name, params, status, reason) => {
    const answer = await served.post(`/api/call/${name}`, params, served.bearer)
    expect([answer.status, answer.headers.get('x-signalbox-reason')]).toEqual([status, reason])
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
    expect(await answer.json()).toMatchObject({ error: { code: reason } })
  })
  test('a chunked body over the limit is 413, and the client can read that', async () => {
    const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`
    const token = `Authorization: ${served.bearer.authorization}`
    const answer = await ask(
      'POST /api/call/status.read',
      json,
      token,
      'Transfer-Encoding: chunked',
      '',
      chunk.repeat(17),
    )
    expect([statusOf(answer), reasonOf(answer)]).toEqual([413, 'body_too_large'])
  })
  test('a client that waits for 100 Continue gets it once its token is good', async () => {
    const head = [json, 'Expect: 100-continue', 'Content-Length: 2']
    const good = await ask(
      'POST /api/call/status.read',
      ...head,
      `Authorization: ${served.bearer.authorization}`,
      '',
      '{}',
    )
    expect(good).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
    expect(statusOf(await ask('POST /api/call/status.read', ...head))).toBe(401)
  })
})

describe('security page 6.2 step 2: what is not framed clearly goes no further', () => {
  const post = 'POST /api/session HTTP/1.1'
  test.each([
    [
      'length and chunked',
      [post, 'Host: $', json, 'Content-Length: 2', 'Transfer-Encoding: chunked'],
      'bad_framing',
    ],
    ['two lengths', [post, 'Host: $', json, 'Content-Length: 2', 'Content-Length: 2'], 'bad_framing'],
    ['gzip, chunked', [post, 'Host: $', json, 'Transfer-Encoding: gzip, chunked'], 'bad_framing'],
    [
      'chunked in HTTP/1.0',
      ['POST / HTTP/1.0', 'Host: $', json, 'Transfer-Encoding: chunked'],
      'bad_framing',
    ],
    ['a length spelled with _', [post, 'Host: $', json, 'Content_Length: 2'], 'bad_framing'],
    ['a token spelled with _', ['GET / HTTP/1.1', 'Host: $', 'Proxy_Authorization: x'], 'bad_framing'],
    ['a folded header', ['GET / HTTP/1.1', 'Host: $', 'X: a', ' b'], 'bad_framing'],
    ['a blank before the colon', ['GET / HTTP/1.1', 'Host: $', 'X : a'], 'bad_framing'],
    ['no host', ['GET / HTTP/1.1'], 'bad_host'],
    ['two hosts', ['GET / HTTP/1.1', 'Host: $', 'Host: $'], 'bad_host'],
    ['HTTP/2.0', ['GET / HTTP/2.0', 'Host: $'], 'bad_version'],
    ['an absolute target', ['GET http://$/ HTTP/1.1', 'Host: $'], 'bad_target'],
    ['two slashes', ['GET //x HTTP/1.1', 'Host: $'], 'bad_target'],
    [
      'an upgrade where there is none',
      ['GET / HTTP/1.1', 'Host: $', 'Connection: Upgrade', 'Upgrade: websocket'],
      'upgrade_refused',
    ],
    [
      'an upgrade to the feed that is framed twice',
      [
        'GET /api/feed HTTP/1.1',
        'Host: $',
        'Host: $',
        'Origin: http://$',
        'Connection: Upgrade',
        'Upgrade: websocket',
      ],
      'bad_host',
    ],
  ])('%s', async (_name, lines, reason) => {
    const answer = await served.raw(lines)
    expect([statusOf(answer), reasonOf(answer)]).toEqual([400, reason])
    expect(JSON.parse(bodyOf(answer)).error.code).toBe(reason)
  })
  test('CONNECT is told that it is not served', async () => {
    expect(statusOf(await served.raw(['CONNECT evil.test:443 HTTP/1.1', 'Host: $']))).toBe(405)
  })
  test('two origins are none', async () => {
    const answer = await ask('GET /', 'Origin: http://evil.test', `Origin: http://${served.host}`)
    expect(reasonOf(answer)).toBe('origin_not_allowed')
  })
})

describe('F41 a port that cannot be had', () => {
  const end = (own: Parameters<typeof aPageServer>[0], port: number) =>
    aPageServer(own, port).then(
      () => expect.fail('it was had'),
      (error: unknown) => error,
    )
  test('is told with its holder and the way out, with 69', async () => {
    const taken = await end({ holderOf: async (port) => `it is held by ${port}` }, served.port)
    expect(taken).toBeInstanceOf(Stop)
    expect(taken).toMatchObject({
      exitCode: 69,
      message: `cannot serve the page on port ${served.port}: it is held by ${served.port}; choose another with --port, or --port 0`,
    })
    expect(await end({}, served.port)).toMatchObject({
      message: expect.stringMatching(/: .*EADDRINUSE.*; choose another with --port, or --port 0$/),
    })
  })
  test('another console is known by its answer, anything else is another program', async () => {
    expect(await portHolder(served.port)).toMatch(/^another Signalbox serves its page there/)
    const other = createServer((socket) => socket.end('SSH-2.0-x\r\n')).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    onTestFinished(() => void other.close())
    const address = other.address()
    expect(await portHolder(typeof address === 'object' ? (address?.port ?? 0) : 0)).toBe(
      'another program listens there',
    )
  })
  test('on IPv6 alone is said in one line', async () => {
    const { said, port } = await aPageServer({
      net: {
        ...nodeNet,
        listen: async (address, accept) =>
          'host' in address && address.host === '::1'
            ? fail({ code: 'in-use', message: 'address already in use' })
            : nodeNet.listen(address, accept),
      },
    })
    expect(said).toEqual([
      `the page answers on 127.0.0.1:${port} only, not on [::1]:${port} (address already in use); where localhost means [::1], use 127.0.0.1`,
    ])
    expect(served.said).toEqual([])
  })
})
