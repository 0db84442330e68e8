import { fail, ok, type Result } from '../../base/result'
import { tokensOfBytes } from '../../base/units'
import { tokenBytes } from '../../domain/prompts/block-chain'
import { type Answer, drawAnswerText, layAnswer, promptDraw } from '../../sim/answer'
import type { Preset } from '../../sim/presets'
import { pick } from '../../sim/sentences'
import { drawBySchema } from '../../sim/tool-arguments'
import {
  asciiJson,
  type GenerationRequest,
  type OfferedTool,
  toolCallHead,
  toolCallTail,
} from './openai-request'
import { badRequest, type Refusal } from './refusal'

/** An answer that is settled before its first token, and how its tokens become what the client sees. */
export interface Generation {
  readonly answer: Answer
  readonly finishReason: 'stop' | 'length' | 'tool_calls'
  /** Name of the function that is called, or null for words. */
  readonly tool: string | null
  /** What tokens `from` to before `to` add to the content or to the arguments; may be empty. */
  visible(from: number, to: number): string
}

/**
 * What a model of this seed says to this prompt: a pure function of both and of the limit, never of the replica, so that
 * the same request has the same answer everywhere.
 */
export function settleGeneration(
  request: GenerationRequest,
  preset: Preset,
  seed: number,
): Result<Generation, Refusal> {
  const room = roomFor(request, preset)
  if (!room.ok) return room
  const draw = promptDraw(request.prompt, seed)
  const tool = request.callable.length > 0 ? pick(draw, request.callable) : null
  const call = tool && callOf(tool, drawBySchema(draw.fork('arguments'), tool.parameters ?? {}))
  const text = call ? call.text : drawAnswerText(draw, request.ignoreEos ? room.value + 1 : 0)
  const answer = layAnswer(request.prompt, text, room.value, preset.blockTokens)
  const shown = call ?? { from: 0, to: text.length }
  return ok({
    answer,
    finishReason: answer.finish === 'stop' && tool ? 'tool_calls' : answer.finish,
    tool: tool?.name ?? null,
    visible: (from, to) =>
      answer.text.slice(
        Math.max(shown.from, from * tokenBytes),
        Math.max(shown.from, Math.min(shown.to, to * tokenBytes)),
      ),
  })
}

/** Tokens that the answer may have, or why there is no room for one. */
function roomFor({ prompt, outputTokensMax }: GenerationRequest, preset: Preset): Result<number, Refusal> {
  const promptTokens = tokensOfBytes(prompt.length)
  const left = preset.modelTokensMax - promptTokens
  if (promptTokens === 0) return fail(badRequest('The prompt is empty.', 'prompt'))
  if (left < 1 || (outputTokensMax ?? 1) > left)
    return fail(
      badRequest(
        `This model's maximum context length is ${preset.modelTokensMax} tokens. However, your request has ` +
          `${promptTokens} input tokens and asks for ${outputTokensMax ?? 'at least 1'} output tokens. ` +
          'Please shorten one of them.',
      ),
    )
  return ok(outputTokensMax ?? left)
}

function callOf(tool: OfferedTool, value: unknown): { text: string; from: number; to: number } {
  const head = toolCallHead(tool.name)
  // A function without a schema takes an empty object, not a bare string.
  const shaped = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
  const text = head + asciiJson(shaped)
  return { text: text + toolCallTail, from: head.length, to: text.length }
}
