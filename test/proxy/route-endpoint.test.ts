import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createNodeDigests } from '../../src-main/adapters/node/digests'
import { eventually } from '../helpers/eventually'
import { chatRequest, exchange, parseReply, rawClient } from '../helpers/raw-client'
import { fleetOf, type RouterRig, replicaIdPrefix, sessionKeyHex, startRouter } from '../helpers/router-rig'
import { startReplica } from '../helpers/scripted-replica'

const vectors = JSON.parse(readFileSync('test/fixtures/ray-serve/ring-vectors.json', 'utf8')).header_vectors
const ringIds = ['k3v9x0qa', 'p7m2zt41', 'w0c8ydr5', 'h5n1jb6e']
const someReplicas = ringIds.map((id) => ({ id, url: `http://127.0.0.1:1` }))

/** The routing request of Ray's HAProxy, byte for byte (ray-serve.md, a). */
const asHaproxy = (rig: RouterRig, session = '', body = '', more = '') =>
  `POST /internal/route HTTP/1.0\r\nHost: 127.0.0.1:${rig.routerPort}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}${session}\r\n${body}`

async function pickOf(rig: RouterRig, bytes: string | Buffer): Promise<string> {
  const reply = await exchange(rig.routerPort, bytes)
  expect(reply.status).toBe(200)
  return JSON.parse(reply.text).replica_id.slice(replicaIdPrefix.length)
}

