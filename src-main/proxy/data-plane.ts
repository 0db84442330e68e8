import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Answer } from '../app/router/consult'
import { eligibleCount, type Target } from '../app/router/membership'
import { present } from '../base/assert'
import type { Bytes, Millis } from '../base/units'
import { accessFault } from './access'
import { type HeldBody, holdBody } from './body'
import { type Exchange, enter, openExchange } from './exchange'
import { forward } from './forward'
import { grammarFault, hasBody } from './grammar'
import { readHead, sessionAtProxy } from './head'
import { isPlainId } from './headers'
import { type Connection, createHttpListener } from './listener'
import { type BodyFacts, noFacts, readBodyFacts } from './openai'
import { finish, type Plane } from './plane'
import type { RefusalCode } from './refusals'
import { guarded, refuse } from './refuse'
import { createSweep, type PeerHolds } from './sweep'

/** The proxy's listener for clients. */
export interface DataPlane {
  accept(stream: Duplex): void
  /** Streams under way. */
  readonly streams: number
  /** Refuses what is new, waits for what runs, then cuts the rest; answers how many were cut. */
  close(waitMs: Millis): Promise<number>
}

/** A proxy over a router. @param peers see `createSweep` */
export function createDataPlane(plane: Plane, peers: (() => PeerHolds | null) | null): DataPlane {
  const byConnection = new WeakMap<Connection, Exchange>()
  const sweep = createSweep(plane, peers)
  const listener = createHttpListener(plane.limits, {
    onRequest(req, res, connection, expects) {
      const exchange = begin(plane, req, res)
      byConnection.set(connection, exchange)
      guarded(plane, exchange, () => handle(plane, exchange, expects))
    },
    onBroken(connection, code) {
      const exchange = byConnection.get(connection)
      if (!exchange || exchange.phase === 'ended') return false
      if (exchange.cut) connection.socket.destroy()
      else refuse(plane, exchange, code)
      return true
    },
    onHalfClosed(connection) {
      const exchange = byConnection.get(connection)
      if (exchange && exchange.phase !== 'ended') sweep.halfClosed(exchange)
    },
  })
  return {
    accept: listener.accept,
    get streams() {
      return plane.live.size
    },
    async close(waitMs) {
      plane.stopping = true
      listener.closeIdle()
      await within(plane, waitMs, emptied(plane))
      const left = [...plane.live]
      for (const exchange of left) {
        if (exchange.cut) exchange.cut('router_stopping')
        else refuse(plane, exchange, 'router_stopping')
      }
      if (left.length > 0) await within(plane, plane.limits.lastWordsMs, listener.empty())
      sweep.stop()
      listener.close()
      return left.length
    },
  }
}

function begin(plane: Plane, req: IncomingMessage, res: ServerResponse): Exchange {
  const head = readHead(req)
  const given = head.requestId
  const requestId = given !== null && isPlainId(given) ? given : plane.core.nextRequestId()
  const exchange = openExchange(req, res, head, requestId, plane.clock.monoMs())
  plane.live.add(exchange)
  const left = () => finish(plane, exchange, { end: 'client_left', reason: 'client_left' })
  res.on('close', left)
  res.on('error', left)
  return exchange
}

/** The checks of the security page 6.2 in their order, then the body, then the router. */
function handle(plane: Plane, exchange: Exchange, expects: boolean): void {
  const { req, res, head } = exchange
  const method = req.method ?? ''
  const fault =
    loadFault(plane) ??
    grammarFault(req, head, plane.limits) ??
    accessFault(plane.access, method, head, method === 'POST' || hasBody(head))
  if (fault) return refuse(plane, exchange, fault)
  if (req.url === '/health' && (method === 'GET' || method === 'HEAD')) return answerHealth(plane, exchange)
  if (expects) res.writeContinue()
  holdBody(plane, exchange, (body) => guarded(plane, exchange, () => route(plane, exchange, body)))
}

function loadFault({ stopping, live, limits }: Plane): RefusalCode | null {
  if (stopping) return 'router_stopping'
  return live.size > limits.streams ? 'router_overloaded' : null
}

