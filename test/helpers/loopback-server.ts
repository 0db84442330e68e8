import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** How a path is answered. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Listens on a loopback port of its own until the test is finished; `stop` resets what is open, as a crash does. */
export async function onLoopback(server: Server): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const stop = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      for (const socket of sockets) socket.destroy()
    })
  onTestFinished(stop)
  return {
    url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    stop,
  }
}

/** An HTTP server that answers by path, and 404 elsewhere; the answers may be changed while it runs. */
export const answering = (answers: Readonly<Record<string, Answer>>) =>
  onLoopback(
    createServer((request, response) => {
      const answer = answers[request.url ?? '']
      if (answer) answer(request, response)
      else response.writeHead(404).end()
    }),
  )
