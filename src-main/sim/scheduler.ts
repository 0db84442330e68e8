import type { Tokens } from '../base/units'
import type { BlockCache } from './block-cache'
import type { Micros, StepWork } from './cost-model'
import type { Preset } from './presets'
import { knownTokens, type LiveSequence } from './sequence'
import { createSequenceMemory } from './sequence-memory'

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
  readonly counts: { readonly running: number; readonly waiting: number; readonly preemptions: number }
}

/** A scheduler over a cache. Every request must fit into the cache when it is alone. */
export function createScheduler(preset: Preset, cache: BlockCache): Scheduler {
  const memory = createSequenceMemory(cache, preset.blockTokens)
  const running: LiveSequence[] = []
  const waiting: LiveSequence[] = []
  let preemptions = 0

  function preemptLast(): LiveSequence {
    const victim = running.pop() as LiveSequence
    memory.giveUp(victim)
    victim.preemptions++
    preemptions++
    waiting.unshift(victim)
    return victim
  }
  /** Finds memory for `tokens` more, preempting from the end; false when it had to preempt the sequence itself. */
  function makeRoom(sequence: LiveSequence, tokens: Tokens): boolean {
    while (!memory.grow(sequence, tokens)) if (preemptLast() === sequence) return false
    return true
  }
  function planRunning(budget: Tokens, shares: Share[]): Tokens {
    let left = budget
    for (let at = 0; at < running.length && left > 0; at++) {
      const sequence = running[at] as LiveSequence
      const tokens = Math.min(left, knownTokens(sequence) - sequence.computed)
      if (!makeRoom(sequence, tokens)) break
      memory.publishFull(sequence, tokens)
      shares.push({ sequence, tokens })
      left -= tokens
    }
    return left
  }
  function planWaiting(budget: Tokens, atUs: Micros, shares: Share[]): void {
    let left = budget
    while (waiting.length > 0 && left > 0 && running.length < preset.sequencesMax) {
      const sequence = waiting[0] as LiveSequence
      const tokens = memory.admit(sequence, left)
      if (tokens === null) return // no skipping ahead
      if (sequence.scheduledUs === null) countLookup(cache, sequence, atUs)
      memory.publishFull(sequence, tokens)
      waiting.shift()
      running.push(sequence)
      shares.push({ sequence, tokens })
      left -= tokens
    }
  }
  return {
    enqueue: (sequence) => void waiting.push(sequence),
    remove(sequence) {
      for (const list of [running, waiting]) {
        const at = list.indexOf(sequence)
        if (at >= 0) list.splice(at, 1)
      }
      memory.giveUp(sequence)
    },
    plan(atUs) {
      const shares: Share[] = []
      const before = preemptions
      const left = planRunning(preset.batchTokensMax, shares)
      if (preemptions === before) planWaiting(left, atUs, shares)
      return shares.length > 0 ? { shares, work: workOf(shares) } : null
    },
    get counts() {
      return { running: running.length, waiting: waiting.length, preemptions }
    },
  }
}

/** Once a request: a preempted one that comes back would count what it had computed itself. */
function countLookup(cache: BlockCache, sequence: LiveSequence, atUs: Micros): void {
  sequence.scheduledUs = atUs
  sequence.cachedTokens = sequence.computed
  cache.count(sequence.request.promptTokens, sequence.computed)
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
