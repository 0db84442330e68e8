import type { Socket } from 'node:net'
import type { End } from '../domain/routing/outcome'
import type { Exchange } from './exchange'
import { finish, type Plane } from './plane'
import { errorBody, type RefusalCode, refusalOf } from './refusals'

/**
 * Answers a request ourselves by its row of the table, and ends the exchange. A request that has already been answered
 * is left alone.
 * @param end `broke` when the request had reached a replica
 */
export function refuse(plane: Plane, exchange: Exchange, code: RefusalCode, end: End = 'refused'): void {
  if (exchange.phase === 'ended') return
  const { res, req } = exchange
  const row = refusalOf(code)
  exchange.status = row.status
  const closes = row.connection === 'close' || !mayGoOn(exchange)
  finish(plane, exchange, { end, reason: code, ...(row.serveReason && { serveReason: row.serveReason }) })
  if (res.headersSent) return void req.socket.destroy()
  const body = errorBody(code)
  const headers = [...refusalHeaders(code, exchange.requestId), ...decisionHeaders(exchange)]
  if (closes) headers.push('Connection', 'close')
  headers.push('Content-Length', String(Buffer.byteLength(body)))
  if (closes && !req.complete) lingerOn(plane, req.socket)
  res.writeHead(row.status, plane.ownHeaders ? headers : headers.filter(notOurs(headers)))
  res.end(body)
}

/** A bug of ours costs the request that met it, and no other: every way in from a socket leads through here. */
export function guarded(plane: Plane, exchange: Exchange, job: () => void): void {
  try {
    job()
  } catch (error) {
    plane.onBug(error)
    refuse(plane, exchange, 'internal')
  }
}

/** Headers of every answer of our own: name, value, name, value. */
export function refusalHeaders(code: RefusalCode, requestId: string | null): string[] {
  const { silent, retry, afterS, serveReason } = refusalOf(code)
  const headers = ['x-signalbox-reason', code, 'x-should-retry', String(retry)]
  if (!silent) headers.push('Content-Type', 'application/json')
  if (requestId !== null) headers.push('x-signalbox-request-id', requestId)
  if (afterS !== undefined) headers.push('Retry-After', String(afterS))
  if (serveReason) headers.push('X-Serve-Reason', serveReason)
  if (code === 'auth_required') headers.push('WWW-Authenticate', 'Bearer')
  return headers
}

/** Headers that say who decided and who answered. */
export function decisionHeaders({ decisionId, served, attempts }: Exchange): string[] {
  const headers: string[] = []
  if (served !== null) headers.push('x-signalbox-replica', served)
  if (decisionId !== null) headers.push('x-signalbox-decision', decisionId)
  if (attempts > 0) headers.push('x-signalbox-attempts', String(attempts))
  return headers
}

const notOurs = (headers: readonly string[]) => (_: string, at: number) =>
  !(headers[at - (at % 2)] as string).startsWith('x-signalbox-')

/** A kept connection must have had the whole request, or at most a little of it to come. */
function mayGoOn({ req, head }: Exchange): boolean {
  return req.complete || (head.contentLength !== null && head.contentLength <= 65_536)
}

/**
 * Lets a client that is still sending read our answer: closing at once would reset the connection and lose it. What it
 * sends is thrown away until it stops or the time is over.
 */
export function lingerOn({ timers, limits }: Pick<Plane, 'timers' | 'limits'>, socket: Socket): void {
  socket.destroySoon = () => {
    socket.end()
    const timer = timers.after(limits.lastWordsMs, () => socket.destroy())
    socket.once('close', () => timer.stop())
  }
}