/** Whether a request would find a replica now: what a load balancer before the proxy asks. */
function answerHealth(plane: Plane, exchange: Exchange): void {
  if (eligibleCount(plane.core.decider.membership) === 0) return refuse(plane, exchange, 'no_replica')
  exchange.status = 200
  exchange.res.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', '15'])
  exchange.res.end('{"status":"ok"}', () => finish(plane, exchange, { end: 'done', reason: 'ok' }))
}

/** As in Ray's HAProxy, only a POST asks the router; everything else goes to the least busy replica. */
function route(plane: Plane, exchange: Exchange, body: HeldBody): void {
  const { decider } = plane.core
  enter(exchange, 'picked', plane.clock.monoMs())
  if (exchange.req.method !== 'POST') {
    const spare = decider.leastBusy()
    if (!spare) return refuse(plane, exchange, 'no_replica')
    exchange.hold = spare.hold
    return forward(plane, exchange, spare.targets, body)
  }
  const facts = factsOf(exchange, body)
  exchange.wantsStream = facts.stream
  if (facts.model !== null && !decider.serves(facts.model)) return refuse(plane, exchange, 'model_not_found')
  const answer = plane.core.consult(questionOf(exchange, facts, body))
  exchange.decisionId = answer.decisionId
  exchange.hold = answer.hold
  const found = readAnswer(answer, decider.membership.byFullId)
  if (typeof found === 'string') refuse(plane, exchange, found)
  else forward(plane, exchange, found, body)
}

/** A body in an encoding that is not read here is forwarded unread. */
function factsOf({ head }: Exchange, body: HeldBody): BodyFacts {
  if (body.bytes === 0 || head.contentEncoding !== null) return noFacts
  const bytes = body.chunks.length === 1 ? present(body.chunks[0], 'chunk') : Buffer.concat(body.chunks)
  return readBodyFacts(bytes, unseenBytes(head.contentLength, body))
}

const unseenBytes = (contentLength: Bytes | null, { bytes }: HeldBody): Bytes =>
  Math.max(0, (contentLength ?? bytes) - bytes)

function questionOf(exchange: Exchange, facts: BodyFacts, body: HeldBody) {
  const { req, head, requestId } = exchange
  const unseen = unseenBytes(head.contentLength, body)
  return {
    requestId,
    method: req.method ?? '',
    path: pathOf(req.url ?? ''),
    asked: 'proxy',
    demo: head.demo,
    request: {
      model: facts.model,
      sessionText: sessionAtProxy(head),
      promptTokens: facts.promptTokens,
      truncated: unseen > 0 ? { have: body.bytes, full: body.bytes + unseen } : null,
    },
  } as const
}

/** Longest path that a record holds. */
const pathMaxLength = 256

/** The path without its query, which may hold what must not be stored. */
export const pathOf = (url: string): string => (url.split('?', 1)[0] ?? '').slice(0, pathMaxLength)

/**
 * Reads an answer as HAProxy's Lua does: no answer, an answer that is not 200, one that names nobody, and a name that is
 * not in our own table each have their word. Never a silent detour.
 */
function readAnswer(answer: Answer, table: ReadonlyMap<string, Target>): RefusalCode | readonly Target[] {
  if (answer.refusal !== null) return answer.refusal
  if (answer.status === 0) return 'policy_failed'
  if (answer.status !== 200) return 'policy_refused'
  if (answer.replicaId === null) return 'policy_bad_answer'
  const pick = table.get(answer.replicaId)
  if (!pick) return 'unknown_replica'
  const [fallback] = answer.fallbacks
  const second = fallback === undefined ? undefined : table.get(fallback)
  return second ? [pick, second] : [pick]
}

/** Resolves when no request is under way. */
function emptied(plane: Plane): Promise<void> {
  if (plane.live.size === 0) return Promise.resolve()
  return new Promise((resolve) => {
    plane.onEnded = () => {
      if (plane.live.size === 0) resolve()
    }
  })
}

/** Waits for something, but not longer than that. */
function within({ timers }: Plane, ms: Millis, wait: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = timers.after(ms, resolve)
    void wait.then(() => {
      timer.stop()
      resolve()
    })
  })
}
