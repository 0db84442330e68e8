import { z } from 'zod'
import { fail, ok, type Result } from '../../base/result'
import type { Tokens } from '../../base/units'
import { type PromptMessage, renderChat } from '../../domain/prompts/chat-template'
import { badRequest, type Refusal } from './refusal'

/** A function that the client offers. */
export interface OfferedTool {
  readonly name: string
  /** JSON schema of its arguments, as sent. */
  readonly parameters: unknown
}

/** What a client asks to generate, understood. */
export interface GenerationRequest {
  readonly kind: 'chat' | 'completion'
  readonly model: string | null
  /** Rendered prompt, UTF-8. */
  readonly prompt: Uint8Array
  readonly outputTokensMax: Tokens | null
  /** vLLM's `ignore_eos`: goes on to the limit, as load tests want it. */
  readonly ignoreEos: boolean
  readonly stream: boolean
  readonly includeUsage: boolean
  /** The functions of which one must be called; empty for an answer in words. */
  readonly callable: readonly OfferedTool[]
}

/** Tokens of a plain completion when the client names no limit: the API's old default. */
const completionTokensDefault: Tokens = 16

const limit = z.int().min(1).nullish()
const shared = {
  model: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: limit,
  ignore_eos: z.boolean().nullish(),
  n: z.int().min(1).nullish(),
}
const message = z.looseObject({
  role: z.string().min(1).max(64),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.literal('text'), text: z.string() }))])
    .nullish(),
  tool_calls: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
})
const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1).max(256), parameters: z.unknown() }),
})
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
])
const chatBody = z.looseObject({
  ...shared,
  messages: z.array(message).min(1),
  max_completion_tokens: limit,
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
})
const completionBody = z.looseObject({
  ...shared,
  prompt: z.union([z.string(), z.array(z.string()).length(1)]),
})

/**
 * Understands the body of `POST /v1/chat/completions` or `/v1/completions`. Unknown members are passed over, and so are
 * those that steer sampling: a simulated model always says the same. Errors carry member names, never the client's text.
 */
export function parseGeneration(
  kind: 'chat' | 'completion',
  body: string,
): Result<GenerationRequest, Refusal> {
  const value = parseJson(body)
  if (value === undefined) return fail(badRequest('The request body is not valid JSON.'))
  const parsed = kind === 'chat' ? chatBody.safeParse(value) : completionBody.safeParse(value)
  if (!parsed.success) return fail(schemaRefusal(parsed.error))
  const { stream, stream_options, n } = parsed.data
  if ((n ?? 1) > 1) return fail(badRequest('n must be 1: a simulated replica gives one choice.', 'n'))
  if (stream_options && !stream)
    return fail(badRequest('Stream options can only be defined when `stream=True`.', 'stream_options'))
  return kind === 'chat'
    ? understoodChat(parsed.data as z.output<typeof chatBody>)
    : ok(understoodCompletion(parsed.data as z.output<typeof completionBody>))
}

function understoodChat(body: z.output<typeof chatBody>): Result<GenerationRequest, Refusal> {
  const callable = callableTools(body)
  const preface = body.tools?.length ? jsonOf(body.tools) : ''
  if (preface === null) return fail(badRequest('body.tools: nested too deeply', 'tools'))
  if (callable === null)
    return fail(badRequest('tool_choice names a function that is not in tools.', 'tool_choice'))
  return ok({
    ...understood(body),
    kind: 'chat',
    prompt: renderChat(body.messages.map(rendered), preface),
    outputTokensMax: body.max_completion_tokens ?? body.max_tokens ?? null,
    callable,
  })
}

function understoodCompletion(body: z.output<typeof completionBody>): GenerationRequest {
  const prompt = typeof body.prompt === 'string' ? body.prompt : (body.prompt[0] ?? '')
  return {
    ...understood(body),
    kind: 'completion',
    prompt: new TextEncoder().encode(prompt),
    outputTokensMax: body.max_tokens ?? completionTokensDefault,
    callable: [],
  }
}

const understood = (body: z.output<typeof chatBody> | z.output<typeof completionBody>) => ({
  model: body.model ?? null,
  stream: body.stream ?? false,
  includeUsage: body.stream_options?.include_usage ?? false,
  ignoreEos: body.ignore_eos ?? false,
})

/**
 * With `auto` a conversation whose last message is a tool's result is answered in words, as a model would: a client that
 * loops until there is no call would never end otherwise. Null when the choice names nothing that is offered.
 */
function callableTools(body: z.output<typeof chatBody>): readonly OfferedTool[] | null {
  const offered = (body.tools ?? []).map((each) => ({
    name: each.function.name,
    parameters: each.function.parameters,
  }))
  const choice = body.tool_choice ?? 'auto'
  if (typeof choice === 'object') {
    const named = offered.filter(({ name }) => name === choice.function.name)
    return named.length > 0 ? named : null
  }
  if (choice === 'none') return []
  if (choice === 'required') return offered.length > 0 ? offered : null
  return body.messages.at(-1)?.role === 'tool' ? [] : offered
}

/** A message as it stands in the prompt: its text, and its tool calls as the model wrote them. */
function rendered({ role, content, tool_calls }: z.output<typeof message>): PromptMessage {
  const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text).join('')
  const calls = (tool_calls ?? []).map((call) => toolCallText(call.function.name, call.function.arguments))
  return { role, text: text + calls.join('\n') }
}

/** A tool call as text that a model generates, in the form of the Hermes and Qwen templates. */
const toolCallText = (name: string, argumentsText: string): string =>
  `${toolCallHead(name)}${argumentsText}${toolCallTail}`
/** What stands before the arguments; ASCII. */
export const toolCallHead = (name: string): string =>
  `<tool_call>\n{"name": ${asciiJson(name)}, "arguments": `
/** What stands behind them. */
export const toolCallTail = '}\n</tool_call>'

/** JSON in ASCII: the same value, with everything else escaped, so that any cut by bytes is a cut between characters. */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Null when the value nests deeper than the stack. */
function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

function schemaRefusal(error: z.ZodError): Refusal {
  const issue = error.issues[0]
  const path = issue ? issue.path.join('.') : ''
  const where = path === '' ? 'body' : `body.${path}`
  return badRequest(`${where}: ${issue?.message ?? 'not understood'}`, path === '' ? null : path)
}
