import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ok, type Result } from '../../base/result'
import type { Bytes, Millis } from '../../base/units'
import type { ListenError, Net } from '../../ports/seams/net'

/** An HTTP server that is up. */
export interface HttpListener {
  readonly port: number
  /** Stops accepting; connections that exist live on. */
  stopAccepting(): Promise<void>
  /** Ends every connection: `reset` as a crash does, `close` after what was written has been sent. */
  end(how: 'reset' | 'close'): void
}

/** Connections that one replica holds at once; more are closed on arrival. */
const connectionsMax = 1_024
/** Time after which a connection without a request, or with a client that takes nothing, is closed. */
const idleMs: Millis = 30_000
const headerBytesMax: Bytes = 65_536

/**
 * Serves HTTP on a socket of the net seam. The platform's server parses; it never listens itself, so its own watch over
 * slow headers does not run: a connection that is silent without a request under way is closed after 30 s instead.
 */
export async function listenHttp(
  net: Net<Duplex>,
  host: string,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Result<HttpListener, ListenError>> {
  const connections = new Set<Duplex>()
  const busy = new WeakMap<Duplex, number>()
  const isBusy = (socket: Duplex) => (busy.get(socket) ?? 0) > 0
  const server = createServer({ maxHeaderSize: headerBytesMax, keepAliveTimeout: idleMs })
  server.on('request', (request, response) => {
    const { socket } = request
    busy.set(socket, (busy.get(socket) ?? 0) + 1)
    response.once('close', () => busy.set(socket, (busy.get(socket) ?? 1) - 1))
    onRequest(request, response)
  })
  server.on('clientError', (_, socket) => {
    if (socket.writable && !isBusy(socket))
      socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    else socket.destroy()
  })
  server.setTimeout(idleMs, (socket) => {
    // Busy and silent is a request in the queue; busy and clogged is a client that has stopped reading.
    if (!isBusy(socket) || socket.writableLength > 0) socket.destroy()
  })
  const listening = await net.listen({ host, port: 0 }, (socket) => {
    if (connections.size >= connectionsMax) {
      socket.on('error', () => {}) // a reset while it closes is of no interest
      socket.destroy()
      return
    }
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    server.emit('connection', socket)
  })
  if (!listening.ok) return listening
  return ok({
    port: listening.value.port ?? 0,
    stopAccepting: () => listening.value.close(),
    end(how) {
      for (const socket of connections)
        if (how === 'reset') resetConnection(socket)
        else socket.destroy()
    },
  })
}

/** Sends a TCP reset where the platform can, as the kernel does for a process that died with unread data. */
function resetConnection(socket: Duplex): void {
  if ('resetAndDestroy' in socket && typeof socket.resetAndDestroy === 'function') socket.resetAndDestroy()
  else socket.destroy()
}
