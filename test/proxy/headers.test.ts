import { describe, expect, test } from 'vitest'
import { eventually } from '../helpers/eventually'
import { chatRequest, exchange, rawClient } from '../helpers/raw-client'
import { startRouter } from '../helpers/router-rig'
import { dechunk, startReplica } from '../helpers/scripted-replica'

// The direction table of the security page 7.3, seen at both ends.
const removedFromRequests = [
  'Connection: x-listed, content-length, host',
  'X-Listed: gone',
  'Keep-Alive: timeout=5',
  'Proxy-Connection: keep-alive',
  'Proxy-Authorization: Basic x',
  'TE: gzip',
  'Trailer: x-t',
  'HTTP2-Settings: x',
  'Forwarded: for=1.2.3.4',
  'X-Forwarded-For: 1.2.3.4',
  'X-Forwarded-Host: evil',
  'X-Real-IP: 1.2.3.4',
  'X-Signalbox-Replica: r9',
  'X-Signalbox-Demo: 1',
  'X-Serve-Router-Kv-Token-Key: x',
  'Authorization: Bearer sk-x',
]
const keptInRequests = [
  'User-Agent: test/1',
  'Accept: text/event-stream',
  'X-Session-Id: 대화-1',
  'Cookie: a=b',
  'X-Twice: 1',
  'X-Twice: 2',
]

