import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { present } from '../../src-main/base/assert'
import { prefillUs, stepCosts } from '../../src-main/sim/cost-model'
import { findPreset, type Preset } from '../../src-main/sim/presets'
import { createReplicaModel, type ReplicaModel, type StepReport } from '../../src-main/sim/replica-model'
import type { EngineRequest } from '../../src-main/sim/sequence'

const base = present(findPreset('llama-3.1-8b_h100'), 'preset')
const engine = (changes: Partial<Preset> = {}): Preset => ({ ...base, frontUs: 0, ...changes })

/** A request whose blocks are its own, or begin with those of a shared text. */
function request(id: string, promptTokens: number, outputTokens: number, text = id): EngineRequest {
  const blocks = Array.from({ length: Math.floor((promptTokens + outputTokens) / 16) }, (_, at) =>
    hash(text, at),
  )
  return { id, promptTokens, outputTokens, finish: 'stop', blocks }
}
const hash = (text: string, at: number) =>
  [...text].reduce((sum, each) => sum * 131 + each.charCodeAt(0), 7) * 1_000 + at

/** Runs until nothing is left, or for some steps. */
function run(model: ReplicaModel, stepsMax = 100_000): StepReport[] {
  const reports: StepReport[] = []
  while (model.nextStepUs() !== null && reports.length < stepsMax) reports.push(model.step())
  return reports
}
const finishes = (reports: StepReport[]) =>
  reports.flatMap(({ events }) =>
    events.flatMap((each) => (each.kind === 'finished' ? [each.sequence.request.id] : [])),
  )
const tokensOf = (reports: StepReport[], id: string) =>
  reports.flatMap(({ atUs, events }) =>
    events.flatMap((each) =>
      each.kind === 'token' && each.sequence.request.id === id ? [{ atUs, index: each.index }] : [],
    ),
  )

describe('one request', () => {
  test('first token after front time and prefill, then a token a step, then stop', () => {
    const model = createReplicaModel(engine({ frontUs: 9_000 }))
    const sequence = model.submit(request('a', 13_700, 4), 1_000)
    expect(model.nextStepUs()).toBe(10_000)
    const reports = run(model)
    // 13,700 tokens are more than the budget of 8,192: two chunks, so one overhead more than in one step.
    const alone = prefillUs(stepCosts(base), 13_700, 0)
    expect(Math.abs((sequence.firstTokenUs ?? 0) - 10_000 - alone - 3_020)).toBeLessThan(50)
    expect(tokensOf(reports, 'a').map(({ index }) => index)).toEqual([0, 1, 2, 3])
    expect(sequence).toMatchObject({ finished: 'stop', generated: 4, cachedTokens: 0, scheduledUs: 10_000 })
    expect(model.stats).toMatchObject({ running: 0, waiting: 0, kvUsedRatio: 0 })
  })

  test('headline 1: the second time the prompt is cached but for its last block', () => {
    const model = createReplicaModel(engine({ frontUs: 9_000 }))
    model.submit(request('a', 13_700, 1), 0)
    const firstMs = (run(model).at(-1)?.atUs ?? 0) / 1_000
    const again = model.submit(request('b', 13_700, 1, 'a'), 1_000_000)
    run(model)
    expect(again.cachedTokens).toBe(Math.floor(13_699 / 16) * 16)
    expect(Math.round(((again.firstTokenUs ?? 0) - 1_000_000) / 1_000)).toBe(18)
    expect(firstMs).toBeGreaterThan(500)
    expect(model.stats).toMatchObject({ queriedTokens: 27_400, hitTokens: 13_696 })
  })

  test('the last token is never taken from the cache, even when the prompt is whole blocks', () => {
    const model = createReplicaModel(engine())
    model.submit(request('a', 64, 1), 0)
    run(model)
    const again = model.submit(request('b', 64, 1, 'a'), 1_000_000)
    run(model)
    expect(again.cachedTokens).toBe(48)
  })

  test('the answer is cached, too: the next turn of the conversation finds it', () => {
    const model = createReplicaModel(engine())
    model.submit(request('turn-1', 160, 65, 'chat'), 0)
    run(model)
    const next = model.submit(request('turn-2', 320, 10, 'chat'), 10_000_000)
    run(model)
    expect(next.cachedTokens).toBe(224) // 160 + 64 computed ones: the last token's keys were never needed
  })
})

