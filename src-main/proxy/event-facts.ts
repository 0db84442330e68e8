import type { Tokens } from '../base/units'

/** What one event of an OpenAI stream, or a whole plain reply, tells. */
export interface EventFacts {
  /** It carries something that the model wrote: text, reasoning, a refusal or a tool call. */
  readonly content: boolean
  readonly finish: string | null
  readonly promptTokens: Tokens | null
  readonly outputTokens: Tokens | null
  readonly cachedTokens: Tokens | null
  /** Code or type of an error object. */
  readonly errorCode: string | null
  /** It is the last event of the Responses or the Messages API. */
  readonly ends: boolean
}

/** Longest finish reason or error code that is kept. */
const wordMaxLength = 64

const lastTypes: ReadonlySet<string> = new Set([
  'response.completed',
  'response.failed',
  'response.incomplete',
  'message_stop',
])

/** Fields in which models write. */
const written = [
  'content',
  'text',
  'reasoning_content',
  'reasoning',
  'refusal',
  'tool_calls',
  'function_call',
]

/** Reads an event's data, or a plain reply's body. Text that is not JSON counts as content. */
export function readEvent(text: string): EventFacts {
  let event: unknown
  try {
    event = JSON.parse(text)
  } catch {
    return factsOf({}, true)
  }
  return factsOf(fields(event), false)
}

function factsOf(event: Fields, unreadable: boolean): EventFacts {
  const choices = Array.isArray(event.choices) ? event.choices.map(fields) : []
  const type = word(event.type)
  const usage = fields(event.usage ?? fields(event.response).usage)
  const details = fields(usage.prompt_tokens_details ?? usage.input_tokens_details)
  return {
    content: unreadable || choices.some(writes) || (type?.endsWith('.delta') ?? false),
    finish: choices.map((choice) => word(choice.finish_reason)).find((reason) => reason !== null) ?? null,
    promptTokens: count(usage.prompt_tokens ?? usage.input_tokens),
    outputTokens: count(usage.completion_tokens ?? usage.output_tokens),
    cachedTokens: count(details.cached_tokens),
    errorCode: errorCode(event),
    ends: type !== null && lastTypes.has(type),
  }
}

function writes(choice: Fields): boolean {
  const from = choice.delta ?? choice.message
  const delta = from === undefined ? choice : fields(from)
  return written.some((name) => {
    const value = delta[name]
    if (typeof value === 'string' || Array.isArray(value)) return value.length > 0
    return typeof value === 'object' && value !== null
  })
}

function errorCode(event: Fields): string | null {
  if (event.error !== undefined && event.error !== null) {
    const error = fields(event.error)
    return (
      word(error.code) ??
      (typeof error.code === 'number' ? String(error.code) : null) ??
      word(error.type) ??
      'error'
    )
  }
  return event.object === 'error' || event.type === 'error' ? (word(event.code) ?? 'error') : null
}

type Fields = Readonly<Record<string, unknown>>

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
const word = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, wordMaxLength) : null
const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