describe('POST /internal/route', () => {
  test('answers compact JSON: where, who in the long form, and the decision', async () => {
    const rig = await startRouter({ replicas: [{ id: 'r1', url: 'http://127.0.0.1:30004' }] })
    const reply = await exchange(
      rig.routerPort,
      asHaproxy(rig, 'x-session-id: s\r\n', '{"model":"m","prompt":"abcd"}'),
    )
    expect(reply.head).toMatch(/^HTTP\/[\d.]+ 200/)
    expect(reply.header('content-type')).toBe('application/json')
    const { decision } = JSON.parse(reply.text)
    expect(reply.text).toBe(
      `{"host":"127.0.0.1","port":30004,"replica_id":"${replicaIdPrefix}r1","decision":"${decision}"}`,
    )
    const made = await rig.made(decision)
    expect(made).toMatchObject({
      asked: 'http',
      mode: 'pick-only',
      pick: 'r1',
      model: 'm',
      promptTokens: 1,
      truncated: null,
      session: createNodeDigests(sessionKeyHex).keyed('s'),
    })
    expect(await rig.inFlight(), 'it names a replica and holds nothing').toBe(0)
    expect(rig.ingest.ended).toEqual([])
  })

  const forms: readonly { name: string; head: string; body?: string }[] = [
    {
      name: 'HTTP/1.0, no body',
      head: 'POST /internal/route HTTP/1.0\r\nContent-Length: 0\r\nContent-Type: application/json',
    },
    { name: 'HTTP/1.1, no body, no type', head: 'POST /internal/route HTTP/1.1' },
    {
      name: 'HTTP/1.1, chunked',
      head: 'POST /internal/route HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked',
      body: '2\r\n{}\r\n0\r\n\r\n',
    },
    {
      name: 'a body that is not JSON',
      head: 'POST /internal/route HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 3',
      body: 'abc',
    },
    { name: 'a query', head: 'POST /internal/route?x=1 HTTP/1.1' },
  ]
  test.each(forms)('$name', async ({ head, body = '' }) => {
    const rig = await startRouter({ replicas: [{ id: 'r1', url: 'http://127.0.0.1:1' }] })
    expect(await pickOf(rig, `${head}\r\nHost: 127.0.0.1:${rig.routerPort}\r\n\r\n${body}`)).toBe('r1')
  })

  const errors: readonly { name: string; head: string; status: number; detail: string }[] = [
    { name: 'another path', head: 'POST /route HTTP/1.1', status: 404, detail: 'Not Found' },
    {
      name: 'another method',
      head: 'GET /internal/route HTTP/1.1',
      status: 405,
      detail: 'Method Not Allowed',
    },
    {
      name: 'a form',
      head: 'POST /internal/route HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 0',
      status: 415,
      detail: 'Send the body as application/json.',
    },
    {
      name: 'a foreign origin',
      head: 'POST /internal/route HTTP/1.1\r\nOrigin: http://evil.test',
      status: 403,
      detail: '',
    },
    {
      name: 'gzip, chunked',
      head: 'POST /internal/route HTTP/1.1\r\nTransfer-Encoding: gzip, chunked',
      status: 400,
      detail: 'The request is not framed clearly.',
    },
  ]
  test.each(errors)('$name: $status', async ({ head, status, detail }) => {
    const rig = await startRouter({ replicas: [{ id: 'r1', url: 'http://127.0.0.1:1' }] })
    const reply = await exchange(rig.routerPort, `${head}\r\nHost: 127.0.0.1:${rig.routerPort}\r\n\r\n`)
    expect(reply.status).toBe(status)
    expect(reply.text).toBe(detail === '' ? '' : JSON.stringify({ detail }))
  })

  test('no replica: 503 in the shape of FastAPI', async () => {
    const rig = await startRouter({ replicas: [] })
    const reply = await exchange(rig.routerPort, asHaproxy(rig))
    expect([reply.status, reply.text]).toEqual([503, '{"detail":"No replicas are available."}'])
  })

  test('truncation is told by the presence of its header', async () => {
    const rig = await startRouter({ replicas: [{ id: 'r1', url: 'http://127.0.0.1:1' }] })
    const rows = [
      ['X-Body-Truncated: 4/900\r\n', { have: 4, full: 900 }],
      ['X-Body-Truncated: odd\r\n', { have: 4, full: 4 }],
      ['', null],
    ] as const
    for (const [header, truncated] of rows) {
      const reply = await exchange(rig.routerPort, asHaproxy(rig, '', '{"a"', header))
      expect((await rig.made(JSON.parse(reply.text).decision)).truncated).toEqual(truncated)
    }
  })

  test('GET /health', async () => {
    const rig = await startRouter({ replicas: [] })
    const reply = await exchange(
      rig.routerPort,
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${rig.routerPort}\r\n\r\n`,
    )
    expect([reply.status, reply.text]).toEqual([200, '{"status":"ok"}'])
  })
})

describe('the session header', () => {
  const spellings: readonly { name: string; headers: string; session: string | null }[] = [
    { name: 'as configured', headers: 'x-session-id: a\r\n', session: 'a' },
    { name: 'another case', headers: 'X-Session-ID: a\r\n', session: 'a' },
    { name: 'underscores', headers: 'x_session_id: a\r\n', session: 'a' },
    { name: 'mixed', headers: 'X-session_Id: a\r\n', session: 'a' },
    { name: 'the first of several', headers: 'x-session-id: a\r\nx-session-id: b\r\n', session: 'a' },
    { name: 'the first of either spelling', headers: 'x_session_id: b\r\nx-session-id: a\r\n', session: 'b' },
    { name: 'empty', headers: 'x-session-id:\r\n', session: null },
    { name: 'blanks around', headers: 'x-session-id:  a \t\r\n', session: 'a' },
    { name: 'another name', headers: 'x-session: a\r\n', session: null },
    { name: 'absent', headers: '', session: null },
  ]
  const keyed = createNodeDigests(sessionKeyHex).keyed
  test.each(spellings)('$name, at the endpoint', async ({ headers, session }) => {
    const rig = await startRouter({ replicas: someReplicas, policy: 'consistent-hash' })
    const reply = await exchange(rig.routerPort, asHaproxy(rig, headers))
    expect((await rig.made(JSON.parse(reply.text).decision)).session).toBe(session && keyed(session))
  })

  // HAProxy's Lua looks for the configured spelling first, then for the one with underscores, and for no other.
  const atProxy: Record<string, string | null> = { mixed: null, 'the first of either spelling': 'a' }
  test.each(spellings)('$name, at the proxy', async ({ name, headers, session }) => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { headers }))
    const expected = name in atProxy ? (atProxy[name] ?? null) : session
    expect((await rig.made(reply.header('x-signalbox-decision'))).session).toBe(expected && keyed(expected))
  })

  test.each<{ session_text: string; header_bytes_hex: string; ranked_4x100: string[] }>(vectors.cases)(
    'golden: $session_text is hashed as Ray does it, by both ways in',
    async ({ header_bytes_hex, ranked_4x100 }) => {
      const replica = await startReplica()
      const replicas = ringIds.map((id) => ({ id, url: replica.url }))
      const rig = await startRouter({ replicas, policy: 'consistent-hash' })
      const header = Buffer.concat([
        Buffer.from('x-session-id: '),
        Buffer.from(header_bytes_hex, 'hex'),
        Buffer.from('\r\n'),
      ])
      const asked = asHaproxy(rig)
      const question = Buffer.concat([Buffer.from(asked.slice(0, -2)), header, Buffer.from('\r\n')])
      expect(await pickOf(rig, question)).toBe(ranked_4x100[0])

      const chat = chatRequest(rig.proxyPort)
      const cut = chat.indexOf('Content-Type')
      const reply = await exchange(
        rig.proxyPort,
        Buffer.concat([Buffer.from(chat.slice(0, cut)), header, Buffer.from(chat.slice(cut))]),
      )
      expect(reply.header('x-signalbox-replica')).toBe(ranked_4x100[0])
      const made = await rig.made(reply.header('x-signalbox-decision'))
      expect([made.pick, ...made.fallbacks]).toEqual(ranked_4x100)
      const sent = replica.calls[0]?.header('x-session-id') ?? ''
      expect(Buffer.from(sent, 'latin1').toString('hex'), 'forwarded byte for byte').toBe(header_bytes_hex)
    },
  )
})

test('the states that ingest tells are used at once, and kept when ingest dies; who belongs is for control to say', async () => {
  const [r1, r2] = ['r1', 'r2'].map((id, at) => ({ id, url: `http://127.0.0.1:${at + 1}` })) as [Url, Url]
  const rig = await startRouter({ replicas: [r1, r2] })
  await eventually(() => rig.ingest.links).toBe(1)
  rig.ingest.tell(fleetOf(5, [{ ...r1, state: 'down' }, r2, { id: 'r3', url: 'http://127.0.0.1:3' }]))
  const sessions = Array.from({ length: 12 }, (_, at) => `s${at}`)
  const used = async () => {
    const picks = await Promise.all(
      sessions.map((session) => pickOf(rig, asHaproxy(rig, `x-session-id: ${session}\r\n`))),
    )
    return [...new Set(picks)].join()
  }
  await eventually(used).toBe('r2')
  await rig.ingest.close()
  expect(await used()).toBe('r2')
})
type Url = Parameters<typeof fleetOf>[1][number]

test('many questions on one connection are answered in order', async () => {
  const rig = await startRouter({ replicas: [{ id: 'r1', url: 'http://127.0.0.1:1' }] })
  const client = rawClient(rig.routerPort)
  const question = `POST /internal/route HTTP/1.1\r\nHost: 127.0.0.1:${rig.routerPort}\r\nContent-Length: 0\r\n\r\n`
  client.send(question.repeat(20))
  await eventually(() => client.received().toString().split('"decision":').length).toBe(21)
  const ids = [
    ...client
      .received()
      .toString()
      .matchAll(/"decision":"[0-9a-f]{4}-(\w+)"/g),
  ].map(([, n]) => n)
  expect(ids).toEqual(Array.from({ length: 20 }, (_, at) => (at + 1).toString(36)))
  expect(parseReply(client.received())?.status).toBe(200)
})
