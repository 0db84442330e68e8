import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { fail, ok, type Result } from '../../base/result'
import type { HttpGet, HttpReply, PollError } from '../../ports/fleet-source'
import type { Net } from '../../ports/seams/net'
import type { Timers } from '../../ports/seams/timers'
import { type Target, targetOf } from './target'

/** Largest header block of an answer, bytes. */
const headersMaxBytes = 16 * 1024

/**
 * Fetches over a fresh connection each time: GET, no redirect, no compression, one time limit from the call to the last
 * byte, the body cut at its limit. Everything that goes wrong comes back in words.
 */
export const createHttpGet =
  (net: Net<Socket>, timers: Timers): HttpGet =>
  (url, limits) => {
    const target = targetOf(url)
    if (!target.ok) return Promise.resolve(target)
    if (limits.signal.aborted)
      return Promise.resolve(fail({ kind: 'aborted', message: 'the read was called off' }))
    return new Promise((resolve) => exchange(net, timers, target.value, limits, resolve))
  }

type Answer = Result<HttpReply, PollError>

function exchange(
  net: Net<Socket>,
  timers: Timers,
  target: Target,
  { timeoutMs, maxBytes, signal }: Parameters<HttpGet>[1],
  resolve: (answer: Answer) => void,
): void {
  const where = `${target.host}:${target.port}`
  let settled = false
  const settle = (answer: Answer) => {
    if (settled) return
    settled = true
    limit.stop()
    signal.removeEventListener('abort', onAbort)
    outgoing.destroy()
    resolve(answer)
  }
  const stop = (kind: PollError['kind'], message: string) => settle(fail({ kind, message }))
  const onAbort = () => stop('aborted', 'the read was called off')
  const limit = timers.after(timeoutMs, () => stop('timeout', `${where} did not answer in ${timeoutMs} ms`))
  const outgoing = request({
    method: 'GET',
    host: target.host,
    path: target.path,
    headers: { host: where, accept: '*/*', 'accept-encoding': 'identity', connection: 'close' },
    maxHeaderSize: headersMaxBytes,
    createConnection: () => net.connect({ host: target.host, port: target.port }, { timeoutMs }),
  })
  signal.addEventListener('abort', onAbort, { once: true })
  outgoing.on('error', (error: NodeJS.ErrnoException) => settle(fail(wordsFor(error, where))))
  outgoing.on('upgrade', (_, socket) => {
    socket.destroy()
    stop('bad-reply', `${where} wants to switch protocols`)
  })
  outgoing.on('response', (incoming) => {
    const encoding = incoming.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity')
      return stop('bad-reply', `${where} answered compressed (${encoding.slice(0, 20)})`)
    collect(incoming, maxBytes, where, settle)
  })
  outgoing.end()
}

function collect(
  incoming: IncomingMessage,
  maxBytes: number,
  where: string,
  settle: (answer: Answer) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  const partial = () =>
    settle(fail({ kind: 'partial', message: `${where} broke off after ${bytes} bytes of its answer` }))
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes)
      return settle(fail({ kind: 'too-large', message: `${where} answers with more than ${maxBytes} bytes` }))
    chunks.push(chunk)
  })
  incoming.on('error', partial)
  incoming.on('close', partial) // settled before, unless the answer was cut
  incoming.on('end', () =>
    incoming.complete
      ? settle(
          ok({
            status: incoming.statusCode ?? 0,
            contentType: incoming.headers['content-type'] ?? null,
            body: Buffer.concat(chunks),
          }),
        )
      : partial(),
  )
}

function wordsFor(error: NodeJS.ErrnoException, where: string): PollError {
  const code = error.code ?? ''
  if (code === 'ECONNREFUSED')
    return { kind: 'refused', message: `nothing listens on ${where} (connection refused)` }
  if (code === 'ETIMEDOUT') return { kind: 'timeout', message: `no connection to ${where} in time` }
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return { kind: 'reset', message: `${where} closed the connection before it answered` }
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      kind: 'bad-reply',
      message: `${where} answers with more than ${headersMaxBytes} bytes of headers`,
    }
  if (code.startsWith('HPE_'))
    return { kind: 'bad-reply', message: `${where} does not answer in HTTP (${code})` }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return { kind: 'failed', message: `there is no way to ${where} (${code})` }
  return { kind: 'failed', message: `${where}: ${error.message.slice(0, 200)}` }
}
