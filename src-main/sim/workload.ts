import { createDraw, type Draw } from '../base/draw'
import type { Millis, Tokens } from '../base/units'
import { tokenBytes } from '../domain/prompts/block-chain'
import { drawSentences } from './sentences'

/** One message of a conversation, as an OpenAI client sends it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** One request of a conversation: everything said so far, and a new question. */
export interface Turn {
  /** Session id for the header, or null when this conversation sends none. */
  readonly sessionId: string | null
  /** Which conversation, from 0 in the order of their beginning; which of its turns, from 0. */
  readonly conversation: number
  readonly turn: number
  readonly messages: readonly ChatMessage[]
  readonly outputTokensMax: Tokens
  readonly stream: boolean
}

/** What a workload is like. Spans are milliseconds of the clock that the caller hands in. */
export interface WorkloadShape {
  /** System prompts that conversations share; the k-th is chosen k times more rarely than the first (Zipf, exponent 1). */
  readonly systemPrompts: number
  readonly systemTokens: readonly [least: Tokens, most: Tokens]
  readonly questionTokens: readonly [least: Tokens, most: Tokens]
  /** Share of questions that carry a pasted text, and its length. */
  readonly pasteShare: number
  readonly pasteTokens: readonly [least: Tokens, most: Tokens]
  readonly outputTokensMax: readonly [least: Tokens, most: Tokens]
  /** Turns of a conversation: 1 and an exponential number more, cut at the most. */
  readonly turnsMean: number
  readonly turnsMost: number
  /** Between an answer and the next question: at least, and on average. */
  readonly thinkLeastMs: Millis
  readonly thinkMeanMs: Millis
  /** Share of conversations without a session id, and of turns that are not streamed. */
  readonly keylessShare: number
  readonly wholeShare: number
  /** Conversations kept at once; beyond it the one that is next in thought goes on early. */
  readonly conversationsMost: number
}

/** The demo's traffic: chats of an assistant desk with a few shared instructions. */
export const demoShape: WorkloadShape = {
  systemPrompts: 12,
  systemTokens: [600, 2_400],
  questionTokens: [15, 90],
  pasteShare: 0.1,
  pasteTokens: [200, 700],
  outputTokensMax: [60, 200],
  turnsMean: 6,
  turnsMost: 14,
  thinkLeastMs: 2_000,
  thinkMeanMs: 8_000,
  keylessShare: 0.03,
  wholeShare: 0.05,
  conversationsMost: 1_000,
}

/**
 * Conversations as an open loop: requests come at their rate whatever the answers do. Each one continues the conversation
 * that has been ready for longest, or begins a new one when all are in thought or under way; so the number of
 * conversations settles by itself at rate × think time.
 */
export interface Workload {
  /** Time to the next request of a Poisson process. @param perSecond above 0 */
  gapMs(perSecond: number): Millis
  /** The next request, or null when every conversation is under way and there may be no more. */
  take(nowMs: Millis): Turn | null
  /** The answer came whole: it becomes part of the conversation. */
  answered(turn: Turn, text: string, nowMs: Millis): void
  /** No answer. The conversation asks again later, or ends when asking again is of no use. */
  failed(turn: Turn, nowMs: Millis, again: boolean): void
  /** Conversations that have begun and not ended. */
  readonly conversations: number
}

interface Conversation {
  readonly draw: Draw
  readonly index: number
  readonly sessionId: string | null
  readonly turns: number
  readonly messages: ChatMessage[]
  turn: number
  /** Null while a request is under way. */
  readyMs: Millis | null
  /** What will be asked next, kept when it failed. */
  next: Turn | null
}

/**
 * A workload. The same seed and shape give the same conversations in the same order: each has its own stream of chance, so
 * the policy, the rate and the speed of answers change when something is asked, never what.
 */
