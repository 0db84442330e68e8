import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import { fail, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { ChatAnswer, ChatClient, ChatFailure, ChatRequest } from '../../ports/chat-client'
import type { Net } from '../../ports/seams/net'
import type { Timers } from '../../ports/seams/timers'
import { type AnswerReader, broken, createDocumentReader, createStreamReader } from './answer-reader'

/** Time to connect. */
const connectMs: Millis = 5_000

/** A chat client over plain HTTP; each request has its own connection. */
export function createChatClient(net: Net<Duplex>, timers: Timers): ChatClient {
  return {
    chat: (request, limitMs, signal) =>
      new Promise((resolve) => {
        const http = send(net, request)
        const settle = (result: Result<ChatAnswer, ChatFailure>) => {
          timer.stop()
          signal.removeEventListener('abort', onAbort)
          resolve(result)
          http.destroy()
        }
        const onAbort = () =>
          settle(fail({ kind: 'aborted', status: null, message: 'given up by the caller' }))
        const timer = timers.after(limitMs, () =>
          settle(fail({ kind: 'timeout', status: null, message: `no whole answer within ${limitMs} ms` })),
        )
        http.on('error', (error) =>
          settle(fail({ kind: 'unreachable', status: null, message: error.message })),
        )
        http.once('response', (response) => receive(response, settle))
        signal.addEventListener('abort', onAbort, { once: true })
        if (signal.aborted) onAbort()
      }),
  }
}

function send(
  net: Net<Duplex>,
  { url, model, messages, outputTokensMax, stream, headers, key }: ChatRequest,
): ClientRequest {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const body = JSON.stringify({
    model,
    messages,
    max_tokens: outputTokensMax,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  })
  const http = openRequest({
    host,
    port,
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: stream ? 'text/event-stream' : 'application/json',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    createConnection: () => net.connect({ host, port: Number(port) }, { timeoutMs: connectMs }),
  })
  http.end(body)
  return http
}

function receive(response: IncomingMessage, settle: (result: Result<ChatAnswer, ChatFailure>) => void): void {
  const { statusCode = 0 } = response
  if (statusCode !== 200) {
    const reason = response.headers['x-serve-reason']
    const words = typeof reason === 'string' ? ` (${reason})` : ''
    return settle(fail({ kind: 'status', status: statusCode, message: `status ${statusCode}${words}` }))
  }
  const streams = /^text\/event-stream\b/i.test(response.headers['content-type'] ?? '')
  const reader: AnswerReader = streams ? createStreamReader() : createDocumentReader()
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    const failure = reader.feed(text)
    if (failure) settle(fail(failure))
  })
  response.once('end', () => settle(reader.end()))
  response.on('error', (error) => settle(fail(broken(error.message))))
}
