import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { eventually } from '../helpers/eventually'
import { nextReply, rawClient } from '../helpers/raw-client'
import { startRouter } from '../helpers/router-rig'
import { startReplica } from '../helpers/scripted-replica'

// What the parser lets through and we do not, and what it refuses itself (security page 7.2). Every refused request has a
// reason, reaches no replica and ends its connection.
const json = 'Content-Type: application/json'
const rows: readonly { name: string; bytes: string; status: number; reason?: string }[] = [
  {
    name: 'plain',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nContent-Length: 2\r\n\r\n{}`,
    status: 200,
  },
  {
    name: 'HTTP/1.0',
    bytes: `POST /v1/x HTTP/1.0\r\nHOST\r\n${json}\r\nContent-Length: 2\r\n\r\n{}`,
    status: 200,
  },
  {
    name: 'chunked',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    status: 200,
  },
  {
    name: 'chunk extension',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\n`,
    status: 200,
  },
  {
    name: 'trailers',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-T: 1\r\n\r\n`,
    status: 200,
  },
  { name: 'leading empty line', bytes: `\r\nGET /v1/models HTTP/1.1\r\nHOST\r\n\r\n`, status: 200 },
  {
    name: 'a header named __proto__',
    bytes: `GET /v1/models HTTP/1.1\r\nHOST\r\n__proto__: x\r\n\r\n`,
    status: 200,
  },
  {
    name: 'a header with UTF-8',
    bytes: `GET /v1/models HTTP/1.1\r\nHOST\r\nX-Name: 한글\r\n\r\n`,
    status: 200,
  },
  {
    name: 'encoded slash and odd escapes',
    bytes: `GET /v1/a%2Fb?x=%zz HTTP/1.1\r\nHOST\r\n\r\n`,
    status: 200,
  },
  { name: 'dots inside a segment', bytes: `GET /v1/a..b HTTP/1.1\r\nHOST\r\n\r\n`, status: 200 },
  {
    name: 'length and chunked',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'two lengths',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'a signed length',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nContent-Length: +2\r\n\r\n{}`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'gzip, chunked',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'chunked in HTTP/1.0',
    bytes: `POST /v1/x HTTP/1.0\r\nHOST\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'chunked twice',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'an underscore in Content_Length',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nContent_Length: 9\r\nContent-Length: 2\r\n\r\n{}`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'a blank before the colon',
    bytes: `GET /v1/models HTTP/1.1\r\nHOST\r\nX-A : b\r\n\r\n`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'an obsolete fold',
    bytes: `GET /v1/models HTTP/1.1\r\nHOST\r\nX-A: b\r\n c\r\n\r\n`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'a NUL in a value',
    bytes: `GET /v1/models HTTP/1.1\r\nHOST\r\nX-A: \0\r\n\r\n`,
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'a bad chunk size',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n`,
    status: 400,
    reason: 'bad_framing',
  },
  { name: 'HTTP/2.0', bytes: `GET /v1/models HTTP/2.0\r\nHOST\r\n\r\n`, status: 400, reason: 'bad_version' },
  { name: 'HTTP/1.2', bytes: `GET /v1/models HTTP/1.2\r\nHOST\r\n\r\n`, status: 400, reason: 'bad_version' },
  { name: 'HTTP/2 preface', bytes: `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`, status: 400, reason: 'bad_framing' },
  {
    name: 'TLS on a plain port',
    bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    status: 400,
    reason: 'bad_framing',
  },
  {
    name: 'absolute form',
    bytes: `GET http://evil/x HTTP/1.1\r\nHOST\r\n\r\n`,
    status: 400,
    reason: 'bad_target',
  },
  { name: 'asterisk', bytes: `OPTIONS * HTTP/1.1\r\nHOST\r\n\r\n`, status: 400, reason: 'bad_target' },
  {
    name: 'two slashes',
    bytes: `GET //v1/models HTTP/1.1\r\nHOST\r\n\r\n`,
    status: 400,
    reason: 'bad_target',
  },
  {
    name: 'a fragment',
    bytes: `GET /v1/models#a HTTP/1.1\r\nHOST\r\n\r\n`,
    status: 400,
    reason: 'bad_target',
  },
  { name: 'an encoded NUL', bytes: `GET /a%00 HTTP/1.1\r\nHOST\r\n\r\n`, status: 400, reason: 'bad_target' },
  { name: 'a dot segment', bytes: `GET /../x HTTP/1.1\r\nHOST\r\n\r\n`, status: 400, reason: 'bad_target' },
  {
    name: 'an encoded dot segment',
    bytes: `GET /v1/%2E%2e/x HTTP/1.1\r\nHOST\r\n\r\n`,
    status: 400,
    reason: 'bad_target',
  },
  {
    name: 'bytes beyond ASCII in the target',
    bytes: `GET /한 HTTP/1.1\r\nHOST\r\n\r\n`,
    status: 400,
    reason: 'bad_target',
  },
  {
    name: 'a target of 9 KiB',
    bytes: `GET /${'a'.repeat(9_216)} HTTP/1.1\r\nHOST\r\n\r\n`,
    status: 414,
    reason: 'target_too_long',
  },
  {
    name: 'a target of 17 KiB',
    bytes: `GET /${'a'.repeat(17_408)} HTTP/1.1\r\nHOST\r\n\r\n`,
    status: 414,
    reason: 'target_too_long',
  },
  {
    name: 'a header of 17 KiB',
    bytes: `GET /v1/models HTTP/1.1\r\nHOST\r\nX-A: ${'a'.repeat(17_408)}\r\n\r\n`,
    status: 431,
    reason: 'headers_too_large',
  },
  {
    name: '101 headers',
    bytes: `GET /v1/models HTTP/1.1\r\nHOST\r\n${'X-A: b\r\n'.repeat(100)}\r\n`,
    status: 431,
    reason: 'too_many_headers',
  },
  {
    name: '2,000 short headers before a length',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${'a:b\r\n'.repeat(2_000)}Content-Length: 5\r\n\r\nhello`,
    status: 431,
    reason: 'too_many_headers',
  },
  {
    name: 'an upgrade',
    bytes: `GET /v1/models HTTP/1.1\r\nHOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    status: 400,
    reason: 'upgrade_refused',
  },
  {
    name: 'an upgrade with a body',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\n{}`,
    status: 400,
    reason: 'upgrade_refused',
  },
  { name: 'TRACE', bytes: `TRACE / HTTP/1.1\r\nHOST\r\n\r\n`, status: 405, reason: 'method' },
  { name: 'CONNECT', bytes: `CONNECT a:1 HTTP/1.1\r\nHOST\r\n\r\n`, status: 405, reason: 'method' },
  { name: 'an unknown method', bytes: `BREW / HTTP/1.1\r\nHOST\r\n\r\n`, status: 400, reason: 'bad_framing' },
  {
    name: 'another expectation',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nExpect: 200-ok\r\nContent-Length: 2\r\n\r\n{}`,
    status: 417,
    reason: 'expectation',
  },
  {
    name: 'a body over the limit, by its length',
    bytes: `POST /v1/x HTTP/1.1\r\nHOST\r\n${json}\r\nContent-Length: 33554433\r\nExpect: 100-continue\r\n\r\n`,
    status: 413,
    reason: 'body_too_large',
  },
]

