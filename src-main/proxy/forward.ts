import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Target } from '../app/router/membership'
import type { HeldBody } from './body'
import { type Exchange, enter } from './exchange'
import { hasBody } from './grammar'
import { type Framing, requestHeaders } from './headers'
import type { Plane } from './plane'
import type { RefusalCode } from './refusals'
import { guarded, refuse } from './refuse'
import { relay } from './relay'

/** Most replicas that are tried for one request, and only as long as no byte of it was handed to a socket. */
const attemptsMax = 2

/**
 * Sends a request to the first of its targets that takes the connection, on a connection of its own, and relays the
 * reply. From the first byte on there is no second try, whatever happens.
 */
export function forward(plane: Plane, exchange: Exchange, targets: readonly Target[], body: HeldBody): void {
  const startedMonoMs = plane.clock.monoMs()
  const attempt = (rank: number): void => {
    const target = targets[rank]
    const leftMs = plane.limits.connectAllMs - (plane.clock.monoMs() - startedMonoMs)
    if (!target || rank >= attemptsMax || leftMs <= 0 || !isMember(plane, target)) {
      exchange.served = null
      exchange.rank = null
      return refuse(plane, exchange, 'connect_failed')
    }
    if (!enter(exchange, 'connecting', plane.clock.monoMs())) return
    if (rank > 0) moveHold(plane, exchange, target)
    exchange.attempts = rank + 1
    const socket = plane.net.connect(
      { host: target.host, port: target.port },
      { timeoutMs: Math.min(plane.limits.connectMs, leftMs) },
    )
    exchange.release = () => socket.destroy()
    const failed = () => {
      socket.destroy()
      if (exchange.phase === 'connecting') attempt(rank + 1)
    }
    socket.once('error', failed)
    socket.once('connect', () => {
      socket.off('error', failed)
      if (!enter(exchange, 'sent', plane.clock.monoMs())) return void socket.destroy()
      exchange.served = target.id
      exchange.rank = rank
      guarded(plane, exchange, () => send(plane, exchange, target, socket, body))
    })
  }
  attempt(0)
}

/** A replica that was removed while another one was tried gets nothing new. */
const isMember = ({ core }: Plane, { fullId, port }: Target): boolean =>
  core.decider.membership.byFullId.get(fullId)?.port === port

/** The request now counts at the replica that it is sent to. */
function moveHold({ core }: Plane, exchange: Exchange, target: Target): void {
  exchange.hold?.release()
  exchange.hold = core.decider.inFlight.hold(target.id)
}

function send(plane: Plane, exchange: Exchange, target: Target, socket: Duplex, body: HeldBody): void {
  const { req, head } = exchange
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`
  const upstream = request({
    method: req.method ?? 'GET',
    path: req.url ?? '/',
    headers: requestHeaders(head, {
      host: authority,
      requestId: exchange.requestId,
      framing: framingOf(exchange),
      traceparent: head.traceparent ? null : traceparent(plane),
    }),
    maxHeaderSize: plane.limits.replyHeaderMaxBytes,
    createConnection: () => socket,
  })
  listen(plane, exchange, upstream)
  exchange.release = () => {
    upstream.destroy()
    socket.destroy()
  }
  for (const chunk of body.chunks) upstream.write(chunk)
  if (body.complete) return void upstream.end()
  pump(plane, exchange, upstream)
}

/** The rest of the body, no faster than the replica takes it. */
function pump(plane: Plane, exchange: Exchange, upstream: ClientRequest): void {
  const { req } = exchange
  const { clock, limits } = plane
  req.on('data', (chunk: Buffer) => {
    if (exchange.phase === 'ended') return
    exchange.clientMonoMs = clock.monoMs()
    exchange.bytesIn += chunk.length
    if (exchange.bytesIn > limits.bodyMaxBytes) return refuse(plane, exchange, 'body_too_large')
    if (!upstream.write(chunk)) req.pause()
  })
  upstream.on('drain', () => {
    exchange.clientMonoMs = clock.monoMs() // the pause was ours
    req.resume()
  })
  req.on('end', () => {
    exchange.bodyComplete = true
    exchange.phaseMonoMs = exchange.phase === 'sent' ? clock.monoMs() : exchange.phaseMonoMs
    upstream.end()
  })
  req.resume()
}

/** What a replica can answer, and how it can fail to. */
function listen(plane: Plane, exchange: Exchange, upstream: ClientRequest): void {
  let interim = 0
  const failed = (code: RefusalCode) => {
    if (exchange.phase === 'sent') refuse(plane, exchange, code, 'broke')
  }
  upstream.on('response', (reply: IncomingMessage) => {
    if (exchange.phase === 'sent') guarded(plane, exchange, () => relay(plane, exchange, reply))
    else upstream.destroy()
  })
  upstream.on('information', () => {
    interim++
    if (interim > plane.limits.informationalMax) failed('reply_1xx_flood')
  })
  upstream.on('upgrade', (_reply, socket) => {
    socket.destroy()
    failed('reply_upgrade')
  })
  upstream.on('error', (error: NodeJS.ErrnoException) => failed(failureOf(error)))
  upstream.on('close', () => failed('replica_reset'))
}

function failureOf({ code = '' }: NodeJS.ErrnoException): RefusalCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'reply_headers_too_large'
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? 'bad_reply' : 'replica_reset'
}

/** The body's framing as the parser used it. */
function framingOf({ head, req }: Exchange): Framing {
  if (head.transferEncodings > 0) return { kind: 'chunked' }
  if (hasBody(head)) return { kind: 'length', bytes: head.contentLength ?? 0 }
  return req.method === 'GET' || req.method === 'HEAD' ? { kind: 'none' } : { kind: 'length', bytes: 0 }
}

/** A trace of its own for a request that belongs to none: not sampled, since we export nothing (W3C Trace Context). */
function traceparent({ random }: Plane): string {
  const hex = random.hex(24)
  return `00-${hex.slice(0, 32)}-${hex.slice(32)}-00`
}
