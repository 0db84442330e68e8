import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { nodeNet } from '../../src-main/adapters/node/net'
import { eventually } from '../helpers/eventually'
import { chatRequest, exchange, nextReply, rawClient } from '../helpers/raw-client'
import { fleetOf, type RouterRig, startRouter } from '../helpers/router-rig'
import {
  answerJson,
  beginStream,
  chunkOf,
  closedPort,
  contentEvent,
  doneEvent,
  finishEvent,
  type ScriptedCall,
  startReplica,
} from '../helpers/scripted-replica'
import { until } from '../helpers/until'

const streaming = { body: { stream: true } }

describe('a replica that fails before it answers', () => {
  const rows: readonly {
    name: string
    script: (call: ScriptedCall) => void
    status: number
    reason: string
  }[] = [
    {
      name: 'closes after the request',
      script: (call) => call.socket.end(),
      status: 502,
      reason: 'replica_reset',
    },
    {
      name: 'resets after the request',
      script: (call) => call.socket.resetAndDestroy(),
      status: 502,
      reason: 'replica_reset',
    },
    { name: 'is not HTTP', script: (call) => call.socket.end('hello\r\n'), status: 502, reason: 'bad_reply' },
    {
      name: 'has length and chunks',
      script: (call) =>
        call.socket.end(
          'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        ),
      status: 502,
      reason: 'bad_reply',
    },
    {
      name: 'has a coding that hides its body',
      script: (call) =>
        call.socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'),
      status: 502,
      reason: 'bad_reply',
    },
    {
      name: 'has a status beyond 599',
      script: (call) => call.socket.end('HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n'),
      status: 502,
      reason: 'bad_reply',
    },
    {
      name: 'has a blank before a colon',
      script: (call) => call.socket.end('HTTP/1.1 200 OK\r\nX-A : b\r\nContent-Length: 0\r\n\r\n'),
      status: 502,
      reason: 'bad_reply',
    },
    {
      name: 'has 40 KiB of headers',
      script: (call) => call.socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${'a'.repeat(40_960)}\r\n\r\n`),
      status: 502,
      reason: 'reply_headers_too_large',
    },
    {
      name: 'sends interim answers without end',
      script: (call) => call.send('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20)),
      status: 502,
      reason: 'reply_1xx_flood',
    },
    {
      name: 'switches protocols unasked',
      script: (call) =>
        call.send('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      status: 502,
      reason: 'reply_upgrade',
    },
    { name: 'says nothing', script: () => undefined, status: 504, reason: 'replica_header_timeout' },
  ]
  test.each(rows)('$name: $status $reason, no second try', async ({ script, status, reason }) => {
    const replica = await startReplica(script)
    const other = await startReplica()
    const rig = await startRouter({
      replicas: [
        { id: 'r1', url: replica.url },
        { id: 'r2', url: other.url },
      ],
      policy: 'consistent-hash',
      limits: { replyHeaderMs: 150 },
    })
    const mine = await sessionOf(rig, 'r1')
    const reply = await exchange(
      rig.proxyPort,
      chatRequest(rig.proxyPort, { headers: `x-session-id: ${mine}\r\n` }),
    )
    expect(reply.status).toBe(status)
    expect(reply.header('x-signalbox-reason')).toBe(reason)
    expect(reply.header('x-should-retry')).toBe('false')
    expect(reply.header('x-signalbox-replica')).toBe('r1')
    expect(reply.header('x-signalbox-attempts')).toBe('1')
    expect(replica.calls, 'the prompt was sent once').toHaveLength(1)
    expect(other.calls).toHaveLength(0)
    const { outcome } = await rig.ended(reply.header('x-signalbox-decision'))
    expect(outcome).toMatchObject({ end: 'broke', status, reason, served: 'r1', streamed: false })
    expect(await rig.inFlight()).toBe(0)
  })
})

/** A session that the ring gives to a replica, found by asking the router's endpoint. */
async function sessionOf(rig: RouterRig, replicaId: string): Promise<string> {
  for (let at = 0; ; at++) {
    const reply = await exchange(
      rig.routerPort,
      `POST /internal/route HTTP/1.1\r\nHost: 127.0.0.1:${rig.routerPort}\r\nx-session-id: s${at}\r\nContent-Length: 0\r\n\r\n`,
    )
    if (JSON.parse(reply.text).replica_id.endsWith(`#${replicaId}`)) return `s${at}`
  }
}

describe('a replica that cannot be reached', () => {
  test('another candidate of the same decision answers: attempts 2, and its own id in the header', async () => {
    const second = await startReplica()
    const rig = await startRouter({
      replicas: [
        { id: 'r1', url: `http://127.0.0.1:${await closedPort()}` },
        { id: 'r2', url: second.url },
      ],
      policy: 'consistent-hash',
    })
    const mine = await sessionOf(rig, 'r1')
    const reply = await exchange(
      rig.proxyPort,
      chatRequest(rig.proxyPort, { headers: `x-session-id: ${mine}\r\n` }),
    )
    expect(reply.status).toBe(200)
    expect(reply.header('x-signalbox-replica')).toBe('r2')
    expect(reply.header('x-signalbox-attempts')).toBe('2')
    const decision = reply.header('x-signalbox-decision')
    expect(await rig.made(decision)).toMatchObject({ pick: 'r1', fallbacks: ['r2'] })
    expect((await rig.ended(decision)).outcome).toMatchObject({
      served: 'r2',
      rank: 1,
      attempts: 2,
      reason: 'ok',
    })
    expect(await rig.inFlight()).toBe(0)
  })

  test('a candidate that was removed while the first one was tried gets nothing', async () => {
    const second = await startReplica()
    const tried: Socket[] = []
    const first = { id: 'r1', model: 'm', url: 'http://127.0.0.1:1' }
    const net: typeof nodeNet = {
      ...nodeNet,
      connect(address, options) {
        if (!('port' in address) || address.port !== 1) return nodeNet.connect(address, options)
        tried.push(new Socket()) // connects when the test says so: never
        return tried[0] as Socket
      },
    }
    const rig = await startRouter({
      replicas: [first, { id: 'r2', url: second.url }],
      policy: 'consistent-hash',
      seams: { net },
    })
    const mine = await sessionOf(rig, 'r1')
    const reply = exchange(
      rig.proxyPort,
      chatRequest(rig.proxyPort, { headers: `x-session-id: ${mine}\r\n` }),
    )
    await until('a try', () => tried.length > 0)
    await rig.call('router.members', { replicas: [first] })
    tried[0]?.destroy(new Error('refused'))
    expect((await reply).header('x-signalbox-reason')).toBe('connect_failed')
    expect(second.connections).toBe(0)
  })

  test('nobody else is tried when the policy declared no fallbacks', async () => {
    const second = await startReplica()
    const rig = await startRouter({
      replicas: [
        { id: 'r1', url: `http://127.0.0.1:${await closedPort()}` },
        { id: 'r2', url: second.url },
      ],
      policy: 'consistent-hash',
      params: { num_fallback_replicas: 0 },
    })
    const mine = await sessionOf(rig, 'r1')
    const reply = await exchange(
      rig.proxyPort,
      chatRequest(rig.proxyPort, { headers: `x-session-id: ${mine}\r\n` }),
    )
    expect(reply.status).toBe(503)
    expect(reply.header('x-signalbox-reason')).toBe('connect_failed')
    expect(second.connections).toBe(0)
  })

  test('after two tries it is over: 503 connect_failed, try again in a second', async () => {
    const third = await startReplica()
    const dead = await Promise.all([closedPort(), closedPort()])
    const rig = await startRouter({
      replicas: [
        ...dead.map((port, at) => ({ id: `r${at}`, url: `http://127.0.0.1:${port}` })),
        { id: 'r9', url: third.url },
      ],
      policy: 'consistent-hash',
    })
    let reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
    while (reply.status === 200) reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
    expect(reply.status).toBe(503)
    expect(reply.header('x-signalbox-reason')).toBe('connect_failed')
    expect(reply.header('x-should-retry')).toBe('true')
    expect(reply.header('retry-after')).toBe('1')
    expect(reply.header('x-signalbox-replica')).toBeUndefined()
    const { outcome } = await rig.ended(reply.header('x-signalbox-decision'))
    expect(outcome).toMatchObject({ end: 'refused', served: null, rank: null, attempts: 2 })
    expect(await rig.inFlight()).toBe(0)
  })
})

test('no replica at all: 503 no_replica, try again in two seconds', async () => {
  const replica = await startReplica()
  const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
  rig.ingest.tell(fleetOf(2, [{ id: 'r1', url: replica.url, state: 'down' }]))
  let reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
  while (reply.status === 200) reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
  expect(reply.status).toBe(503)
  expect(reply.header('x-signalbox-reason')).toBe('no_replica')
  expect(reply.header('retry-after')).toBe('2')
  expect(reply.header('x-serve-reason')).toBeUndefined()
  const decision = reply.header('x-signalbox-decision')
  expect(await rig.made(decision)).toMatchObject({
    pick: null,
    refusal: 'no_replica',
    reasons: [{ replicaId: 'r1', verdict: 'skipped', why: 'not-ready' }],
  })
  const health = await exchange(
    rig.proxyPort,
    `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${rig.proxyPort}\r\n\r\n`,
  )
  expect(health.status).toBe(503)
  const get = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { method: 'GET', path: '/v1/models' }))
  expect(get.header('x-signalbox-reason')).toBe('no_replica')
})

describe('a replica that answers with an error of its own', () => {
  const rows = [
    { status: '400 Bad Request', reason: 'replica_4xx', retry: 'false' },
    { status: '404 Not Found', reason: 'replica_4xx', retry: 'false' },
    { status: '429 Too Many Requests', reason: 'replica_refused', retry: 'true' },
    { status: '503 Service Unavailable', reason: 'replica_refused', retry: 'true' },
    { status: '500 Internal Server Error', reason: 'replica_5xx', retry: 'false' },
    { status: '502 Bad Gateway', reason: 'replica_5xx', retry: 'false' },
    { status: '504 Gateway Timeout', reason: 'replica_5xx', retry: 'false' },
    {
      status: '500 Internal Server Error',
      extra: 'x-should-retry: true\r\n',
      reason: 'replica_5xx',
      retry: 'true',
    },
    {
      status: '429 Too Many Requests',
      extra: 'X-Should-Retry: false\r\n',
      reason: 'replica_refused',
      retry: 'false',
    },
  ]
  test.each(rows)(
    '$status passes as it is: $reason, retry $retry',
    async ({ status, extra, reason, retry }) => {
      const replica = await startReplica((call) =>
        answerJson(call, { error: { message: 'x' } }, status, extra),
      )
      const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
      const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
      expect(`${reply.status}`).toBe(status.slice(0, 3))
      expect(reply.text).toBe('{"error":{"message":"x"}}')
      expect(reply.header('x-signalbox-reason')).toBe(reason)
      expect(reply.headers('x-should-retry')).toEqual([retry])
      const { outcome } = await rig.ended(reply.header('x-signalbox-decision'))
      expect(outcome).toMatchObject({ end: 'done', reason, status: reply.status })
    },
  )
})

describe('a stream that breaks', () => {
  const part = contentEvent('par') + contentEvent('tial')
  const rows: readonly {
    name: string
    script: (call: ScriptedCall) => void
    reason: string
    /** What the client gets of the replica's bytes. */
    bytes: string
    event: boolean
    limits?: object
  }[] = [
    {
      name: 'dies at an event boundary',
      script: (call) => {
        beginStream(call)
        call.socket.write(chunkOf(part), () => call.socket.resetAndDestroy())
      },
      reason: 'stream_truncated',
      bytes: part,
      event: true,
    },
    {
      name: 'dies inside an event',
      script: (call) => {
        beginStream(call)
        call.socket.write(chunkOf(`${part}data: {"cho`), () => call.socket.end())
      },
      reason: 'stream_truncated',
      bytes: `${part}data: {"cho`,
      event: false,
    },
    {
      name: 'dies inside a UTF-8 character',
      script: (call) => {
        beginStream(call)
        const bytes = Buffer.concat([Buffer.from('data: {"x":"'), Buffer.from('한').subarray(0, 2)])
        call.send(`${bytes.length.toString(16)}\r\n`)
        call.socket.write(bytes, () => call.socket.end())
      },
      reason: 'stream_truncated',
      bytes: '',
      event: false,
    },
    {
      name: 'dies after its headers',
      script: (call) => {
        call.socket.write(
          'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n',
          () => call.socket.end(),
        )
      },
      reason: 'stream_truncated',
      bytes: '',
      event: true,
    },
    {
      name: 'ends cleanly without a terminal event',
      script: (call) => {
        beginStream(call)
        call.chunk(part)
        call.endChunks()
      },
      reason: 'no_terminal_event',
      bytes: part,
      event: true,
    },
    {
      name: 'falls silent',
      script: (call) => {
        beginStream(call)
        call.chunk(part)
      },
      reason: 'stream_idle',
      bytes: part,
      event: true,
      limits: { eventGapMs: 100 },
    },
    {
      name: 'never sends a first event',
      script: (call) => beginStream(call),
      reason: 'first_event_timeout',
      bytes: '',
      event: true,
      limits: { firstEventMs: 100 },
    },
    {
      name: 'takes too long in all',
      script: (call) => {
        beginStream(call)
        const timer = setInterval(() => call.chunk(': still here\n\n'), 10)
        void call.closed.then(() => clearInterval(timer))
      },
      reason: 'stream_too_long',
      bytes: ': still here\n\n',
      event: true,
      limits: { wholeStreamMs: 150, eventGapMs: 5_000 },
    },
  ]
  test.each(rows)('$name: $reason', async ({ script, reason, bytes, event, limits }) => {
    const replica = await startReplica(script)
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }], ...(limits && { limits }) })
    const client = rawClient(rig.proxyPort)
    client.send(chatRequest(rig.proxyPort, streaming))
    const reply = await nextReply(client)
    expect(reply.status).toBe(200)
    expect(reply.whole, 'no clean end').toBe(false)
    const errorAt = reply.text.indexOf('data: {"error"')
    expect(errorAt >= 0, 'an error event').toBe(event)
    const passed = event ? reply.text.slice(0, errorAt) : reply.text
    if (bytes !== '') expect(passed.startsWith(bytes)).toBe(true)
    if (event) {
      const { error } = JSON.parse(reply.text.slice(errorAt + 'data: '.length))
      expect(error).toMatchObject({ code: reason, param: null })
      expect(reply.text.endsWith('\n\n')).toBe(true)
    }
    expect(reply.text).not.toContain('[DONE]')
    const { outcome } = await rig.ended(reply.header('x-signalbox-decision'))
    expect(outcome).toMatchObject({ end: 'broke', reason, status: 200, streamed: true, served: 'r1' })
    expect(await rig.inFlight()).toBe(0)
    expect(replica.calls).toHaveLength(1)
  })

  test('a broken stream of which nothing can be read is only cut', async () => {
    const replica = await startReplica((call) => {
      beginStream(call, 'Content-Encoding: br\r\n')
      call.socket.write(chunkOf('data: x\n\n'), () => call.socket.end())
    })
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, streaming))
    expect(reply.text).toBe('data: x\n\n')
    expect(reply.whole).toBe(false)
  })

  test('a body shorter than its length is cut after what came', async () => {
    const replica = await startReplica((call) =>
      call.socket.end(
        'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
      ),
    )
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
    expect([reply.text, reply.whole]).toEqual(['{"a":', false])
    expect((await rig.ended(reply.header('x-signalbox-decision'))).outcome.reason).toBe('stream_truncated')
  })

  test('an error object inside a stream passes unchanged and counts as a failure', async () => {
    const event = 'data: {"error":{"message":"out of memory","type":"InternalServerError","code":500}}\n\n'
    const replica = await startReplica((call) => {
      beginStream(call)
      call.chunk(contentEvent('a'))
      call.chunk(event)
      call.chunk(doneEvent)
      call.endChunks()
    })
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, streaming))
    expect(reply.text).toBe(contentEvent('a') + event + doneEvent)
    expect(reply.whole).toBe(true)
    const { outcome } = await rig.ended(reply.header('x-signalbox-decision'))
    expect(outcome).toMatchObject({ end: 'broke', reason: 'replica_error_event', finish: 'error 500' })
  })

  test('bytes after the answer are dropped, the answer stands', async () => {
    const replica = await startReplica((call) => {
      const body = '{"ok":true}'
      call.socket.end(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad`,
      )
    })
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const client = rawClient(rig.proxyPort)
    client.send(chatRequest(rig.proxyPort))
    const reply = await nextReply(client)
    expect(reply.text).toBe('{"ok":true}')
    expect((await rig.ended(reply.header('x-signalbox-decision'))).outcome.reason).toBe('ok')
    expect(client.received().toString()).not.toContain('bad')
  })

  test('a finish reason is a terminal event, too', async () => {
    const replica = await startReplica((call) => {
      beginStream(call)
      call.chunk(part + finishEvent('length'))
      call.endChunks()
    })
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, streaming))
    expect(reply.whole).toBe(true)
    expect((await rig.ended(reply.header('x-signalbox-decision'))).outcome).toMatchObject({
      end: 'done',
      finish: 'length',
    })
  })
})

test('a client that does not read is cut after its time, and the replica is freed', async () => {
  const replica = await startReplica((call) => {
    beginStream(call)
    const block = chunkOf(`data: ${'x'.repeat(60_000)}\n\n`)
    const fill = () => {
      while (call.socket.writable && call.socket.write(block));
    }
    call.socket.on('drain', fill)
    fill()
  })
  const rig = await startRouter({
    replicas: [{ id: 'r1', url: replica.url }],
    limits: { clientStalledMs: 200 },
  })
  const client = rawClient(rig.proxyPort)
  client.socket.pause()
  client.send(chatRequest(rig.proxyPort, streaming))
  await eventually(() => replica.calls.length).toBe(1)
  await replica.calls[0]?.closed
  await eventually(() => rig.ingest.ended[0]?.outcome.reason).toBe('client_stalled')
  expect(await rig.inFlight()).toBe(0)
})

test('a stream that answers through a stop of the router is cut with an event', async () => {
  const replica = await startReplica((call) => {
    beginStream(call)
    call.chunk(contentEvent('a'))
  })
  const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
  const client = rawClient(rig.proxyPort)
  client.send(chatRequest(rig.proxyPort, streaming))
  await eventually(() => client.received().toString()).toContain('"a"')
  expect(await rig.call('router.stop', { waitMs: 50 })).toEqual({ ok: true, value: { cut: 1 } })
  const reply = await nextReply(client)
  expect(reply.text).toContain('"code":"router_stopping"')
  expect(reply.whole).toBe(false)
})

test('a stop waits for streams that end by themselves, and refuses what is new', async () => {
  let finish: () => void = () => undefined
  const replica = await startReplica((call) => {
    beginStream(call)
    call.chunk(contentEvent('a'))
    finish = () => {
      call.chunk(finishEvent() + doneEvent)
      call.endChunks()
    }
  })
  const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
  const idle = rawClient(rig.proxyPort)
  const client = rawClient(rig.proxyPort)
  client.send(chatRequest(rig.proxyPort, streaming))
  await eventually(() => client.received().toString()).toContain('"a"')
  const stopped = rig.call('router.stop', { waitMs: 10_000 })
  await idle.closed
  finish()
  expect(await stopped).toEqual({ ok: true, value: { cut: 0 } })
  const reply = await nextReply(client)
  expect([reply.whole, reply.text.endsWith(doneEvent)]).toEqual([true, true])
})

describe('a proxy under pressure', () => {
  test('more requests than it may carry: 503 router_overloaded, closed', async () => {
    const replica = await startReplica((call) => beginStream(call))
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }], limits: { streams: 1 } })
    const first = rawClient(rig.proxyPort)
    first.send(chatRequest(rig.proxyPort, streaming))
    await eventually(() => replica.calls.length).toBe(1)
    const second = rawClient(rig.proxyPort)
    second.send(chatRequest(rig.proxyPort, streaming))
    const reply = await nextReply(second)
    expect([reply.status, reply.header('x-signalbox-reason'), reply.header('retry-after')]).toEqual([
      503,
      'router_overloaded',
      '2',
    ])
    await second.closed
  })

  test('a refusal that keeps the connection lets the next request through', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    await rig.fault('router-500')
    const client = rawClient(rig.proxyPort)
    client.send(chatRequest(rig.proxyPort))
    expect((await nextReply(client)).status).toBe(503)
    await rig.fault()
    client.send(chatRequest(rig.proxyPort))
    await eventually(() => client.received().toString()).toContain('HTTP/1.1 200')
  })

  test('a request that waits behind a stream when the router stops: 503 router_stopping', async () => {
    let finish: () => void = () => undefined
    const replica = await startReplica((call) => {
      beginStream(call)
      finish = () => {
        call.chunk(finishEvent() + doneEvent)
        call.endChunks()
      }
    })
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const client = rawClient(rig.proxyPort)
    client.send(chatRequest(rig.proxyPort, streaming) + chatRequest(rig.proxyPort, streaming))
    await eventually(() => replica.calls.length).toBe(1)
    const stopped = rig.call('router.stop', { waitMs: 10_000 })
    finish()
    await stopped
    await client.closed
    expect(replica.calls).toHaveLength(1)
    expect(client.received().toString()).toMatch(
      /HTTP\/1.1 503 .*\r\nx-signalbox-reason: router_stopping\r\n/,
    )
  })
})
