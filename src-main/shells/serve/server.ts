import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import type { Control } from '../../app/control/control'
import type { Millis } from '../../base/units'
import { createTransportPair } from '../../contract/memory-transport'
import { createCaller } from '../../contract/peer'
import type { Rpc } from '../../contract/rpc'
import { frameMaxBytes, withinDepth } from '../../contract/wire'
import { checkAccess, loopbackAuthorities } from '../../domain/access'
import type { Net } from '../../ports/seams/net'
import type { Random } from '../../ports/seams/random'
import type { Timers } from '../../ports/seams/timers'
import { exitCodes, Stop } from '../exit'
import { fileFor, type PageTable, pageHeaders } from '../page'
import { createBudget } from './budget'
import { acceptScreen } from './screen-socket'
import type { Tokens } from './tokens'

/** Largest body of a control request (security page 6.5). */
const bodyMaxBytes = 1024 * 1024
/** A whole request must have come within this time, ms. */
const requestTimeoutMs = 10_000

/** What the browser shell serves. */
export interface ServeParts {
  readonly net: Net<Duplex>
  readonly timers: Timers
  readonly random: Random
  readonly page: PageTable
  readonly tokens: Tokens
  readonly control: Control
  readonly mayOperate: boolean
  /** Time in which a whole request must have come; the usual one when absent. */
  readonly requestTimeoutMs?: Millis
}

/** A listening browser shell. */
export interface Serving {
  readonly port: number
  close(): Promise<void>
}

/** Listens on both loopback addresses. Throws `Stop` when the port cannot be had. */
export async function serve(parts: ServeParts, port: number): Promise<Serving> {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: frameMaxBytes })
  const server = createServer({
    requestTimeout: parts.requestTimeoutMs ?? requestTimeoutMs,
    headersTimeout: parts.requestTimeoutMs ?? requestTimeoutMs,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16_384,
  })
  // Node watches for slow requests once a server listens; this one is handed its sockets, so it is told that it does.
  server.emit('listening')
  const open = new Set<Duplex>()
  const accept = (socket: Duplex) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    server.emit('connection', socket)
  }
  const four = await parts.net.listen({ host: '127.0.0.1', port }, accept)
  if (!four.ok) {
    throw new Stop(
      exitCodes.unavailable,
      `cannot serve the page on port ${port}: ${four.error.message}; choose another with --port, or --port 0`,
    )
  }
  const bound = four.value.port as number
  const six = await parts.net.listen({ host: '::1', port: bound }, accept) // a machine without IPv6 serves IPv4 alone
  route(server, sockets, parts, loopbackAuthorities(bound))
  return {
    port: bound,
    async close() {
      for (const client of sockets.clients) client.close(4503, 'stopping')
      const closing = Promise.all([four.value.close(), six.ok ? six.value.close() : null])
      for (const socket of open) socket.destroy()
      await closing
    },
  }
}

