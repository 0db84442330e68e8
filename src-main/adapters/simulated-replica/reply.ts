import type { Generation } from './generation'
import type { GenerationRequest } from './openai-request'

/** Token counts of a request, as the API reports them. */
export interface Usage {
  readonly promptTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
}

/** How one generation is told to the client: as server-sent events, piece by piece, or as one document. */
export interface Reply {
  /** Events of the first token, before its piece. */
  opening(): string
  /** Events of the tokens `from` to before `to`: one each, unless it shows nothing. */
  pieces(from: number, to: number): string
  /** Last events: the reason, the usage when it is asked for, and the end mark. */
  closing(usage: Usage): string
  /** The whole answer as one JSON document. */
  whole(usage: Usage): string
}

interface ReplyParts {
  readonly request: GenerationRequest
  readonly generation: Generation
  /** Of this reply; `chatcmpl-…` or `cmpl-…`. */
  readonly id: string
  readonly model: string
  /** Seconds since 1970. */
  readonly created: number
}

/** The reply of a chat or of a plain completion. */
export function createReply(parts: ReplyParts): Reply {
  return parts.request.kind === 'chat' ? chatReply(parts) : completionReply(parts)
}

function chatReply({ request, generation, id, model, created }: ReplyParts): Reply {
  const { tool, answer, finishReason } = generation
  const callId = `call_${id.slice(-24)}`
  const chunk = { id, object: 'chat.completion.chunk', created, model }
  const event = (delta: unknown, finish: string | null = null) =>
    eventOf({ ...chunk, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })
  const callDelta = (argumentsText: string) => ({
    tool_calls: [{ index: 0, function: { arguments: argumentsText } }],
  })
  return {
    opening: () =>
      event({ role: 'assistant', content: tool === null ? '' : null }) +
      (tool === null
        ? ''
        : event({
            tool_calls: [{ index: 0, id: callId, type: 'function', function: { name: tool, arguments: '' } }],
          })),
    pieces: (from, to) =>
      eachPiece(generation, from, to, (text) => event(tool === null ? { content: text } : callDelta(text))),
    closing: (usage) =>
      event({}, finishReason) +
      (request.includeUsage ? eventOf({ ...chunk, choices: [], usage: usageBody(usage) }) : '') +
      endMark,
    whole(usage) {
      const text = generation.visible(0, answer.tokens)
      const call = tool !== null && {
        tool_calls: [{ id: callId, type: 'function', function: { name: tool, arguments: text } }],
      }
      const message = { role: 'assistant', content: call ? null : text, refusal: null, ...call }
      return JSON.stringify({
        ...chunk,
        object: 'chat.completion',
        choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
        usage: usageBody(usage),
      })
    },
  }
}

function completionReply({ request, generation, id, model, created }: ReplyParts): Reply {
  const { answer, finishReason } = generation
  const head = { id, object: 'text_completion', created, model }
  const choice = (text: string, finish: string | null) => [
    { index: 0, text, logprobs: null, finish_reason: finish },
  ]
  const event = (text: string, finish: string | null = null) =>
    eventOf({ ...head, choices: choice(text, finish) })
  return {
    opening: () => '',
    pieces: (from, to) => eachPiece(generation, from, to, (text) => event(text)),
    closing: (usage) =>
      event('', finishReason) +
      (request.includeUsage ? eventOf({ ...head, choices: [], usage: usageBody(usage) }) : '') +
      endMark,
    whole: (usage) =>
      JSON.stringify({
        ...head,
        choices: choice(generation.visible(0, answer.tokens), finishReason),
        usage: usageBody(usage),
      }),
  }
}

const endMark = 'data: [DONE]\n\n'

const eventOf = (body: unknown) => `data: ${JSON.stringify(body)}\n\n`

function eachPiece(
  generation: Generation,
  from: number,
  to: number,
  event: (text: string) => string,
): string {
  let events = ''
  for (let at = from; at < to; at++) {
    const text = generation.visible(at, at + 1)
    if (text !== '') events += event(text)
  }
  return events
}

const usageBody = ({ promptTokens, outputTokens, cachedTokens }: Usage) => ({
  prompt_tokens: promptTokens,
  total_tokens: promptTokens + outputTokens,
  completion_tokens: outputTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
})
