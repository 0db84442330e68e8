import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHead } from '../../proxy/head'
import { fileFor } from '../page'
import { answer, refuse } from './answers'
import { type ApiParts, callForScript, openSession } from './api'

/** One request that passed the checks. */
export interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly head: RequestHead
  /** The client waits for `100 Continue` before it sends its body. */
  readonly expects: boolean
}

interface Route {
  readonly methods: readonly string[]
  serve(parts: ApiParts, asked: Asked): void
}

const reading = ['GET', 'HEAD']
const callPrefix = '/api/call/'

/** Finds the path's route; says which methods it has when the request's is not among them. */
export function routeRequest(parts: ApiParts, asked: Asked): void {
  const { request, response } = asked
  const path = (request.url ?? '').split('?', 1)[0] as string
  const route = routeOf(parts, path)
  if (route === null) return refuse(response, 'no_route')
  if (!route.methods.includes(request.method ?? ''))
    return refuse(response, 'method', { allow: route.methods.join(', ') })
  route.serve(parts, asked)
}

function routeOf(parts: ApiParts, path: string): Route | null {
  if (path === '/api/session') return { methods: ['POST'], serve: (...all) => void openSession(...all) }
  if (path === '/api/feed')
    return { methods: ['GET'], serve: (_, { response }) => refuse(response, 'upgrade_required') }
  if (path === '/healthz')
    return {
      methods: reading,
      serve: (_, { response }) => answer(response, 200, { 'content-type': 'text/plain' }, 'ok'),
    }
  if (path.startsWith(callPrefix)) {
    const name = path.slice(callPrefix.length)
    return { methods: ['POST'], serve: (...all) => void callForScript(name, ...all) }
  }
  return parts.page.has(path) ? { methods: reading, serve: (_, asked) => sendFile(parts, path, asked) } : null
}

function sendFile({ page, random }: ApiParts, path: string, { request, response }: Asked): void {
  const file = page.get(path)
  if (!file) return refuse(response, 'no_route')
  const { headers, body } = fileFor(file, random.hex(16), "'self'")
  response.writeHead(200, { ...headers, 'content-length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}
