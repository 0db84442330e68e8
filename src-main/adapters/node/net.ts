import { createConnection, createServer, type Socket } from 'node:net'
import { fail, ok } from '../../base/result'
import type { ListenError, Net } from '../../ports/seams/net'

/** The system's sockets: no delay, TCP probes after 30 s, half-open allowed, since an HTTP client may half-close. */
export const nodeNet: Net<Socket> = {
  connect(address, options) {
    const socket = createConnection(
      'path' in address ? { path: address.path } : { ...address, noDelay: true },
    )
    if (options?.timeoutMs !== undefined) limitConnecting(socket, options.timeoutMs)
    return socket
  },
  listen: (address, onConnection) =>
    new Promise((resolve) => {
      const server = createServer(
        { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000, allowHalfOpen: true },
        onConnection,
      )
      server.once('error', (error: NodeJS.ErrnoException) => resolve(fail(listenError(error))))
      server.listen('path' in address ? { path: address.path } : { ...address, exclusive: true }, () => {
        const bound = server.address()
        resolve(
          ok({
            port: bound !== null && typeof bound === 'object' ? bound.port : null,
            close: () => new Promise<void>((done) => server.close(() => done())),
          }),
        )
      })
    }),
}

function limitConnecting(socket: Socket, ms: number): void {
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error(`no connection within ${ms} ms`), { code: 'ETIMEDOUT' })),
    ms,
  )
  socket.once('connect', () => clearTimeout(timer))
  socket.once('close', () => clearTimeout(timer))
}

function listenError(error: NodeJS.ErrnoException): ListenError {
  const code = error.code === 'EADDRINUSE' ? 'in-use' : error.code === 'EACCES' ? 'denied' : 'failed'
  return { code, message: error.message }
}