function route(
  server: Server,
  sockets: WebSocketServer,
  parts: ServeParts,
  authorities: readonly string[],
): void {
  const budget = createBudget(parts.timers)
  const refuse = (response: ServerResponse, status: number, reason: string, close = false) =>
    answer(response, status, { 'x-signalbox-reason': reason, ...(close ? { connection: 'close' } : {}) })
  server.on('request', (request, response) => {
    const method = request.method ?? ''
    const refusal = checkAccess(accessOf(request), authorities, method === 'POST')
    if (refusal)
      return refuse(response, refusal === 'content_type' ? 415 : 403, refusal, refusal !== 'content_type')
    const path = (request.url ?? '').split('?', 1)[0] as string
    if (method === 'GET' || method === 'HEAD') return sendFile(parts, path, response)
    if (method !== 'POST') return refuse(response, 405, 'method')
    if (path === '/api/session') return void openSession(parts, request, response)
    if (path.startsWith('/api/call/'))
      return void scriptCall(parts, budget, path.slice(10), request, response)
    refuse(response, 404, 'no_route')
  })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy()) // Node has taken its own listener off: a reset would end the process
    const deny = (status: number, reason: string) => {
      socket.end(
        `HTTP/1.1 ${status} ${reason}\r\nx-signalbox-reason: ${reason}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
        () => socket.destroy(),
      )
    }
    const refusal = checkAccess(accessOf(request), authorities, false)
    if (refusal) return deny(403, refusal)
    if (request.url !== '/api/feed') return deny(404, 'no_route')
    const bearer = bearerOf(request)
    if (request.headers.origin === undefined && bearer === null) return deny(403, 'origin_not_allowed')
    const known = bearer !== null && parts.tokens.valid(bearer) // who has a token needs no place among the unknown
    if (!known && !budget.admit()) return deny(503, 'preauth_limit')
    let upgraded = known
    socket.once('close', () => {
      if (!upgraded) budget.leave() // the handshake was refused: no screen will give the place back
    })
    sockets.handleUpgrade(request, socket, head, (client) => {
      upgraded = true
      acceptScreen(client, known ? bearer : null, parts, budget)
    })
  })
  server.on('clientError', (_error, socket) => {
    if (socket.writable)
      socket.end('HTTP/1.1 400 Bad Request\r\nx-signalbox-reason: bad_framing\r\nconnection: close\r\n\r\n')
  })
}

function accessOf(request: IncomingMessage) {
  const hosts = request.rawHeaders.filter(
    (_, at) => at % 2 === 1 && request.rawHeaders[at - 1]?.toLowerCase() === 'host',
  )
  const site = request.headers['sec-fetch-site']
  return {
    hosts,
    origin: request.headers.origin,
    fetchSite: typeof site === 'string' ? site : undefined,
    contentType: request.headers['content-type'],
  }
}

function sendFile(parts: ServeParts, path: string, response: ServerResponse): void {
  if (path === '/healthz') return answer(response, 200, { 'content-type': 'text/plain' }, 'ok')
  const file = parts.page.get(path)
  if (!file) return answer(response, 404, { 'x-signalbox-reason': 'no_route' })
  const { headers, body } = fileFor(file, parts.random.hex(16), "'self'")
  response.writeHead(200, { ...headers, 'content-length': body.length })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

function answer(response: ServerResponse, status: number, headers: Record<string, string>, body = ''): void {
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  response.writeHead(status, {
    'cache-control': 'no-store',
    ...pageHeaders('none', "'self'"),
    ...headers,
    ...length,
  })
  response.end(body)
}

const json = (response: ServerResponse, status: number, value: unknown, reason = 'ok') =>
  answer(
    response,
    status,
    { 'content-type': 'application/json', 'x-signalbox-reason': reason },
    JSON.stringify(value),
  )

const ticketBody = z.strictObject({ ticket: z.string().max(128) })

async function openSession(
  parts: ServeParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = ticketBody.safeParse(await readJson(request))
  if (!body.success) return json(response, 400, { error: 'a body {"ticket": "…"} is expected' }, 'bad_params')
  const redeemed = parts.tokens.redeem(body.data.ticket)
  if ('token' in redeemed) return json(response, 200, redeemed)
  response.setHeader('www-authenticate', 'Bearer')
  json(response, 401, { error: redeemed.refused }, redeemed.refused)
}

/** One call over HTTP, for scripts: the same table and the same checks as a screen's frames. */
async function scriptCall(
  parts: ServeParts,
  budget: ReturnType<typeof createBudget>,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bearer = bearerOf(request)
  if (bearer === null || !(await budget.authenticate(() => parts.tokens.valid(bearer)))) {
    response.setHeader('www-authenticate', 'Bearer')
    return json(response, 401, { error: 'a token is needed' }, 'auth_required')
  }
  const params = await readJson(request)
  if (!withinDepth(params)) return json(response, 400, { error: 'nested too deeply' }, 'bad_params')
  const [near, far] = createTransportPair()
  parts.control.connect(far, { actor: 'cli', mayOperate: parts.mayOperate })
  const script = createCaller<Rpc>(near)
  const result = await script.call(name as 'status.read', params as Record<string, never>)
  script.close()
  if (result.ok) return json(response, 200, result.value)
  const status = result.error.code === 'no_such_call' ? 404 : result.error.code === 'read_only' ? 403 : 400
  json(response, status, { error: result.error.message }, result.error.code)
}

function bearerOf(request: IncomingMessage): string | null {
  const header = request.headers.authorization
  return header?.startsWith('Bearer ') ? header.slice(7) : null
}

/** The body as JSON; undefined when it is no JSON, too large or cut off. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bodyMaxBytes) return undefined
      parts.push(chunk)
    }
    return JSON.parse(Buffer.concat(parts).toString('utf8') || '{}')
  } catch {
    return undefined
  }
}
