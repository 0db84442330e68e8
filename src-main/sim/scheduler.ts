import type { Tokens } from '../base/units'
import type { BlockCache } from './block-cache'
import type { Micros, StepWork } from './cost-model'
import type { Preset } from './presets'
import { knownTokens, type LiveSequence } from './sequence'

/** A part of a sequence's text that a step computes. */
export interface Share {
  readonly sequence: LiveSequence
  readonly tokens: Tokens
}

/** What one step computes. */
export interface StepPlan {
  readonly shares: readonly Share[]
  readonly work: StepWork
}

/**
 * Decides what each engine step computes, in the shape of vLLM's V1 scheduler: one token budget for prompts and answers
 * alike, long prompts in chunks, first come first served, and preemption of the last when memory runs out.
 */
export interface Scheduler {
  /** Puts a sequence at the queue's end. */
  enqueue(sequence: LiveSequence): void
  /** Takes a sequence out, wherever it is, and frees its blocks. */
  remove(sequence: LiveSequence): void
  /** Plans the step that starts at `atUs`; null when there is nothing to compute. */
  plan(atUs: Micros): StepPlan | null
  readonly running: number
  readonly waiting: number
  readonly preemptions: number
}

/** A scheduler over a cache. Every request must fit into the cache when it is alone. */
export function createScheduler(preset: Preset, cache: BlockCache): Scheduler {
  const { blockTokens } = preset
  const blocksFor = (tokens: Tokens) => Math.ceil(tokens / blockTokens)
  const running: LiveSequence[] = []
  const waiting: LiveSequence[] = []
  let preemptions = 0

  /** Registers the blocks that this step fills: whoever comes later in the same step may use them already. */
  function publishFull(sequence: LiveSequence, tokens: Tokens): void {
    const full = Math.floor((sequence.computed + tokens) / blockTokens)
    for (; sequence.published < full; sequence.published++) {
      const at = sequence.published
      cache.publish(sequence.blocks[at] as number, sequence.request.blocks[at] as number)
    }
  }
  function giveUp(sequence: LiveSequence): void {
    cache.release(sequence.blocks)
    sequence.blocks = []
    sequence.published = 0
    sequence.computed = 0
  }
  function preemptLast(): LiveSequence {
    const victim = running.pop() as LiveSequence
    giveUp(victim)
    victim.preemptions++
    preemptions++
    waiting.unshift(victim)
    return victim
  }
  /** Finds memory for `tokens` more, preempting from the end; false when it had to preempt the sequence itself. */
  function grow(sequence: LiveSequence, tokens: Tokens): boolean {
    const missing = blocksFor(sequence.computed + tokens) - sequence.blocks.length
    if (missing <= 0) return true
    for (;;) {
      const fresh = cache.extend(missing)
      if (fresh) {
        sequence.blocks.push(...fresh)
        return true
      }
      if (preemptLast() === sequence) return false
    }
  }
  function planRunning(budget: Tokens, shares: Share[]): Tokens {
    let left = budget
    for (let at = 0; at < running.length && left > 0; at++) {
      const sequence = running[at] as LiveSequence
      const tokens = Math.min(left, knownTokens(sequence) - sequence.computed)
      if (!grow(sequence, tokens)) break
      publishFull(sequence, tokens)
      shares.push({ sequence, tokens })
      left -= tokens
    }
    return left
  }
  function admit(sequence: LiveSequence, budget: Tokens, atUs: Micros): Share | null {
    const known = knownTokens(sequence)
    // The last token is always computed: its result is the next one.
    const hits = cache.match(sequence.request.blocks, Math.floor((known - 1) / blockTokens))
    const hitTokens = hits * blockTokens
    const tokens = Math.min(budget, known - hitTokens)
    const blocks = cache.take(sequence.request.blocks, hits, blocksFor(hitTokens + tokens) - hits)
    if (!blocks) return null
    sequence.blocks = blocks
    sequence.published = hits
    sequence.computed = hitTokens
    if (sequence.scheduledUs === null) {
      sequence.scheduledUs = atUs
      sequence.cachedTokens = hitTokens
      cache.count(known, hitTokens) // once a request: a preempted one that comes back would count itself
    }
    publishFull(sequence, tokens)
    return { sequence, tokens }
  }
  function planWaiting(budget: Tokens, atUs: Micros, shares: Share[]): void {
    let left = budget
    while (waiting.length > 0 && left > 0 && running.length < preset.sequencesMax) {
      const share = admit(waiting[0] as LiveSequence, left, atUs)
      if (!share) return // no skipping ahead
      waiting.shift()
      running.push(share.sequence)
      shares.push(share)
      left -= share.tokens
    }
  }

  return {
    enqueue: (sequence) => void waiting.push(sequence),
    remove(sequence) {
      for (const list of [running, waiting]) {
        const at = list.indexOf(sequence)
        if (at >= 0) list.splice(at, 1)
      }
      giveUp(sequence)
    },
    plan(atUs) {
      const shares: Share[] = []
      const before = preemptions
      const left = planRunning(preset.batchTokensMax, shares)
      if (preemptions === before) planWaiting(left, atUs, shares)
      return shares.length > 0 ? { shares, work: workOf(shares) } : null
    },
    get running() {
      return running.length
    },
    get waiting() {
      return waiting.length
    },
    get preemptions() {
      return preemptions
    },
  }
}

function workOf(shares: readonly Share[]): StepWork {
  let tokens = 0
  let prefillPairs = 0
  let decodeContext = 0
  for (const { sequence, tokens: own } of shares) {
    tokens += own
    const decodes = sequence.generated > 0 && sequence.computed + 1 === knownTokens(sequence)
    if (decodes) decodeContext += sequence.computed
    else prefillPairs += own * (sequence.computed + own / 2)
  }
  return { tokens, prefillPairs, decodeContext, sequences: shares.length }
}
