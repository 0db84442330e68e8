import type { Tokens } from '../base/units'
import type { BlockCache } from './block-cache'
import { knownTokens, type LiveSequence } from './sequence'

/** Gives sequences their blocks and takes them back. */
export interface SequenceMemory {
  /**
   * Looks up how much of a sequence that holds nothing is cached, and takes blocks for that and for as much more as the
   * budget allows. Answers how many tokens are left to compute in this step, or null when there are not enough blocks.
   */
  admit(sequence: LiveSequence, budget: Tokens): Tokens | null
  /** Blocks for `tokens` more; false, and nothing changes, when there are not enough. */
  grow(sequence: LiveSequence, tokens: Tokens): boolean
  /** Makes the blocks that `tokens` more will fill known: whoever comes later in the same step may use them already. */
  publishFull(sequence: LiveSequence, tokens: Tokens): void
  /** Frees everything; what was computed is lost but for what the cache still knows. */
  giveUp(sequence: LiveSequence): void
}

/** Memory of sequences in a cache of blocks of that size. */
export function createSequenceMemory(cache: BlockCache, blockTokens: Tokens): SequenceMemory {
  const blocksFor = (tokens: Tokens) => Math.ceil(tokens / blockTokens)
  return {
    admit(sequence, budget) {
      const known = knownTokens(sequence)
      const { blocks } = sequence.request
      // The last token is always computed: its result is the next one.
      const hits = cache.match(blocks, Math.floor((known - 1) / blockTokens))
      const cached = hits * blockTokens
      const tokens = Math.min(budget, known - cached)
      const taken = cache.take(blocks, hits, blocksFor(cached + tokens) - hits)
      if (!taken) return null
      sequence.blocks = taken
      sequence.published = hits
      sequence.computed = cached
      return tokens
    },
    grow(sequence, tokens) {
      const missing = blocksFor(sequence.computed + tokens) - sequence.blocks.length
      if (missing <= 0) return true
      const fresh = cache.extend(missing)
      if (fresh) sequence.blocks.push(...fresh)
      return fresh !== null
    },
    publishFull(sequence, tokens) {
      const full = Math.floor((sequence.computed + tokens) / blockTokens)
      for (; sequence.published < full; sequence.published++) {
        const at = sequence.published
        cache.publish(sequence.blocks[at] as number, sequence.request.blocks[at] as number)
      }
    },
    giveUp(sequence) {
      cache.release(sequence.blocks)
      sequence.blocks = []
      sequence.published = 0
      sequence.computed = 0
    },
  }
}
