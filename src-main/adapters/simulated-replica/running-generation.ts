import type { ServerResponse } from 'node:http'
import type { Engine, Job } from './engine'
import type { Generation } from './generation'
import type { Reply, Usage } from './reply'

/** Tokens whose events are written in one piece, so that a client that catches up does not get megabytes at once. */
const tokensPerWrite = 256

interface Running {
  readonly engine: Engine
  readonly generation: Generation
  readonly reply: Reply
  readonly response: ServerResponse
  readonly stream: boolean
  readonly requestId: string
  /** Fires once, when the request is over, however it ended. */
  readonly onOver: () => void
}

/**
 * Runs one generation and sends what comes out. A client that leaves ends the sequence at once; a client that reads slowly
 * holds only its own events back: what waits is a number of tokens, not their text.
 */
export function runGeneration({
  engine,
  generation,
  reply,
  response,
  stream,
  requestId,
  onOver,
}: Running): void {
  const { answer } = generation
  const sent = stream ? streamed(reply, response) : whole(reply, response)
  const job: Job = engine.submit(
    {
      id: requestId,
      promptTokens: answer.promptTokens,
      outputTokens: answer.tokens,
      finish: answer.finish,
      blocks: answer.blocks,
    },
    () => sent(job),
  )
  response.once('close', () => {
    engine.abort(job)
    onOver()
  })
}

/** Sends events as tokens come; the status line goes out at once, as vLLM's does. */
function streamed(reply: Reply, response: ServerResponse): (job: Job) => void {
  let written = 0
  let job: Job | null = null
  let blocked = false
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  response.flushHeaders()
  const pump = () => {
    while (job !== null && !blocked && written < job.produced) {
      const to = Math.min(job.produced, written + tokensPerWrite)
      const opening = written === 0 ? reply.opening() : ''
      const over = job.finished !== null && to === job.produced
      const events = opening + reply.pieces(written, to)
      written = to
      if (over) response.end(events + reply.closing(usageOf(job)))
      else if (events !== '') blocked = !response.write(events)
    }
  }
  response.on('drain', () => {
    blocked = false
    pump()
  })
  return (progressed) => {
    job = progressed
    pump()
  }
}

/** Sends one document when all tokens have come. */
function whole(reply: Reply, response: ServerResponse): (job: Job) => void {
  return (job) => {
    if (job.finished === null) return
    const body = reply.whole(usageOf(job))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  }
}

const usageOf = ({ sequence, produced }: Job): Usage => ({
  promptTokens: sequence.request.promptTokens,
  outputTokens: produced,
  cachedTokens: sequence.cachedTokens,
})
