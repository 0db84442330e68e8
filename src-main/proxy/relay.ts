import type { IncomingMessage } from 'node:http'
import { type Exchange, enter } from './exchange'
import { type Framing, isCleanList, isFieldText, replyHeaders } from './headers'
import { finish, type Plane } from './plane'
import { type BreakReason, breakEvent, type RefusalCode } from './refusals'
import { decisionHeaders, refuse } from './refuse'
import { createReplyTap, unreadFacts } from './reply-tap'
import { createSseTap, type SseFacts, type SseTap } from './sse-tap'

/** Passes a replica's reply on, byte for byte, and watches a copy of it. */
export function relay(plane: Plane, exchange: Exchange, reply: IncomingMessage): void {
  const fault = replyFault(reply)
  if (fault) return refuse(plane, exchange, fault, 'broke')
  const { res } = exchange
  const watch = watchOf(plane, exchange, reply)
  const outcome = reasonOf(reply)
  exchange.status = reply.statusCode as number
  exchange.streamed = watch.sse !== null
  exchange.facts = watch.facts
  const framing = framingOf(reply)
  const speaker = framing.kind === 'length' ? null : watch.sse // a known length leaves no room for an event
  exchange.cut = (reason) => breakOff(plane, exchange, speaker, reason)
  enter(exchange, 'streaming', plane.clock.monoMs())

  res.sendDate = false // the replica's own date stands
  res.writeHead(exchange.status, reply.statusMessage, headersFor(plane, exchange, reply, framing, outcome))
  setImmediate(() => {
    // Headers go with the first bytes if those are here, else at once: a stream's client waits for them.
    if (exchange.bytesOut === 0 && exchange.phase !== 'ended') res.flushHeaders()
  })
  pass(plane, exchange, reply, watch.read)
  reply.on('end', () => {
    if (!reply.complete) return exchange.cut?.('stream_truncated')
    if (watch.sse && !watch.facts().terminal) return exchange.cut?.('no_terminal_event')
    res.end()
  })
  reply.on('error', () => exchange.cut?.('stream_truncated'))
  reply.on('close', () => {
    if (!reply.complete) exchange.cut?.('stream_truncated')
  })
  res.on('finish', () => {
    const failed = watch.facts().errorCode !== null && watch.sse !== null
    finish(
      plane,
      exchange,
      failed ? { end: 'broke', reason: 'replica_error_event' } : { end: 'done', reason: outcome.reason },
    )
  })
}

/** Bytes from replica to client, no faster than the client takes them. */
function pass(plane: Plane, exchange: Exchange, reply: IncomingMessage, read: Watch['read']): void {
  const { res } = exchange
  const { clock } = plane
  reply.on('data', (chunk: Buffer) => {
    const monoMs = clock.monoMs()
    exchange.firstByteMonoMs ??= monoMs
    exchange.replicaMonoMs = monoMs
    exchange.bytesOut += chunk.length
    const taken = res.write(chunk)
    read?.(chunk, monoMs)
    if (taken) return
    exchange.stalledMonoMs = monoMs
    reply.pause()
  })
  res.on('drain', () => {
    if (exchange.stalledMonoMs === null) return
    exchange.stalledMonoMs = null
    exchange.replicaMonoMs = clock.monoMs() // its silence was ours
    reply.resume()
  })
}

interface Watch {
  readonly sse: SseTap | null
  readonly read: ((chunk: Buffer, monoMs: number) => void) | null
  /** What was seen; the tap is closed with the first call. */
  readonly facts: () => SseFacts
}

/** An event stream is read as it passes, a plain JSON reply at its end, anything else not at all. */
function watchOf({ limits }: Plane, exchange: Exchange, { headers, statusCode }: IncomingMessage): Watch {
  const type = headers['content-type'] ?? ''
  const readable = (headers['content-encoding'] ?? 'identity') === 'identity'
  if (readable && statusCode === 200 && type.startsWith('text/event-stream')) {
    const sse = createSseTap(limits.sseLineMaxBytes, limits.sseEventMaxBytes)
    return { sse, read: sse.read, facts: once(sse.close) }
  }
  if (readable && type.startsWith('application/json')) {
    const tap = createReplyTap(limits.replyCopyMaxBytes)
    return { sse: null, read: tap.read, facts: once(() => tap.close(exchange.firstByteMonoMs)) }
  }
  return { sse: null, read: null, facts: () => unreadFacts(exchange.firstByteMonoMs) }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Ends a begun reply as broken. The client is told by an error event if the last byte ended an event, and then, or else
 * at once, by a connection that is destroyed without a clean end.
 */
function breakOff(plane: Plane, exchange: Exchange, sse: SseTap | null, reason: BreakReason): void {
  const { res, req } = exchange
  const mayStillSpeak = sse?.atBoundary === true && !sse.sawDone && reason !== 'client_stalled'
  if (!finish(plane, exchange, { end: 'broke', reason })) return
  const { socket } = req
  if (!mayStillSpeak || socket.destroyed) return void socket.destroy()
  const timer = plane.timers.after(plane.limits.lastWordsMs, () => socket.destroy())
  socket.once('close', () => timer.stop())
  res.write(breakEvent(reason), () => socket.destroy())
}

/** What is wrong with a reply that the parser has let through. */
function replyFault({
  statusCode = 0,
  statusMessage = '',
  headers,
  rawHeaders,
}: IncomingMessage): RefusalCode | null {
  if (statusCode < 200 || statusCode > 599) return 'bad_reply'
  if (!isCleanList(rawHeaders) || !isFieldText(statusMessage)) return 'bad_reply'
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'bad_reply'
  return coding !== undefined && headers['content-length'] !== undefined ? 'bad_reply' : null
}

/** How a reply's status is recorded, and whether a client should try again (security page 7.7). */
function reasonOf({ statusCode = 0 }: IncomingMessage): {
  readonly reason: string
  readonly retry: boolean | null
} {
  if (statusCode === 429 || statusCode === 503) return { reason: 'replica_refused', retry: true }
  if (statusCode >= 500) return { reason: 'replica_5xx', retry: false }
  return statusCode >= 400 ? { reason: 'replica_4xx', retry: false } : { reason: 'ok', retry: null }
}

function headersFor(
  { ownHeaders }: Plane,
  exchange: Exchange,
  reply: IncomingMessage,
  framing: Framing,
  { reason, retry }: ReturnType<typeof reasonOf>,
): string[] {
  const own = ownHeaders
    ? [
        'x-signalbox-request-id',
        exchange.requestId,
        'x-signalbox-reason',
        reason,
        ...decisionHeaders(exchange),
      ]
    : []
  if (retry !== null && reply.headers['x-should-retry'] === undefined)
    own.push('x-should-retry', String(retry))
  return replyHeaders(reply.rawHeaders, framing, own)
}

/** A known length is said again; everything else is left to the writer, which chunks for HTTP/1.1 clients. */
function framingOf({ headers }: IncomingMessage): Framing {
  const length = headers['content-length']
  return length === undefined ? { kind: 'none' } : { kind: 'length', bytes: Number(length) }
}
