import { createServer } from 'node:http'
import type { Replica } from '../../src-main/domain/fleet/replica'
import { onLoopback } from './loopback-server'

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
  const server = createServer((request, response) => {
    const page = pages[request.url ?? '']
    if (request.url === '/health') reads++
    const answer = () => response.writeHead(page === undefined ? 404 : 200).end(page)
    if (own.delayMs) setTimeout(answer, own.delayMs)
    else answer()
  })
  const { url, stop } = await onLoopback(server)
  return { replica: { id, model: 'demo-8b', url }, reads: () => reads, stop }
}