describe('requests on the wire', () => {
  test.each(rows)('$name: $status', async ({ bytes, status, reason }) => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const client = rawClient(rig.proxyPort)
    client.send(
      Buffer.from(
        bytes.replace('HOST', `Host: 127.0.0.1:${rig.proxyPort}`),
        bytes.startsWith('\x16') ? 'latin1' : 'utf8',
      ),
    )
    const reply = await nextReply(client)
    expect(reply.status).toBe(status)
    expect(client.received().toString(), 'no 100 before a refusal').not.toMatch(/^HTTP\/1.1 100/)
    if (status === 200) return expect(replica.calls).toHaveLength(1)
    expect(reply.header('x-signalbox-reason')).toBe(reason)
    expect(reply.header('x-should-retry')).toBe('false')
    if (status !== 403) expect(JSON.parse(reply.text).error.code).toBe(reason)
    expect(replica.connections, 'bytes towards a replica').toBe(0)
    await client.closed
  })
})

test('CONNECT and a reset before the answer end nothing but themselves', async () => {
  const replica = await startReplica()
  const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
  for (let times = 0; times < 40; times++)
    await new Promise<void>((resolve) => {
      const socket = connect(rig.proxyPort, '127.0.0.1', () =>
        socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.resetAndDestroy()),
      )
      socket.on('error', () => {})
      socket.once('close', () => resolve())
    })
  expect((await fetch(`http://127.0.0.1:${rig.proxyPort}/health`)).status).toBe(200)
})

