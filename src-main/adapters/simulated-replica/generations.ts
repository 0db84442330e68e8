import type { IncomingMessage, ServerResponse } from 'node:http'
import { fail, ok, type Result } from '../../base/result'
import type { Clock } from '../../ports/seams/clock'
import type { Random } from '../../ports/seams/random'
import type { Timers } from '../../ports/seams/timers'
import type { Preset } from '../../sim/presets'
import type { Engine } from './engine'
import type { EngineMetrics } from './engine-metrics'
import { type Generation, settleGeneration } from './generation'
import { type GenerationRequest, parseGeneration } from './openai-request'
import { type Refusal, refusal } from './refusal'
import { createReply } from './reply'
import { createBodyReader } from './request-body'
import { sendRefusal } from './responses'
import { runGeneration } from './running-generation'

/** The generations of one replica: takes them in, counts them, and can stop taking them. */
export interface Generations {
  /** Answers one `POST` of that kind. */
  serve(kind: 'chat' | 'completion', request: IncomingMessage, response: ServerResponse): Promise<void>
  /** From now on new ones are refused with 503. */
  stop(): void
  /** Under way. */
  readonly open: number
  /** Resolves when none is under way. */
  idle(): Promise<void>
}

/** What a replica is made of. */
export interface ReplicaParts {
  readonly id: string
  readonly model: string
  readonly preset: Preset
  readonly seed: number
  readonly engine: Engine
  readonly metrics: EngineMetrics
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
}

/** Takes generations until it is stopped. */
export function createGenerations(parts: ReplicaParts): Generations {
  const { id, clock, timers, random, engine, metrics } = parts
  const bodies = createBodyReader(timers)
  let stopping = false
  let open = 0
  let waitingForIdle: (() => void)[] = []

  const over = () => {
    open--
    if (open > 0) return
    for (const resolve of waitingForIdle) resolve()
    waitingForIdle = []
  }
  const begin = (understood: Understood, http: IncomingMessage, response: ServerResponse) => {
    const { request, generation } = understood
    const requestId = `${request.kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${givenId(http) ?? random.hex(16)}`
    const created = Math.floor(clock.wallMs() / 1_000)
    const reply = createReply({ request, generation, id: requestId, model: parts.model, created })
    open++
    metrics.accepted(request.outputTokensMax)
    runGeneration({
      engine,
      generation,
      reply,
      response,
      stream: request.stream,
      requestId,
      onOver: over,
    })
  }
  return {
    async serve(kind, http, response) {
      if (stopping) return sendRefusal(response, leaving(id))
      if (!isJson(http)) return sendRefusal(response, notJson)
      const body = await bodies.read(http)
      if (body === null) return
      if (!body.ok) return sendRefusal(response, body.error)
      if (stopping) return sendRefusal(response, leaving(id))
      const understood = understand(kind, body.value, parts)
      if (understood.ok) begin(understood.value, http, response)
      else sendRefusal(response, understood.error)
    },
    stop() {
      stopping = true
    },
    get open() {
      return open
    },
    idle: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => waitingForIdle.push(resolve))),
  }
}

interface Understood {
  readonly request: GenerationRequest
  readonly generation: Generation
}

function understand(
  kind: 'chat' | 'completion',
  body: string,
  { model, preset, seed }: ReplicaParts,
): Result<Understood, Refusal> {
  const request = parseGeneration(kind, body)
  if (!request.ok) return request
  if (request.value.model !== null && request.value.model !== model) return fail(unknownModel)
  const generation = settleGeneration(request.value, preset, seed)
  return generation.ok ? ok({ request: request.value, generation: generation.value }) : generation
}

const unknownModel = refusal(
  404,
  'NotFoundError',
  'The model does not exist; GET /v1/models lists it.',
  'model',
)
const notJson = refusal(
  415,
  'UnsupportedMediaType',
  "Unsupported Media Type: Only 'application/json' is allowed",
)
const leaving = (id: string) =>
  refusal(503, 'ServiceUnavailableError', `Replica ${id} is stopping and takes no new requests.`)

const isJson = (http: IncomingMessage) =>
  /^application\/([^;]+\+)?json\b/i.test(http.headers['content-type'] ?? '')

/** A caller's own id for the reply, as vLLM takes it; only plain ones, since it comes back in every event. */
function givenId(http: IncomingMessage): string | null {
  const given = http.headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : null
}
