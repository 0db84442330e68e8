import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer } from '../app/router/consult'
import type { Bytes } from '../base/units'
import { accessFault } from './access'
import { pathOf } from './data-plane'
import { grammarFault } from './grammar'
import { type RequestHead, readHead, sessionAtRouter } from './head'
import { isPlainId } from './headers'
import { createHttpListener } from './listener'
import { noFacts, readBodyFacts } from './openai'
import type { Plane } from './plane'
import { type RefusalCode, refusalOf } from './refusals'
import { lingerOn } from './refuse'

/** The router's own HTTP endpoint, for HAProxy and for curl: Ray's `POST /internal/route` and `GET /health`. */
export interface RouteEndpoint {
  accept(stream: Duplex): void
  close(): void
}

/** An endpoint that answers by the same deciding step as the proxy; it names a replica and holds nothing. */
export function createRouteEndpoint(plane: Plane): RouteEndpoint {
  const open = new Set<PendingRoute>()
  const listener = createHttpListener(plane.limits, {
    onRequest(req, res, _connection, expects) {
      if (plane.core.faults().has('router-down')) return void req.socket.destroy()
      const head = readHead(req)
      const fault = endpointFault(plane, req, head)
      if (fault) return refuseRoute(plane, req, res, fault)
      if (pathOf(req.url ?? '') === '/health') return answer(res, 200, '{"status":"ok"}')
      if (expects) res.writeContinue()
      const pending = { req, sinceMonoMs: plane.clock.monoMs() }
      open.add(pending)
      res.once('close', () => open.delete(pending))
      readStart(req, plane.limits.prefixMaxBytes, (start) => {
        try {
          answerRoute(plane, req, res, head, start)
        } catch (error) {
          plane.onBug(error)
          if (!res.headersSent) answer(res, 500, detailJson('Internal Server Error'))
        }
      })
    },
    onBroken: () => false,
    onHalfClosed: () => undefined,
  })
  const sweep = plane.timers.every(plane.limits.sweepEveryMs, () => {
    const monoMs = plane.clock.monoMs()
    for (const { req, sinceMonoMs } of open)
      if (monoMs - sinceMonoMs > plane.limits.clientBodyGapMs) req.socket.destroy()
  })
  return {
    accept: listener.accept,
    close() {
      sweep.stop()
      listener.close()
    },
  }
}

interface PendingRoute {
  readonly req: IncomingMessage
  readonly sinceMonoMs: number
}

/** What is served, in FastAPI's words, and the checks that hold for every listener. */
function endpointFault(
  plane: Plane,
  req: IncomingMessage,
  head: RequestHead,
): RefusalCode | RouteFault | null {
  const method = req.method ?? ''
  const known = grammarFault(req, head, plane.limits)
  if (known) return known
  const empty = head.transferEncodings === 0 && (head.contentLength ?? 0) === 0
  const refused = accessFault(plane.access, method, head, !empty) // an empty body has no type to name
  if (refused) return refused
  const allowed = routes.get(pathOf(req.url ?? ''))
  if (!allowed) return 'not_found'
  return allowed === method ? null : 'method_not_allowed'
}

type RouteFault = 'not_found' | 'method_not_allowed'

const routes: ReadonlyMap<string, string> = new Map([
  ['/internal/route', 'POST'],
  ['/health', 'GET'],
])

/** Reads the start of a body and throws the rest away. */
function readStart(req: IncomingMessage, maxBytes: Bytes, done: (start: Buffer) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  req.on('data', (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk)
    size += chunk.length
  })
  req.on('end', () => done(Buffer.concat(chunks)))
}

function answerRoute(
  plane: Plane,
  req: IncomingMessage,
  res: ServerResponse,
  head: RequestHead,
  start: Buffer,
): void {
  const facts = start.length === 0 || head.contentEncoding !== null ? noFacts : readBodyFacts(start)
  const given = head.requestId
  const reply = plane.core.consult({
    requestId: given !== null && isPlainId(given) ? given : plane.core.nextRequestId(),
    method: req.method ?? '',
    path: pathOf(req.url ?? ''),
    asked: 'http',
    demo: head.demo,
    request: {
      model: facts.model,
      sessionText: sessionAtRouter(head),
      promptTokens: facts.promptTokens,
      truncated: truncationOf(head, start.length),
    },
  })
  if (reply.status === 0) return void req.socket.destroy()
  answer(res, reply.status, reply.status === 200 ? pickJson(plane, reply) : detailJson(reply.detail ?? ''))
}

/** Said by the header's presence, as in Ray; its numbers are used where they can be read. */
function truncationOf(
  { bodyTruncated }: RequestHead,
  have: Bytes,
): { readonly have: Bytes; readonly full: Bytes } | null {
  if (bodyTruncated === null) return null
  const full = Number(bodyTruncated.split('/')[1])
  return { have, full: Number.isInteger(full) && full >= have ? full : have }
}

/** Ray's answer, compact, and our decision's id. An id that is in no table has no address. */
function pickJson({ core }: Plane, { replicaId, decisionId }: Answer): string {
  const target = replicaId === null ? null : core.decider.membership.byFullId.get(replicaId)
  return JSON.stringify({
    host: target?.host ?? null,
    port: target?.port ?? null,
    replica_id: replicaId,
    decision: decisionId,
  })
}

const detailJson = (detail: string): string => JSON.stringify({ detail })

function answer(res: ServerResponse, status: number, body: string, headers: readonly string[] = []): void {
  const length = String(Buffer.byteLength(body))
  res.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', length, ...headers])
  res.end(body)
}

function refuseRoute(
  plane: Plane,
  req: IncomingMessage,
  res: ServerResponse,
  fault: RefusalCode | RouteFault,
): void {
  if (fault === 'not_found') return answer(res, 404, detailJson('Not Found'))
  if (fault === 'method_not_allowed') return answer(res, 405, detailJson('Method Not Allowed'))
  const { status, message, silent } = refusalOf(fault)
  if (!req.complete) lingerOn(plane, req.socket)
  const reason = plane.ownHeaders ? ['x-signalbox-reason', fault] : []
  if (fault === 'auth_required') reason.push('WWW-Authenticate', 'Bearer')
  answer(res, status, silent ? '' : detailJson(message), [...reason, 'Connection', 'close'])
}