describe('scheduling', () => {
  test('a long prompt goes in chunks of the budget, and running answers get their token in each step', () => {
    const model = createReplicaModel(engine({ batchTokensMax: 1_000 }))
    model.submit(request('talking', 10, 50), 0)
    run(model, 3)
    const long = model.submit(request('long', 2_500, 1), present(model.nextStepUs(), 'step'))
    const reports = run(model)
    const until = reports.filter(({ atUs }) => atUs <= (long.firstTokenUs ?? 0))
    expect(until.map(({ tokens }) => tokens).filter((tokens) => tokens > 1)).toEqual([1_000, 1_000, 503])
    for (const { tokens, events } of until.filter((each) => each.tokens > 1)) {
      expect(tokens).toBeLessThanOrEqual(1_000)
      expect(events.some((each) => each.kind === 'token' && each.sequence.request.id === 'talking')).toBe(
        true,
      )
    }
  })

  test('a prefill in the same step lengthens the others’ gap', () => {
    const gaps = (withLong: boolean) => {
      const model = createReplicaModel(engine())
      model.submit(request('talking', 10, 20), 0)
      run(model, 3)
      if (withLong) model.submit(request('long', 8_000, 1), present(model.nextStepUs(), 'step'))
      const times = tokensOf(run(model), 'talking').map(({ atUs }) => atUs)
      return Math.max(...times.slice(1).map((atUs, at) => atUs - (times[at] as number)))
    }
    expect(gaps(false)).toBeLessThan(10_000)
    expect(gaps(true)).toBeGreaterThan(200_000)
  })

  test('no more run at once than allowed; the others wait in order', () => {
    const model = createReplicaModel(engine({ sequencesMax: 2 }))
    for (const id of ['a', 'b', 'c', 'd']) model.submit(request(id, 20, 5), 0)
    run(model, 1)
    expect(model.stats).toMatchObject({ running: 2, waiting: 2 })
    expect(finishes(run(model))).toEqual(['a', 'b', 'c', 'd'])
  })

  test('first come first served: a small one does not slip past a large one that does not fit yet', () => {
    const model = createReplicaModel(engine({ kvTokens: 1_600, modelTokensMax: 1_600 }))
    model.submit(request('first', 1_200, 40), 0)
    const large = model.submit(request('large', 1_000, 2), 1)
    const small = model.submit(request('small', 16, 2), 2)
    const reports = run(model)
    expect(finishes(reports)).toEqual(['first', 'large', 'small'])
    expect(small.scheduledUs).toBeGreaterThanOrEqual(large.scheduledUs ?? Number.POSITIVE_INFINITY)
  })

  test('out of memory: the last running one is preempted, waits at the head, and computes again from what is cached', () => {
    const model = createReplicaModel(engine({ kvTokens: 640, modelTokensMax: 640 }))
    const first = model.submit(request('first', 300, 200), 0)
    const second = model.submit(request('second', 250, 200), 1)
    const early: StepReport[] = []
    while (model.stats.preemptions === 0) early.push(model.step())
    expect(model.stats).toMatchObject({ running: 1, waiting: 1 })
    const third = model.submit(request('third', 16, 2), early.at(-1)?.atUs ?? 0)
    const reports = [...early, ...run(model)]
    expect([first.preemptions, second.preemptions]).toEqual([0, 1])
    // There is room for the third, but the preempted one stands before it and needs the first to end.
    expect(third.scheduledUs).toBeGreaterThanOrEqual(first.lastTokenUs ?? Number.POSITIVE_INFINITY)
    const counts = { first: 200, second: 200, third: 2 }
    for (const [id, tokens] of Object.entries(counts))
      expect(tokensOf(reports, id).map(({ index }) => index)).toEqual(
        Array.from({ length: tokens }, (_, at) => at),
      )
    // A preempted request does not count itself as a hit.
    expect(model.stats.queriedTokens).toBe(566)
  })

  test('two of the same prompt in one step: the second finds what the first is about to compute', () => {
    const model = createReplicaModel(engine())
    model.submit(request('a', 1_000, 1), 0)
    const twin = model.submit(request('b', 1_000, 1, 'a'), 0)
    const reports = run(model)
    expect(twin.cachedTokens).toBe(992)
    expect(reports.at(-1)?.tokens).toBe(1_008)
  })
})

