import { assert, present } from '../base/assert'
import type { Ratio, Tokens } from '../base/units'
import { type BlockCacheStats, createBlockCache } from './block-cache'
import { type Micros, stepCosts, stepUs } from './cost-model'
import type { Preset } from './presets'
import { createScheduler, type Scheduler, type StepPlan } from './scheduler'
import {
  type EngineRequest,
  type FinishReason,
  knownTokens,
  type LiveSequence,
  newSequence,
  type Sequence,
} from './sequence'

/** Something that a step brought: an output token (`index` counts from 0), or the end of a sequence. */
export type EngineEvent =
  | { readonly kind: 'token'; readonly sequence: Sequence; readonly index: number }
  | { readonly kind: 'finished'; readonly sequence: Sequence; readonly reason: FinishReason }

/** What happened at one instant of an engine. */
export interface StepReport {
  readonly atUs: Micros
  /** Tokens that the step which ended here has computed; 0 when a step only began. */
  readonly tokens: Tokens
  readonly events: readonly EngineEvent[]
}

/** Levels and counters of an engine; counters never go down. */
export interface EngineStats {
  /** In tokenisation, not yet in the queue. */
  readonly arriving: number
  readonly waiting: number
  readonly running: number
  readonly kvUsedRatio: Ratio
  readonly blocks: number
  readonly queriedTokens: Tokens
  readonly hitTokens: Tokens
  readonly evictions: number
  readonly preemptions: number
}

/**
 * One inference engine in virtual time, after the cost model: nothing in here waits or knows the hour. The caller asks
 * when something falls due, advances its own clock to that instant, and calls `step`. The embedded replicas do so by the
 * wall clock times a factor; a simulator by its event queue.
 */
export interface ReplicaModel {
  /**
   * Hands a request in at `nowUs`, which is not before the last step's end. Throws when it cannot ever fit: callers
   * check `fits` before.
   */
  submit(request: EngineRequest, nowUs: Micros): Sequence
  /** Ends a sequence at once and frees its blocks; false when it had ended before. No event comes for it any more. */
  abort(sequence: Sequence): boolean
  /** When to call `step` next, virtual µs; null while there is nothing to do. */
  nextStepUs(): Micros | null
  /** Ends the step that is due at `nextStepUs`, and begins the next. */
  step(): StepReport
  fits(promptTokens: Tokens, outputTokens: Tokens): boolean
  readonly stats: EngineStats
}

/** An idle engine with an empty cache. */
export function createReplicaModel(preset: Preset): ReplicaModel {
  const cache = createBlockCache(Math.floor(preset.kvTokens / preset.blockTokens))
  const scheduler = createScheduler(preset, cache)
  const costs = stepCosts(preset)
  const live = new Map<Sequence, LiveSequence>()
  /** In tokenisation: comes to the queue `frontUs` after its arrival, in order. */
  const arriving: LiveSequence[] = []
  let current: (StepPlan & { readonly endUs: Micros }) | null = null

  const fits = (promptTokens: Tokens, outputTokens: Tokens) =>
    promptTokens + outputTokens <= Math.min(preset.modelTokensMax, cache.stats.blocks * preset.blockTokens)
  const readyUs = (sequence: Sequence) => sequence.arrivedUs + preset.frontUs

  function begin(atUs: Micros): void {
    while (arriving.length > 0 && readyUs(arriving[0] as LiveSequence) <= atUs)
      scheduler.enqueue(arriving.shift() as LiveSequence)
    const plan = scheduler.plan(atUs)
    current = plan && { ...plan, endUs: atUs + stepUs(costs, plan.work) }
  }
  function end(plan: StepPlan, atUs: Micros): EngineEvent[] {
    const events: EngineEvent[] = []
    for (const { sequence, tokens } of plan.shares) {
      if (sequence.finished !== null) continue // aborted while the step ran
      sequence.computed += tokens
      if (sequence.computed === knownTokens(sequence)) sample(sequence, atUs, events, scheduler, live)
    }
    return events
  }
  return {
    submit(request, nowUs) {
      assert(request.promptTokens > 0 && request.outputTokens > 0, 'a request of no tokens')
      assert(fits(request.promptTokens, request.outputTokens), 'a request that cannot fit')
      const sequence = newSequence(request, nowUs)
      live.set(sequence, sequence)
      arriving.push(sequence)
      return sequence
    },
    abort(sequence) {
      const found = live.get(sequence)
      if (!found) return false
      live.delete(found)
      found.finished = 'abort'
      const at = arriving.indexOf(found)
      if (at >= 0) arriving.splice(at, 1)
      scheduler.remove(found)
      return true
    },
    nextStepUs: () => current?.endUs ?? (arriving[0] ? readyUs(arriving[0]) : null),
    step() {
      const ended = current
      const atUs = ended?.endUs ?? readyUs(present(arriving[0], 'something to do'))
      const events = ended ? end(ended, atUs) : []
      begin(atUs)
      return { atUs, tokens: ended?.work.tokens ?? 0, events }
    },
    fits,
    get stats() {
      return statsOf(cache.stats, scheduler.counts, arriving.length)
    },
  }
}

function statsOf(cache: BlockCacheStats, counts: Scheduler['counts'], arriving: number): EngineStats {
  const { blocks, usedRatio, queriedTokens, hitTokens, evictions } = cache
  const { running, waiting, preemptions } = counts
  return {
    arriving,
    waiting,
    running,
    kvUsedRatio: usedRatio,
    blocks,
    queriedTokens,
    hitTokens,
    evictions,
    preemptions,
  }
}

/** Everything known is computed: the next token comes out, and with the last one the sequence ends. */
function sample(
  sequence: LiveSequence,
  atUs: Micros,
  events: EngineEvent[],
  scheduler: Scheduler,
  live: Map<Sequence, LiveSequence>,
): void {
  events.push({ kind: 'token', sequence, index: sequence.generated })
  sequence.generated++
  sequence.firstTokenUs ??= atUs
  sequence.lastTokenUs = atUs
  if (sequence.generated < sequence.request.outputTokens) return
  const reason = sequence.request.finish
  sequence.finished = reason
  scheduler.remove(sequence)
  live.delete(sequence)
  events.push({ kind: 'finished', sequence, reason })
}
