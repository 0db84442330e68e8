import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { ask, metric, openReplica } from '../../helpers/simulated-replica'
import { until } from '../../helpers/until'

vi.setConfig({ testTimeout: 20_000 }) // real sockets on a machine that may be busy

const post = (
  url: string,
  body: unknown,
  path = '/v1/chat/completions',
  headers: Record<string, string> = {},
) =>
  ask(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const chat = (more: object = {}) => ({
  model: 'demo-8b',
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
})

describe('what is refused, with vLLM’s status and OpenAI’s shape', () => {
  test.each([
    ['not JSON', '{', 400, 'BadRequestError'],
    ['no object', '[]', 400, 'BadRequestError'],
    ['no messages', { model: 'demo-8b' }, 400, 'BadRequestError'],
    ['empty messages', chat({ messages: [] }), 400, 'BadRequestError'],
    [
      'a picture',
      chat({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] }),
      400,
      'BadRequestError',
    ],
    ['two choices', chat({ n: 2 }), 400, 'BadRequestError'],
    ['no tokens', chat({ max_tokens: 0 }), 400, 'BadRequestError'],
    [
      'stream options without a stream',
      chat({ stream_options: { include_usage: true } }),
      400,
      'BadRequestError',
    ],
    [
      'a tool that is not offered',
      chat({ tool_choice: { type: 'function', function: { name: 'x' } } }),
      400,
      'BadRequestError',
    ],
    ['another model', chat({ model: 'gpt' }), 404, 'NotFoundError'],
    [
      'a prompt that is too long',
      chat({ messages: [{ role: 'user', content: 'x'.repeat(4 * 9_000) }] }),
      400,
      'BadRequestError',
    ],
    ['an answer that is too long', chat({ max_tokens: 8_190 }), 400, 'BadRequestError'],
    ['a body beyond the limit', 'x'.repeat(33 * 1024 * 1024), 413, 'RequestEntityTooLarge'],
  ])('%s', async (_, body, status, type) => {
    const { url } = await openReplica({ kvTokens: 8_192 })
    const reply = await post(url, body)
    expect(reply.status).toBe(status)
    expect(await reply.json()).toEqual({
      error: expect.objectContaining({ type, code: status, message: expect.any(String) }),
    })
  })

  test.each([
    ['GET', '/v1/chat/completions', 405, 'POST'],
    ['POST', '/metrics', 405, 'GET'],
    ['DELETE', '/health', 405, 'GET'],
    ['GET', '/', 404, null],
    ['GET', '/v1/chat/completions/', 404, null],
    ['GET', '/constructor', 404, null],
  ])('%s %s is %i', async (method, path, status, allow) => {
    const { url } = await openReplica()
    const reply = await ask(url + path, { method })
    expect(reply.status).toBe(status)
    expect(reply.headers.get('allow')).toBe(allow)
    expect(await reply.json()).toMatchObject({ error: { code: status } })
  })

  test('another content type is 415, and the text of a prompt never comes back in an error', async () => {
    const { url } = await openReplica()
    expect((await post(url, chat(), undefined, { 'content-type': 'text/plain' })).status).toBe(415)
    const reply = await post(url, chat({ messages: [{ role: 'user', content: { secret: 'SECRET' } }] }))
    expect(reply.status).toBe(400)
    expect(await reply.text()).not.toContain('SECRET')
  })

  test('garbage instead of HTTP is answered 400 and closed; the replica lives on', async () => {
    const { url } = await openReplica()
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
        socket.write('\x00\x16 nonsense\r\n\r\n'),
      )
      let text = ''
      socket.on('data', (part) => {
        text += part
      })
      socket.on('close', () => resolve(text))
    })
    expect(answer).toContain('400 Bad Request')
    expect((await ask(`${url}/health`)).status).toBe(200)
  })

  test('a body that nests without end is a 400 or answered, never a crash', async () => {
    const { url } = await openReplica()
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const tools = `[{"type":"function","function":{"name":"f","parameters":${deep}}}]`
    const reply = await post(url, `{"messages":[{"role":"user","content":"x"}],"tools":${tools}}`)
    expect(reply.status).toBe(400)
    expect((await ask(`${url}/health`)).status).toBe(200)
  })
})

