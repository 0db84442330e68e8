import { createDraw, type Draw } from '../base/draw'
import { type Tokens, tokensOfBytes } from '../base/units'
import { blockChain, tokenBytes } from '../domain/prompts/block-chain'
import type { BlockHashes } from './block-cache'
import { drawSentences } from './sentences'

/** Shortest and longest answer that a simulated model gives of its own accord. */
export const answerTokens = { least: 40, most: 160 } as const

/** A text that a simulated model has settled on before its first token: what comes out, and where its blocks lie. */
export interface Answer {
  /** ASCII, already cut to the limit. */
  readonly text: string
  readonly tokens: Tokens
  readonly finish: 'stop' | 'length'
  readonly promptTokens: Tokens
  /** Identities of the full blocks of prompt and answer. */
  readonly blocks: BlockHashes
}

/** A stream of chance that depends on the prompt's bytes and the seed alone, never on the replica or the hour. */
export function promptDraw(prompt: Uint8Array, seed: number): Draw {
  return createDraw(seed).fork(`answer-${fingerprint(prompt)}`)
}

/** Sentences as an answer; their length is drawn, too. @param atLeast tokens to go on for, past the natural end */
export function drawAnswerText(draw: Draw, atLeast: Tokens = 0): string {
  const { least, most } = answerTokens
  const natural = least + draw.below(most - least)
  return drawSentences(draw, Math.max(natural, atLeast) * tokenBytes)
}

/**
 * Cuts an answer to the limit and lays it behind its prompt. Both are filled up to whole tokens with line feeds, as the
 * chat template does when the next turn repeats them.
 * @param text ASCII, not empty
 * @param tokensMax at least 1
 */
export function layAnswer(prompt: Uint8Array, text: string, tokensMax: Tokens, blockTokens: Tokens): Answer {
  const cut = text.slice(0, tokensMax * tokenBytes)
  const promptTokens = tokensOfBytes(prompt.length)
  const tokens = tokensOfBytes(cut.length)
  const bytes = new Uint8Array((promptTokens + tokens) * tokenBytes).fill(lineFeed)
  bytes.set(prompt)
  for (let at = 0; at < cut.length; at++) bytes[promptTokens * tokenBytes + at] = cut.charCodeAt(at)
  return {
    text: cut,
    tokens,
    finish: cut.length < text.length ? 'length' : 'stop',
    promptTokens,
    blocks: blockChain(bytes, blockTokens),
  }
}

const lineFeed = 10

/** Two FNV-1a sums over the bytes, the second over the complements, as hex. */
function fingerprint(bytes: Uint8Array): string {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 0x01000193)
    b = Math.imul(b ^ (byte ^ 0xff), 0x01000193)
  }
  return `${(a >>> 0).toString(16)}-${(b >>> 0).toString(16)}`
}
