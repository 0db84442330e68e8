import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Replica } from '../../src-main/domain/fleet/replica'

/** A vLLM-like engine on a port of its own; `stop` closes its port and resets what is open, as a crash does. */
export interface Engine {
  readonly replica: Replica
  readonly reads: () => number
  stop(): Promise<void>
}

export async function anEngine(id: string, own: { readonly delayMs?: number } = {}): Promise<Engine> {
  let reads = 0
  const pages: Readonly<Record<string, string>> = {
    '/health': '',
    '/metrics': 'vllm:num_requests_running 2\nvllm:num_requests_waiting 0\nvllm:kv_cache_usage_perc 0.25\n',
    '/v1/models': '{"data":[{"id":"demo-8b"}]}',
  }
  const server: Server = createServer((request, response) => {
    const page = pages[request.url ?? '']
    if (request.url === '/health') reads++
    const answer = () => response.writeHead(page === undefined ? 404 : 200).end(page)
    if (own.delayMs) setTimeout(answer, own.delayMs)
    else answer()
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const stop = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      for (const socket of sockets) socket.destroy()
    })
  onTestFinished(() => stop())
  return { replica: { id, model: 'demo-8b', url: `http://127.0.0.1:${port}` }, reads: () => reads, stop }
}