describe('small endpoints', () => {
  test('/health and /ping: 200 with an empty body', async () => {
    const { url } = await openReplica()
    for (const path of ['/health', '/ping']) {
      const reply = await ask(url + path)
      expect([reply.status, await reply.text()]).toEqual([200, ''])
    }
  })

  test('/version and /load', async () => {
    const { url } = await openReplica({ speed: 0.01 })
    expect(await (await ask(`${url}/version`)).json()).toEqual({
      version: expect.stringMatching(/^0\.11\.0.*simulated/),
    })
    const leave = new AbortController()
    const held = post(url, chat()).catch(() => null)
    const left = ask(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(chat({ stream: true })),
      signal: leave.signal,
    })
    await left
    await until('two under way', async () => (await (await ask(`${url}/load`)).json()).server_load === 2)
    leave.abort()
    await until('one under way', async () => (await (await ask(`${url}/load`)).json()).server_load === 1)
    void held
  })

  test('a caller’s x-request-id becomes the reply’s id when it is plain', async () => {
    const { url } = await openReplica()
    const id = async (given: string) =>
      ((await (await post(url, chat(), undefined, { 'x-request-id': given })).json()) as { id: string }).id
    expect(await id('abc-123')).toBe('chatcmpl-abc-123')
    expect(await id('a b"c')).toMatch(/^chatcmpl-[0-9a-f]{32}$/)
  })
})

describe('clients that leave or read slowly', () => {
  test.each([
    ['streamed', true],
    ['whole', false],
  ])('%s: a client that leaves frees its blocks within 100 ms and counts as aborted', async (_, stream) => {
    const { url } = await openReplica({ speed: 0.1 }) // a token takes 90 ms: nothing ends by itself here
    const takenMs: number[] = []
    for (let round = 1; round <= 3; round++) {
      const leave = new AbortController()
      const reply = ask(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(chat({ stream })),
        signal: leave.signal,
      }).then((found) => found.text())
      await until('running', async () => (await metric(url, 'vllm:num_requests_running')) === 1)
      expect(await metric(url, 'vllm:kv_cache_usage_perc')).toBeGreaterThan(0)
      const leftMs = performance.now()
      leave.abort()
      await expect(reply).rejects.toThrow()
      await until('freed', async () => (await metric(url, 'vllm:num_requests_running')) === 0)
      takenMs.push(performance.now() - leftMs)
      expect(await metric(url, 'vllm:kv_cache_usage_perc')).toBe(0)
      expect(await metric(url, 'vllm:request_success_total', { finished_reason: 'abort' })).toBe(round)
    }
    // The best of three: the others may have met a busy machine.
    expect(Math.min(...takenMs)).toBeLessThan(100)
  })

  test('a client that does not read holds nobody up, and gets every token when it reads at last', async () => {
    const { url } = await openReplica({ speed: 1_000, kvTokens: 40_000 })
    const tokens = 20_000 // some megabytes of events: more than the socket buffers of both sides
    const body = JSON.stringify(chat({ stream: true, max_tokens: tokens, ignore_eos: true }))
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.pause()
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    await until(
      'generated',
      async () => (await metric(url, 'vllm:request_success_total', { finished_reason: 'length' })) === 1,
    )
    expect((await post(url, chat())).status).toBe(200)
    let text = ''
    socket.on('data', (part) => {
      text += part.toString('latin1')
    })
    socket.resume()
    await new Promise((resolve) => socket.once('close', resolve))
    expect(text.match(/"delta":\{"content":/g)).toHaveLength(tokens)
    expect(text).toContain('data: [DONE]')
  })
})
