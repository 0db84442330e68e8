import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { nodeNet } from '../../../src-main/adapters/node/net'
import { nodeTimers } from '../../../src-main/adapters/node/timers'
import { createChatClient } from '../../../src-main/adapters/openai-client/chat-client'
import type { ChatRequest } from '../../../src-main/ports/chat-client'
import { openReplica } from '../../helpers/simulated-replica'
import { until } from '../../helpers/until'

vi.setConfig({ testTimeout: 20_000 }) // real sockets on a machine that may be busy

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`
}
const ask = (
  url: string,
  more: Partial<ChatRequest> = {},
  limitMs = 4_000,
  signal = new AbortController().signal,
) =>
  createChatClient(nodeNet, nodeTimers).chat(
    {
      url,
      model: 'demo-8b',
      messages: [{ role: 'user', content: 'Hello' }],
      outputTokensMax: 20,
      stream: true,
      headers: {},
      key: null,
      ...more,
    },
    limitMs,
    signal,
  )
const events =
  (...data: string[]) =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(data.map((each) => `data: ${each}\n\n`).join(''))
  }
const chunk = (content: string) => JSON.stringify({ choices: [{ delta: { content }, finish_reason: null }] })

describe('chat client', () => {
  test('streamed and whole, the same answer of a replica', async () => {
    const { url } = await openReplica()
    const streamed = await ask(url)
    expect(streamed).toMatchObject({
      ok: true,
      value: { text: expect.stringMatching(/^.{80}$/), finishReason: 'length' },
    })
    expect(await ask(url, { stream: false })).toEqual(streamed)
  })

  test('sends what it was given: key, headers, body', async () => {
    let seen: unknown
    const url = await serve((request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        seen = { method: request.method, url: request.url, headers: request.headers, body: JSON.parse(body) }
        events(chunk('hi'), '[DONE]')(request, response)
      })
    })
    await ask(url, { key: 'k', headers: { 'x-session-id': 's1' } })
    expect(seen).toMatchObject({
      method: 'POST',
      url: '/v1/chat/completions',
      headers: {
        authorization: 'Bearer k',
        'x-session-id': 's1',
        accept: 'text/event-stream',
        connection: 'close',
      },
      body: { model: 'demo-8b', max_tokens: 20, stream: true, stream_options: { include_usage: true } },
    })
  })

  test.each([
    ['an empty stream', events(), 'broken'],
    ['no end mark', events(chunk('hi')), 'broken'],
    [
      'an error event',
      events(chunk('hi'), '{"error":{"message":"gone","code":"stream_truncated"}}'),
      'broken',
    ],
    ['nonsense', events('nonsense', '[DONE]'), 'broken'],
    ['an event without an end', events('x'.repeat(1_100_000)), 'broken'],
    [
      'a document that is none',
      (_: IncomingMessage, response: ServerResponse) => response.end('{}'),
      'broken',
    ],
    [
      'a reset in the middle',
      (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: ${chunk('hi')}\n\n`, () => response.destroy())
      },
      'broken',
    ],
    ['a reset before the reply', (request: IncomingMessage) => request.socket.destroy(), 'unreachable'],
    [
      '503',
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(503, { 'x-serve-reason': 'router_unreachable' }).end(),
      'status',
    ],
  ] as const)('%s', async (_, answer, kind) => {
    const failed = await ask(await serve(answer))
    expect(failed).toMatchObject({ ok: false, error: { kind } })
    if (kind === 'status' && !failed.ok) {
      expect(failed.error).toMatchObject({ status: 503, message: 'status 503 (router_unreachable)' })
    }
  })

  test('nobody there', async () => {
    const url = await serve(() => {})
    for (const server of servers.splice(0)) await new Promise((done) => server.close(done))
    expect(await ask(url)).toMatchObject({ ok: false, error: { kind: 'unreachable' } })
  })

  test('no answer in time, and given up: the connection is closed at once', async () => {
    let closed = 0
    const url = await serve((request) => request.socket.once('close', () => closed++))
    expect(await ask(url, {}, 50)).toMatchObject({ ok: false, error: { kind: 'timeout' } })
    const leave = new AbortController()
    const asked = ask(url, {}, 4_000, leave.signal)
    leave.abort()
    expect(await asked).toMatchObject({ ok: false, error: { kind: 'aborted' } })
    expect(await ask(url, {}, 4_000, leave.signal)).toMatchObject({ ok: false, error: { kind: 'aborted' } })
    await until('closed', () => closed >= 1)
  })
})
