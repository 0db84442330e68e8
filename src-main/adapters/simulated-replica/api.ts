import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Generations, ReplicaParts } from './generations'
import { refusal } from './refusal'
import { send, sendJson, sendRefusal } from './responses'

/** What `GET /version` says: the engine version whose interface is imitated, and that it is an imitation. */
const simulatedVersion = '0.11.0+signalbox.simulated'

type Handler = (request: IncomingMessage, response: ServerResponse) => void
type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>
type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>

/** The HTTP interface of one replica, as vLLM's API server has it. @param isDraining whether it is unhealthy for that */
export function createReplicaApi(
  parts: ReplicaParts,
  generations: Generations,
  isDraining: () => boolean,
): Handler {
  const { model, preset, engine, metrics, clock } = parts
  const created = Math.floor(clock.wallMs() / 1_000)
  const card = {
    id: model,
    object: 'model',
    created,
    owned_by: 'signalbox-simulated',
    root: preset.model,
    parent: null,
    max_model_len: preset.modelTokensMax,
  }
  const health: Route = (_, response) => send(response, isDraining() ? 503 : 200, '', null)
  const routes: Routes = {
    '/health': { GET: health },
    '/ping': { GET: health, POST: health },
    '/v1/models': { GET: (_, response) => sendJson(response, { object: 'list', data: [card] }) },
    '/version': { GET: (_, response) => sendJson(response, { version: simulatedVersion }) },
    '/load': { GET: (_, response) => sendJson(response, { server_load: generations.open }) },
    '/metrics': {
      GET: (_, response) =>
        send(response, 200, metrics.text(engine.stats), 'text/plain; version=0.0.4; charset=utf-8'),
    },
    '/v1/chat/completions': { POST: (request, response) => generations.serve('chat', request, response) },
    '/v1/completions': { POST: (request, response) => generations.serve('completion', request, response) },
  }
  return (request, response) => void dispatch(routes, request, response)
}

async function dispatch(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => {}) // the client left; 'close' follows and does what is to be done
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (!methods) return sendRefusal(response, refusal(404, 'NotFoundError', 'Not Found'))
  const method = request.method ?? ''
  const route = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!route) {
    response.setHeader('allow', Object.keys(methods).join(', '))
    return sendRefusal(response, refusal(405, 'MethodNotAllowed', 'Method Not Allowed'))
  }
  try {
    await route(request, response)
  } catch {
    // A bug of ours must not take the other replicas of this process along.
    if (response.headersSent) response.destroy()
    else sendRefusal(response, refusal(500, 'InternalServerError', 'The simulated replica failed.'))
  }
}
