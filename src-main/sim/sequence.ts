import type { Tokens } from '../base/units'
import type { BlockHashes } from './block-cache'
import type { Micros } from './cost-model'

/** Why a sequence ended: the text came to its end, the limit was reached, or the client left. */
export type FinishReason = 'stop' | 'length' | 'abort'

/** What an engine is asked to compute. The answer's length is known beforehand, as it is when a trace is replayed. */
export interface EngineRequest {
  readonly id: string
  /** At least 1. */
  readonly promptTokens: Tokens
  /** At least 1. */
  readonly outputTokens: Tokens
  readonly finish: 'stop' | 'length'
  /** Of prompt and answer together. */
  readonly blocks: BlockHashes
}

/** A request inside an engine, to look at. Instants are virtual µs, null before they came. */
export interface Sequence {
  readonly request: EngineRequest
  readonly arrivedUs: Micros
  /** When it left the queue for the first time. */
  readonly scheduledUs: Micros | null
  readonly firstTokenUs: Micros | null
  readonly lastTokenUs: Micros | null
  /** Output tokens so far. */
  readonly generated: Tokens
  /** Prompt tokens that were found in the cache when it was first scheduled. */
  readonly cachedTokens: Tokens
  readonly preemptions: number
  readonly finished: FinishReason | null
}

/** A sequence as the scheduler changes it. */
export interface LiveSequence extends Sequence {
  scheduledUs: Micros | null
  firstTokenUs: Micros | null
  lastTokenUs: Micros | null
  generated: Tokens
  cachedTokens: Tokens
  preemptions: number
  finished: FinishReason | null
  /** Tokens whose keys and values exist. */
  computed: Tokens
  /** Blocks it refers to, in the order of the text. */
  blocks: number[]
  /** Of them, leading ones that can be found by others. */
  published: number
}

/** A sequence that has just come in. */
export const newSequence = (request: EngineRequest, arrivedUs: Micros): LiveSequence => ({
  request,
  arrivedUs,
  scheduledUs: null,
  firstTokenUs: null,
  lastTokenUs: null,
  generated: 0,
  cachedTokens: 0,
  preemptions: 0,
  finished: null,
  computed: 0,
  blocks: [],
  published: 0,
})

/** Tokens of the text so far: the prompt and what was generated. */
export const knownTokens = (sequence: Sequence): Tokens => sequence.request.promptTokens + sequence.generated
