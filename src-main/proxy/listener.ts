import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Bytes } from '../base/units'
import type { ProxyLimits } from './limits'
import { errorBody, type RefusalCode, refusalOf } from './refusals'
import { refusalHeaders } from './refuse'

/** A client's connection. Requests on it are served one at a time, in order, even when they come in one packet. */
export interface Connection {
  readonly socket: Socket
  /** Requests that wait for the one before them. */
  readonly waiting: (() => void)[]
  busy: boolean
}

/** What a listener tells its owner. */
export interface ListenerEvents {
  /** @param expects the client waits for `100 Continue` before it sends its body */
  onRequest(req: IncomingMessage, res: ServerResponse, connection: Connection, expects: boolean): void
  /** The parser gave up; true when the owner has answered, false when nobody was being served. */
  onBroken(connection: Connection, code: RefusalCode): boolean
  /** The client's FIN came while a request was being served. */
  onHalfClosed(connection: Connection): void
  /** The client asks for another protocol, and the socket is the owner's now. Without this it is refused by its grammar. */
  onUpgrade?(req: IncomingMessage, socket: Socket, head: Buffer): void
}

/** An HTTP server that opens nothing by itself: sockets are handed to it. */
export interface HttpListener {
  accept(stream: Duplex): void
  /** Resolves when every connection is closed. */
  empty(): Promise<void>
  /** Ends connections that serve no request, now and whenever one is done. */
  closeIdle(): void
  /** Destroys every connection. */
  close(): void
}

/** A listener with the parser settings of the security page 7.1. */
export function createHttpListener(limits: ProxyLimits, events: ListenerEvents): HttpListener {
  const server = createServer({
    insecureHTTPParser: false,
    requireHostHeader: false, // grammar.ts asks for exactly one, and its refusal says why
    maxHeaderSize: limits.headerMaxBytes,
    connectionsCheckingInterval: 1_000, // the default of 30 s makes header limits up to 30 s late
    joinDuplicateHeaders: false,
    keepAliveTimeout: limits.clientIdleMs,
    headersTimeout: limits.clientHeaderMs,
    requestTimeout: 0, // bodies have limits of their own
  })
  server.maxHeadersCount = 0 // a count limit of the parser hides headers, the length among them; we count ourselves
  server.maxRequestsPerSocket = limits.clientRequests
  allowHalfClose(server)
  const connections = new Map<Socket, Connection>()
  let closing = false
  let onEmpty: () => void = () => undefined

  const served = (connection: Connection) => {
    connection.busy = false
    const next = connection.socket.destroyed ? undefined : connection.waiting.shift()
    if (next) next()
    else if (closing) connection.socket.end()
  }
  const onRequest = (expects: boolean) => (req: IncomingMessage, res: ServerResponse) => {
    const connection = connections.get(req.socket)
    if (!connection) return void req.socket.destroy()
    const serve = () => {
      connection.busy = true
      res.once('close', () => served(connection))
      events.onRequest(req, res, connection, expects)
    }
    if (connection.busy) connection.waiting.push(serve)
    else serve()
  }
  server.on('request', onRequest(false))
  server.on('checkContinue', onRequest(true))
  server.on('checkExpectation', onRequest(false))
  server.on('connect', (_req, socket) => answerRaw(socket as Socket, 'method'))
  if (events.onUpgrade)
    server.on('upgrade', (req, socket, head) => events.onUpgrade?.(req, socket as Socket, head))
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    const connection = connections.get(socket)
    if (error.code === 'ECONNRESET' || !socket.writable || !connection) return void socket.destroy()
    // A FIN in the middle of a body: nobody is left who could complete it.
    if (error.code === 'HPE_INVALID_EOF_STATE' && connection.busy) return void socket.destroy()
    const code = parserFault(error, limits.headerMaxBytes)
    if (!events.onBroken(connection, code)) answerRaw(socket, code)
  })
  // Node starts its watch over late headers when a server listens; this one never does, so it is told that it did.
  server.emit('listening')
  return {
    accept(stream) {
      const socket = stream as Socket
      const connection: Connection = { socket, waiting: [], busy: false }
      connections.set(socket, connection)
      socket.once('close', () => {
        connections.delete(socket)
        if (connections.size === 0) onEmpty()
      })
      socket.on('end', () => {
        if (connection.busy) events.onHalfClosed(connection)
      })
      server.emit('connection', socket)
    },
    empty: () =>
      new Promise((resolve) => {
        onEmpty = resolve
        if (connections.size === 0) resolve()
      }),
    closeIdle() {
      closing = true
      for (const connection of connections.values()) if (!connection.busy) connection.socket.end()
    },
    close() {
      for (const socket of connections.keys()) socket.destroy()
      server.close(() => undefined) // stops its watch; there is no listening socket to close
    },
  }
}

/** A client may end its side after asking and still get its answer; Node has the switch but not its type. */
function allowHalfClose(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

/** The row for what the parser could not read. */
function parserFault(error: NodeJS.ErrnoException, headerMaxBytes: Bytes): RefusalCode {
  const { code } = error
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'client_header_timeout'
  if (code === 'HPE_HEADER_OVERFLOW')
    return isRequestLine(error, headerMaxBytes) ? 'target_too_long' : 'headers_too_large'
  if (code === 'HPE_INVALID_VERSION') return 'bad_version'
  if (code === 'HPE_INVALID_URL') return 'bad_target'
  return 'bad_framing'
}

/** Whether the parser ran over within the first line: what it was given begins a request whose first line is the long one. */
function isRequestLine(error: object, headerMaxBytes: Bytes): boolean {
  const packet = 'rawPacket' in error ? error.rawPacket : null
  if (!Buffer.isBuffer(packet)) return false
  const blank = packet.indexOf(' ')
  if (blank < 1 || blank > methodMaxLength) return false
  const end = packet.indexOf('\r\n')
  return end < 0 || end > headerMaxBytes
}

/** Longest method that Node's parser knows: `UNSUBSCRIBE`. */
const methodMaxLength = 11

/** Answers on a socket whose request could not be parsed, and ends it. */
function answerRaw(socket: Socket, code: RefusalCode): void {
  endWith(
    socket,
    refusalOf(code).status,
    [...refusalHeaders(code, null), 'Connection', 'close'],
    errorBody(code),
  )
}

/** Writes a whole answer on a socket that Node's server has given up or away, and ends it. @param headers name, value, name, value */
export function endWith(socket: Socket, status: number, headers: readonly string[], body: string): void {
  // Node has let go of a CONNECT's socket, its error listener included: without one a reset would end the process.
  socket.on('error', () => socket.destroy())
  if (!socket.writable) return void socket.destroy()
  const all = [...headers, 'Content-Length', String(Buffer.byteLength(body))]
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < all.length; at += 2) head += `${all[at]}: ${all[at + 1]}\r\n`
  socket.end(`${head}\r\n${body}`, () => socket.destroy())
}