describe('client → replica', () => {
  test('hop-by-hop and own names are removed, the rest keeps order, case and bytes, framing is rebuilt', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const headers = `${[...removedFromRequests, ...keptInRequests].join('\r\n')}\r\n`
    await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { headers }))
    const sent =
      replica.calls[0]?.headers.map(
        ([name, value]) => `${name}: ${Buffer.from(value, 'latin1').toString('utf8')}`,
      ) ?? []
    expect(sent).toEqual([
      `Host: 127.0.0.1:${replica.port}`,
      'Content-Type: application/json',
      ...keptInRequests,
      expect.stringMatching(/^x-request-id: sb-[0-9a-f]{4}-1$/),
      'Via: 1.1 signalbox',
      'Connection: close',
      expect.stringMatching(/^traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
      expect.stringMatching(/^Content-Length: \d+$/),
    ])
  })

  test('a harmless request id and a trace are kept; the demo mark is recorded', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const headers = `X-Request-Id: my.id-1\r\nTraceparent: ${trace}\r\nX-Signalbox-Demo: 1\r\n`
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { headers }))
    expect(replica.calls[0]?.header('x-request-id')).toBe('my.id-1')
    expect(replica.calls[0]?.header('traceparent')).toBe(trace)
    expect(reply.header('x-signalbox-request-id')).toBe('my.id-1')
    expect(await rig.made(reply.header('x-signalbox-decision'))).toMatchObject({
      requestId: 'my.id-1',
      demo: true,
    })
  })

  test.each(['a b', 'a/b', 'x'.repeat(129), '<script>'])('request id %j is replaced', async (id) => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { headers: `X-Request-Id: ${id}\r\n` }))
    expect(replica.calls[0]?.header('x-request-id')).toMatch(/^sb-/)
  })

  test('a chunked body stays chunked, and its trailers are dropped', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(
      rig.proxyPort,
      `POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1:${rig.proxyPort}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\nX-Trailer: t\r\n\r\n`,
    )
    expect(reply.status).toBe(200)
    const [call] = replica.calls
    expect(call?.body.toString()).toBe('{"a":1}')
    expect(
      call?.headers.filter(([name]) => /^(content-length|transfer-encoding|trailer)$/i.test(name)),
    ).toEqual([['Transfer-Encoding', 'chunked']])
  })

  test('target and body pass byte for byte', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const body = Buffer.concat([
      Buffer.from('\ufeff{"model":"m","x":"'),
      Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80]),
      Buffer.from('"'),
    ])
    const head = `POST /v1/a%2Fb?x=%zz&y= HTTP/1.1\r\nHost: 127.0.0.1:${rig.proxyPort}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    expect((await exchange(rig.proxyPort, Buffer.concat([Buffer.from(head), body]))).status).toBe(200)
    expect(replica.calls[0]?.line).toBe('POST /v1/a%2Fb?x=%zz&y= HTTP/1.1')
    expect(replica.calls[0]?.body.equals(body)).toBe(true)
  })

  test('a body of 3 MB, far beyond what is read of it, passes whole', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const prompt = 'abc '.repeat(750_000)
    const text = JSON.stringify({ model: 'm', prompt })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { body: { model: 'm', prompt } }))
    expect(reply.status).toBe(200)
    expect(replica.calls[0]?.body.length).toBe(
      text.length + '"messages":[{"role":"user","content":"hello"}],'.length,
    )
    const made = await rig.made(reply.header('x-signalbox-decision'))
    expect(made.truncated?.full).toBe(replica.calls[0]?.body.length)
    expect(Math.abs((made.promptTokens ?? 0) - 750_000)).toBeLessThan(100)
  })
})

describe('replica → client', () => {
  test('hop-by-hop and own names are removed, the rest passes', async () => {
    const replica = await startReplica((call) =>
      call.socket.end(
        [
          'HTTP/1.1 200 Fine',
          'Connection: close, x-listed',
          'X-Listed: gone',
          'Keep-Alive: timeout=5',
          'Proxy-Authenticate: Basic',
          'Trailer: x-t',
          'Upgrade: h2c',
          'Alt-Svc: h2=":443"',
          'Strict-Transport-Security: max-age=1',
          'X-Signalbox-Replica: r9',
          'X-Serve-Reason: seen-elsewhere',
          'Date: Thu, 01 Jan 1970 00:00:00 GMT',
          'Set-Cookie: a=1',
          'Set-Cookie: b=2',
          'X-Name: 한',
          'Content-Length: 2',
          '',
          'ok',
        ].join('\r\n'),
      ),
    )
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
    const lines = Buffer.from(reply.head, 'latin1').toString('utf8').split('\r\n')
    expect(lines).toEqual([
      'HTTP/1.1 200 Fine',
      'X-Serve-Reason: seen-elsewhere',
      'Date: Thu, 01 Jan 1970 00:00:00 GMT',
      'Set-Cookie: a=1',
      'Set-Cookie: b=2',
      'X-Name: 한',
      expect.stringMatching(/^x-signalbox-request-id: sb-/),
      'x-signalbox-reason: ok',
      'x-signalbox-replica: r1',
      expect.stringMatching(/^x-signalbox-decision: /),
      'x-signalbox-attempts: 1',
      'Content-Length: 2',
      'Connection: keep-alive',
      expect.stringMatching(/^Keep-Alive: timeout=15/),
    ])
  })

  test('our own headers can be switched off', async () => {
    const replica = await startReplica()
    const rig = await startRouter({
      replicas: [{ id: 'r1', url: replica.url }],
      seams: { ownHeaders: false },
    })
    const good = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
    await rig.fault('router-500')
    const bad = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
    expect([good.status, bad.status]).toEqual([200, 503])
    for (const { head } of [good, bad]) expect(head).not.toContain('x-signalbox')
    expect(bad.header('x-serve-reason')).toBe('router_non_200')
    expect(bad.header('x-should-retry')).toBe('true')
  })

  test('an HTTP/1.0 client gets a stream without chunks', async () => {
    const replica = await startReplica((call) => {
      call.send(
        'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n',
      )
      call.socket.end('1\r\nc\r\n0\r\n\r\n')
    })
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort).replace('HTTP/1.1', 'HTTP/1.0'))
    expect(reply.header('transfer-encoding')).toBeUndefined()
    expect(reply.text).toBe('abc')
  })

  test.each([
    ['204 No Content', ''],
    ['304 Not Modified', 'Content-Length: 5\r\n'],
  ])('%s has no body', async (status, extra) => {
    const replica = await startReplica((call) => call.socket.end(`HTTP/1.1 ${status}\r\n${extra}\r\n`))
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const client = rawClient(rig.proxyPort)
    client.send(chatRequest(rig.proxyPort))
    await eventually(() => client.received().toString()).toContain(`HTTP/1.1 ${status}`)
    client.send(chatRequest(rig.proxyPort))
    await eventually(() => client.received().toString().split(`HTTP/1.1 ${status}`).length).toBe(3)
  })

  test('a compressed reply passes untouched', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 255, 254])
    const replica = await startReplica((call) => {
      call.send(
        `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n${bytes.length.toString(16)}\r\n`,
      )
      call.send(bytes)
      call.socket.end('\r\n0\r\n\r\n')
    })
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
    expect(reply.body.equals(bytes)).toBe(true)
    expect(dechunk(Buffer.from('0\r\n\r\n'))?.bytes).toHaveLength(0)
    const { outcome } = await rig.ended(reply.header('x-signalbox-decision'))
    expect(outcome).toMatchObject({ end: 'done', streamed: false, outputTokens: null })
  })
})

test('what is not a POST goes to the least busy replica and is no decision', async () => {
  const [first, second] = [await startReplica(), await startReplica()]
  const rig = await startRouter({
    replicas: [
      { id: 'r1', url: first.url },
      { id: 'r2', url: second.url },
    ],
    policy: 'consistent-hash',
  })
  for (let at = 0; at < 4; at++) {
    const reply = await exchange(
      rig.proxyPort,
      chatRequest(rig.proxyPort, { method: 'GET', path: '/v1/models' }),
    )
    expect(reply.status).toBe(200)
    expect(reply.header('x-signalbox-decision')).toBeUndefined()
    expect(['r1', 'r2']).toContain(reply.header('x-signalbox-replica'))
  }
  expect([first.calls.length, second.calls.length]).toEqual([2, 2])
})

test('a model that nobody serves: 404, and no router is asked', async () => {
  const replica = await startReplica()
  const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
  const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { body: { model: 'other' } }))
  expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([404, 'model_not_found'])
  expect(replica.connections).toBe(0)
})