describe('abort', () => {
  test.each([
    ['in tokenisation', 0],
    ['while its prompt is computed', 1],
    ['while it answers', 5],
  ])('%s: blocks are free at once and no event comes any more', (_, steps) => {
    const model = createReplicaModel(engine({ frontUs: 100 }))
    const sequence = model.submit(request('a', 9_000, 50), 0)
    run(model, steps)
    expect(model.abort(sequence)).toBe(true)
    expect(model.stats).toMatchObject({ running: 0, waiting: 0, kvUsedRatio: 0 })
    expect(model.abort(sequence)).toBe(false)
    expect(sequence.finished).toBe('abort')
    expect(run(model).flatMap(({ events }) => events)).toEqual([])
  })

  test('in the queue: the one behind goes on', () => {
    const model = createReplicaModel(engine({ sequencesMax: 1 }))
    model.submit(request('a', 16, 3), 0)
    const waiting = model.submit(request('b', 16, 3), 0)
    model.submit(request('c', 16, 3), 0)
    run(model, 1)
    model.abort(waiting)
    expect(finishes(run(model))).toEqual(['a', 'c'])
  })
})

test('whatever comes and leaves, everyone who stays gets every token once and all memory comes back', () => {
  const job = fc.record({
    prompt: fc.integer({ min: 1, max: 400 }),
    output: fc.integer({ min: 1, max: 60 }),
    text: fc.constantFrom('x', 'y', 'z'),
    afterUs: fc.integer({ min: 0, max: 50_000 }),
    abortAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: null }),
  })
  fc.assert(
    fc.property(fc.array(job, { minLength: 1, maxLength: 15 }), (jobs) => {
      const model = createReplicaModel(
        engine({ kvTokens: 800, modelTokensMax: 800, batchTokensMax: 128, sequencesMax: 5 }),
      )
      let nowUs = 0
      const seen = new Map<string, number>()
      const take = ({ atUs, tokens, events }: StepReport) => {
        expect(tokens).toBeLessThanOrEqual(128)
        expect(atUs).toBeGreaterThanOrEqual(nowUs)
        nowUs = atUs
        for (const each of events)
          if (each.kind === 'token') {
            expect(each.index).toBe(seen.get(each.sequence.request.id) ?? 0)
            seen.set(each.sequence.request.id, each.index + 1)
          }
      }
      const leaving: { at: number; leave: () => void }[] = []
      let steps = 0
      const advance = () => {
        take(model.step())
        steps++
        for (const each of leaving.filter(({ at }) => at === steps)) each.leave()
      }
      const kept: { id: string; output: number }[] = []
      for (const [at, each] of jobs.entries()) {
        const arrivesUs = nowUs + each.afterUs
        while ((model.nextStepUs() ?? Number.POSITIVE_INFINITY) <= arrivesUs) advance()
        nowUs = Math.max(nowUs, arrivesUs)
        const sequence = model.submit(request(`${at}`, each.prompt, each.output, each.text), nowUs)
        if (each.abortAfter === null) kept.push({ id: `${at}`, output: each.output })
        else leaving.push({ at: steps + each.abortAfter + 1, leave: () => model.abort(sequence) })
      }
      while (model.nextStepUs() !== null) advance()
      for (const { id, output } of kept) expect(seen.get(id)).toBe(output)
      expect(model.stats).toMatchObject({ running: 0, waiting: 0, kvUsedRatio: 0 })
    }),
    { seed: 20_260_102, numRuns: 200 },
  )
})