test('a continued upload: 100 comes after the checks, then the body passes', async () => {
  const replica = await startReplica()
  const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
  const client = rawClient(rig.proxyPort)
  client.send(
    `POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1:${rig.proxyPort}\r\n${json}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  )
  await eventually(() => client.received().toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  expect(replica.connections).toBe(0)
  client.send('{}')
  expect((await nextReply(client)).status).toBe(200)
  expect(replica.calls[0]?.header('expect')).toBeUndefined()
  expect(replica.calls[0]?.body.toString()).toBe('{}')
})

test('a chunked body that crosses the limit: 413, the replica sees an abort', async () => {
  const replica = await startReplica()
  const rig = await startRouter({
    replicas: [{ id: 'r1', url: replica.url }],
    limits: { bodyMaxBytes: 1_000_000 },
  })
  const client = rawClient(rig.proxyPort)
  client.send(
    `POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1:${rig.proxyPort}\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`,
  )
  const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
  for (let at = 0; at < 20; at++) client.send(chunk)
  const reply = await nextReply(client)
  expect([reply.status, reply.header('x-signalbox-reason')]).toEqual([413, 'body_too_large'])
  expect(replica.calls, 'no whole request').toHaveLength(0)
  expect(await rig.inFlight()).toBe(0)
})

test('pipelined requests are served one at a time, in order', async () => {
  const order: string[] = []
  let waiting = 0
  const replica = await startReplica((call) => {
    waiting++
    order.push(`${call.line.split(' ')[1]} with ${waiting} under way`)
    setTimeout(() => {
      waiting--
      call.socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n${call.line.slice(-11, -9)}`)
    }, 5)
  })
  const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
  const client = rawClient(rig.proxyPort)
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${rig.proxyPort}\r\n\r\n`
  client.send(get('/a1') + get('/b2') + get('/c3'))
  await eventually(() => client.received().toString().split('HTTP/1.1 200').length).toBe(4)
  expect(order).toEqual(['/a1 with 1 under way', '/b2 with 1 under way', '/c3 with 1 under way'])
})

describe('clients that are slow', () => {
  test('late headers: 408', async () => {
    const rig = await startRouter({ replicas: [], limits: { clientHeaderMs: 300 } })
    const client = rawClient(rig.proxyPort)
    client.send('GET /v1/models HTTP/1.1\r\nHo')
    const reply = await nextReply(client)
    expect([reply.status, reply.header('x-signalbox-reason')]).toEqual([408, 'client_header_timeout'])
  })

  test('a body that stops: 408, and a replica that had its start is freed', async () => {
    const replica = await startReplica()
    const rig = await startRouter({
      replicas: [{ id: 'r1', url: replica.url }],
      limits: { clientBodyGapMs: 150, prefixMaxBytes: 4 },
    })
    const client = rawClient(rig.proxyPort)
    client.send(
      `POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1:${rig.proxyPort}\r\n${json}\r\nContent-Length: 100\r\n\r\n{"a":1`,
    )
    const reply = await nextReply(client)
    expect([reply.status, reply.header('x-signalbox-reason')]).toEqual([408, 'client_body_timeout'])
    expect(await rig.inFlight()).toBe(0)
  })
})
