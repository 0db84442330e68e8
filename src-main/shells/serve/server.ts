import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Millis } from '../../base/units'
import { frameMaxBytes } from '../../contract/wire'
import { type AccessHeaders, checkAccess, loopbackAuthorities } from '../../domain/access'
import type { ListenError, Listening, Net } from '../../ports/seams/net'
import { grammarFault } from '../../proxy/grammar'
import { type RequestHead, readHead } from '../../proxy/head'
import { defaultLimits } from '../../proxy/limits'
import { createHttpListener, endWith, type HttpListener } from '../../proxy/listener'
import { lingerOn } from '../../proxy/refuse'
import { exitCodes, Stop } from '../exit'
import { type PageRefusalCode, refusalParts, refuse } from './answers'
import { type ApiParts, bearerIn } from './api'
import { authenticateWithinMs, createBudget } from './budget'
import { routeRequest } from './routes'
import { acceptScreen, type Known } from './screen-socket'

/** Largest body of a control request, and the time in which it must have come (security page 6.5). */
const bodyMaxBytes = 1024 * 1024
const bodyWithinMs: Millis = 10_000
/** Connections at once. All come from this machine, so the page's limit for one address is the limit. */
const connectionsMax = 256
/** How long a screen that was told to go may take to close its side. */
const closeWithinMs: Millis = 1_000

/** What the browser shell serves. */
export interface ServeParts extends Omit<ApiParts, 'budget' | 'bodyMaxBytes' | 'bodyWithinMs'> {
  readonly net: Net<Duplex>
  /** Says something to the operator that is no reason to stop. */
  readonly say: (words: string) => void
  /** Who may have a port that is taken, in words that go on after a colon; null when that cannot be found out. */
  readonly holderOf: (port: number) => Promise<string | null>
  /** Times in which headers and body must have come, and an answer be taken on; the usual ones when absent. */
  readonly waits?: { readonly headersMs?: Millis; readonly bodyMs?: Millis; readonly stalledMs?: Millis }
}

/** A listening browser shell. */
export interface Serving {
  readonly port: number
  close(): Promise<void>
}

/** Listens on both loopback addresses. Throws `Stop` when the port cannot be had. */
export async function serve(parts: ServeParts, port: number): Promise<Serving> {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: frameMaxBytes,
    closeTimeout: closeWithinMs,
  } as ConstructorParameters<typeof WebSocketServer>[0])
  let listener: HttpListener | null = null
  const accept = admitting((socket) => {
    lingerOn({ timers: parts.timers, limits: defaultLimits }, socket)
    listener?.accept(socket)
  })
  const four = await parts.net.listen({ host: '127.0.0.1', port }, accept)
  if (!four.ok) throw new Stop(exitCodes.unavailable, await portWords(parts, port, four.error))
  const bound = four.value.port as number
  listener = listen(parts, sockets, loopbackAuthorities(bound))
  const six = await parts.net.listen({ host: '::1', port: bound }, accept)
  if (!six.ok)
    parts.say(
      `the page answers on 127.0.0.1:${bound} only, not on [::1]:${bound} (${six.error.message}); where localhost means [::1], use 127.0.0.1`,
    )
  const listening: readonly Listening[] = six.ok ? [four.value, six.value] : [four.value]
  return {
    port: bound,
    async close() {
      for (const client of sockets.clients) client.close(4503, 'stopping')
      const closing = Promise.all(listening.map((each) => each.close()))
      listener?.close()
      await closing
    },
  }
}

/** Lets sockets in up to the limit; one more is told so, and closed. */
function admitting(accept: (socket: Socket) => void): (stream: Duplex) => void {
  let open = 0
  return (stream) => {
    const socket = stream as Socket
    open++
    socket.once('close', () => {
      open--
    })
    if (open <= connectionsMax) return accept(socket)
    deny(socket, 'preauth_limit')
  }
}

async function portWords(parts: ServeParts, port: number, { code, message }: ListenError): Promise<string> {
  const holder = code === 'in-use' ? await parts.holderOf(port) : null
  const why = holder ?? message
  return `cannot serve the page on port ${port}: ${why}; choose another with --port, or --port 0`
}

function listen(parts: ServeParts, sockets: WebSocketServer, authorities: readonly string[]): HttpListener {
  const { waits } = parts
  const limits = {
    ...defaultLimits,
    clientHeaderMs: waits?.headersMs ?? authenticateWithinMs,
    bodyMaxBytes,
  }
  const budget = createBudget(parts.timers)
  const api: ApiParts = { ...parts, budget, bodyMaxBytes, bodyWithinMs: waits?.bodyMs ?? bodyWithinMs }
  /** The checks of the security page 6.2 that come before any routing, in their order. */
  const faultOf = (request: IncomingMessage, head: RequestHead) =>
    grammarFault(request, head, limits) ??
    checkAccess(accessOf(head), authorities, request.method === 'POST') ??
    (isPlainBody(head) ? null : 'content_type')
  return createHttpListener(limits, {
    onRequest(request, response, { socket }, expects) {
      response.setTimeout(waits?.stalledMs ?? limits.clientStalledMs, () => socket.destroy())
      const head = readHead(request)
      const fault = faultOf(request, head)
      if (fault) return refuse(response, fault)
      routeRequest(api, { request, response, head, expects })
    },
    onUpgrade(request, socket, start) {
      socket.on('error', () => socket.destroy()) // Node has taken its own listener off: a reset would end the process
      const head = readHead(request)
      const fault = faultOf(request, { ...head, upgrade: false })
      if (fault) return deny(socket, fault)
      const known = knownBy(api, head)
      const refusal = upgradeRefusal(request, head, known)
      if (refusal) return deny(socket, refusal)
      if (known !== null && !api.limits.roomForScreen(known.token)) return deny(socket, 'client_limit')
      // Who has a token needs no place among the unknown.
      if (known === null && !budget.admit()) return deny(socket, 'preauth_limit')
      let upgraded = known !== null
      socket.once('close', () => {
        if (!upgraded) budget.leave() // the handshake was refused: no screen will give the place back
      })
      sockets.handleUpgrade(request, socket, start, (client) => {
        upgraded = true
        acceptScreen(client, known, api, budget)
      })
    },
    onBroken: () => false,
    onHalfClosed: () => {},
  })
}

function upgradeRefusal(
  request: IncomingMessage,
  head: RequestHead,
  known: Known | null,
): PageRefusalCode | null {
  if (request.url !== '/api/feed') return 'upgrade_refused'
  const proves = head.origins > 0 || bearerIn(head) !== null
  return known === null && !proves ? 'origin_not_allowed' : null
}

function knownBy({ tokens }: ApiParts, head: RequestHead): Known | null {
  const token = bearerIn(head)
  const actor = token === null ? null : tokens.actorOf(token)
  return token === null || actor === null ? null : { token, actor }
}

const accessOf = ({ host, origin, origins, fetchSite, contentType }: RequestHead): AccessHeaders => ({
  hosts: [host],
  origin: origins === 0 ? undefined : origins === 1 ? origin : 'more than one',
  fetchSite: fetchSite ?? undefined,
  contentType: contentType ?? undefined,
})

const isPlainBody = ({ contentEncoding }: RequestHead) =>
  contentEncoding === null || contentEncoding.toLowerCase() === 'identity'

function deny(socket: Socket, code: PageRefusalCode): void {
  const { status, headers, body } = refusalParts(code)
  endWith(socket, status, Object.entries({ ...headers, connection: 'close' }).flat(), body)
}