export function createWorkload(seed: number, shape: WorkloadShape = demoShape): Workload {
  const root = createDraw(seed).fork('workload')
  const arrivals = root.fork('arrivals')
  const systems = drawSystemPrompts(root, shape)
  const kept = new Map<number, Conversation>()
  let begun = 0

  function begin(): Conversation {
    const index = begun++
    const draw = root.fork(`conversation-${index}`)
    const conversation: Conversation = {
      draw,
      index,
      sessionId: draw.unit() < shape.keylessShare ? null : `demo-${(seed >>> 0).toString(36)}-${index}`,
      turns: Math.min(shape.turnsMost, 1 + Math.floor(draw.exponential(shape.turnsMean - 1) + 0.5)),
      messages: [{ role: 'system', content: zipf(draw, systems) }],
      turn: 0,
      readyMs: null,
      next: null,
    }
    kept.set(index, conversation)
    return conversation
  }
  function choose(nowMs: Millis): Conversation | null {
    let first: Conversation | null = null
    for (const each of kept.values())
      if (each.readyMs !== null && (first?.readyMs == null || each.readyMs < first.readyMs)) first = each
    const ready = first?.readyMs != null && first.readyMs <= nowMs
    return ready || kept.size >= shape.conversationsMost ? first : begin()
  }
  const think = ({ draw }: Conversation): Millis =>
    shape.thinkLeastMs + draw.exponential(shape.thinkMeanMs - shape.thinkLeastMs)

  return {
    gapMs: (perSecond) => arrivals.exponential(1_000 / perSecond),
    take(nowMs) {
      const conversation = choose(nowMs)
      if (!conversation) return null
      conversation.readyMs = null
      conversation.next ??= ask(conversation, shape)
      return conversation.next
    },
    answered(turn, text, nowMs) {
      const conversation = kept.get(turn.conversation)
      const question = turn.messages.at(-1)
      if (conversation?.next !== turn || !question) return
      conversation.messages.push(question, { role: 'assistant', content: text })
      conversation.next = null
      conversation.turn++
      if (conversation.turn >= conversation.turns) kept.delete(conversation.index)
      else conversation.readyMs = nowMs + think(conversation)
    },
    failed(turn, nowMs, again) {
      const conversation = kept.get(turn.conversation)
      if (conversation?.next !== turn) return
      if (again) conversation.readyMs = nowMs + think(conversation)
      else kept.delete(conversation.index)
    },
    get conversations() {
      return kept.size
    },
  }
}

function ask(conversation: Conversation, shape: WorkloadShape): Turn {
  const { draw, sessionId, index, turn } = conversation
  const question = drawSentences(draw, between(draw, shape.questionTokens) * tokenBytes)
  const pasted = draw.unit() < shape.pasteShare
  const content = pasted
    ? `${question}\n\n${drawSentences(draw, between(draw, shape.pasteTokens) * tokenBytes)}`
    : question
  return {
    sessionId,
    conversation: index,
    turn,
    messages: [...conversation.messages, { role: 'user', content }],
    outputTokensMax: between(draw, shape.outputTokensMax),
    stream: draw.unit() >= shape.wholeShare,
  }
}

function drawSystemPrompts(root: Draw, shape: WorkloadShape): readonly string[] {
  return Array.from({ length: shape.systemPrompts }, (_, at) => {
    const draw = root.fork(`system-${at}`)
    const rules = drawSentences(draw, between(draw, shape.systemTokens) * tokenBytes)
    return `You are the assistant of desk ${at + 1}. Answer briefly and kindly. These are the house rules. ${rules}`
  })
}

/** The k-th with a weight of 1/k. */
function zipf<T>(draw: Draw, from: readonly T[]): T {
  const total = from.reduce((sum, _, at) => sum + 1 / (at + 1), 0)
  let left = draw.unit() * total
  for (const [at, value] of from.entries()) {
    left -= 1 / (at + 1)
    if (left < 0) return value
  }
  return from.at(-1) as T
}

const between = (draw: Draw, [least, most]: readonly [Tokens, Tokens]): Tokens =>
  least + draw.below(most - least + 1)
