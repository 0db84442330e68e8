import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDecisions } from '../../../src-main/app/ingest/decisions'
import { createFolding } from '../../../src-main/app/ingest/folding'
import { createDraw } from '../../../src-main/base/draw'
import { emptySketch, quantile, record } from '../../../src-main/base/quantiles'
import { known } from '../../../src-main/domain/fleet/reading'
import type { DecisionBody, DecisionEnded, DecisionMade } from '../../../src-main/domain/journal/record'
import type { Percentiles, SecondBucket, SummaryView } from '../../../src-main/domain/journal/views'
import { classify, isFailure, outcomeClasses } from '../../../src-main/domain/routing/outcome'
import { aFleet } from '../../helpers/a-fleet'
import { aDecision, anEnd } from '../../helpers/a-row'
import { createManualClock } from '../../helpers/manual-clock'

const tailFigures: SummaryView['tail'] = {
  seenPerSecond: 0,
  shownPerSecond: 0,
  dropped: 0,
  rows: 0,
  oldestWallMs: null,
}

/** A folding that is fed as the process feeds it: records as they come, a tick four times a second. */
function aRun(replicas = ['r1', 'r2', 'r3']) {
  const clock = createManualClock(Date.UTC(2026, 0, 1))
  const fleet = aFleet(replicas)
  const records: DecisionBody[] = []
  const decisions = createDecisions({ clock, onEvent: (event) => folding.take(event), stored: () => null })
  const folding = createFolding({ clock, fleet: () => fleet, decisions: () => decisions })
  const seconds: SecondBucket[] = []
  clock.every(250, () => {
    folding.tick()
    seconds.push(...folding.seconds())
  })
  const take = (body: DecisionBody) => {
    records.push(body)
    if (body.kind === 'decided') decisions.made(body, 'router-1')
    else decisions.ended(body)
  }
  return { clock, folding, decisions, records, seconds, take, summary: () => folding.summary(tailFigures) }
}

const pick = fc.option(fc.constantFrom('r1', 'r2', 'r3'), { freq: 6 })
const ends = fc.constantFrom(
  {},
  {},
  {},
  {
    end: 'refused',
    status: 503,
    reason: 'no_replica',
    served: null,
    rank: null,
    ttftMs: null,
    promptTokens: null,
    cachedTokens: null,
    streamed: false,
  },
  { end: 'broke', reason: 'stream_truncated' },
  { end: 'client_left', reason: 'client_left' },
  { status: 500, reason: 'replica_error', streamed: false },
  { rank: 1 },
  { cachedTokens: null },
  { streamed: false, status: 504, reason: 'header_timeout', end: 'refused' },
) as fc.Arbitrary<Partial<DecisionEnded['outcome']>>
const request = fc.record({
  gapMs: fc.constantFrom(0, 3, 40, 400, 2_500, 9_000),
  takesMs: fc.constantFrom(1, 250, 1_900, 20_000),
  session: fc.option(
    fc.nat(5).map((n) => `s${n}`),
    { freq: 5 },
  ),
  pick,
  served: fc.option(fc.constantFrom('r1', 'r2', 'r3'), { freq: 4 }),
  outcome: ends,
  ttftMs: fc.integer({ min: 1, max: 4_000 }),
  gapsMs: fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 6 }),
  asked: fc.constantFrom('proxy', 'proxy', 'proxy', 'http'),
})

type Script = readonly (typeof request extends fc.Arbitrary<infer T> ? T : never)[]

/** Plays a script in time: decisions as they come, ends when they are due. */
function play(run: ReturnType<typeof aRun>, script: Script): void {
  for (const [at, each] of script.entries()) {
    run.clock.advance(each.gapMs)
    const monoMs = run.clock.monoMs()
    const id = `d${at}`
    run.take(
      aDecision({
        id,
        monoMs,
        wallMs: run.clock.wallMs(),
        session: each.session,
        pick: each.pick,
        asked: each.asked as DecisionMade['asked'],
      }),
    )
    if (each.asked === 'http') continue
    run.clock.after(each.takesMs, () => {
      const outcome = {
        served: each.served,
        ttftMs: each.ttftMs,
        ...each.outcome,
      }
      run.take({ ...anEnd(id, run.clock.monoMs(), outcome, each.gapsMs), wallMs: run.clock.wallMs() })
    })
  }
  run.clock.advance(1_300)
}

const naivePercentiles = (values: readonly number[]): Percentiles => {
  const sketch = emptySketch()
  for (const value of values) record(sketch, value)
  const rank = (q: number) => quantile(sketch, q)
  return {
    p50: rank(0.5),
    p95: rank(0.95),
    p99: rank(0.99),
    max: values.length === 0 ? null : Math.max(...values),
    n: values.length,
  }
}
const some = <T>(value: T | null): T[] => (value === null ? [] : [value])

/** The same figures, counted again from the raw records without any window, sketch merge or join. */
function recount(records: readonly DecisionBody[], now: number, script: Script) {
  const gapsOf = (id: string) => script[Number(id.slice(1))]?.gapsMs ?? [] // ids are d0, d1 … in the script's order
  const second = (monoMs: number) => Math.floor(monoMs / 1_000)
  const within = (body: DecisionBody, seconds: number) => second(body.monoMs) > second(now) - seconds
  const made = records.filter((body): body is DecisionMade => body.kind === 'decided')
  const ended = records.filter((body): body is DecisionEnded => body.kind === 'ended')
  const short = ended.filter((body) => within(body, 60))
  const long = ended.filter((body) => within(body, 300))
  const failed = (body: DecisionEnded) => isFailure(classify(body.outcome))
  /** Where the session was before this decision: the last served or picked replica of its turns so far. */
  const before = (id: string) => {
    const at = records.findIndex((body) => body.kind === 'decided' && body.id === id)
    const own = records[at] as DecisionMade
    let place: string | null = null
    let newest: string | null = null
    for (const body of records.slice(0, at)) {
      if (body.kind === 'decided' && body.session === own.session && own.session !== null) {
        place = body.pick ?? place
        newest = body.id
      } else if (body.kind === 'ended' && body.id === newest && body.outcome.served !== null)
        place = body.outcome.served
    }
    return place
  }
  const turned = long.filter(({ id, outcome }) => outcome.served !== null && before(id) !== null)
  const tokens = long.filter(({ outcome }) => outcome.promptTokens !== null && outcome.cachedTokens !== null)
  const sum = (list: readonly DecisionEnded[], read: (body: DecisionEnded) => number) =>
    list.reduce((all, body) => all + read(body), 0)
  const streams = long.filter(
    ({ outcome: { end, streamed } }) => end === 'broke' || (streamed && end !== 'refused'),
  )
  const reasons = [...new Set(short.filter(failed).map(({ outcome }) => outcome.reason))]
    .map((reason) => ({
      reason,
      count: short.filter((body) => failed(body) && body.outcome.reason === reason).length,
    }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
  return {
    errors: { part: short.filter(failed).length, whole: short.length },
    reasons,
    breaks: { part: long.filter(({ outcome }) => outcome.end === 'broke').length, whole: streams.length },
    ttftMs: naivePercentiles(short.flatMap(({ outcome }) => some(outcome.ttftMs))),
    itlMs: naivePercentiles(short.flatMap(({ id }) => gapsOf(id))),
    affinity: {
      part: turned.filter(({ id, outcome }) => outcome.served === before(id)).length,
      whole: turned.length,
    },
    keyless: {
      part: made.filter((body) => within(body, 300) && body.session === null).length,
      whole: made.filter((body) => within(body, 300)).length,
    },
    cachedTokens: {
      part: sum(tokens, ({ outcome }) => outcome.cachedTokens ?? 0),
      whole: sum(tokens, ({ outcome }) => outcome.promptTokens ?? 0),
    },
    replicas: ['r1', 'r2', 'r3'].map((replicaId) => {
      const own = short.filter(({ outcome }) => outcome.served === replicaId)
      const open = made.filter(
        ({ id, pick: picked, asked }) =>
          picked === replicaId && asked === 'proxy' && !ended.some((body) => body.id === id),
      )
      return {
        replicaId,
        picks: made.filter((body) => within(body, 60) && body.pick === replicaId).length,
        served: own.length,
        failed: own.filter(failed).length,
        inFlight: open.length,
        ttftMs: naivePercentiles(own.flatMap(({ outcome }) => some(outcome.ttftMs))),
      }
    }),
    decided: made.filter((body) => within(body, 60)).length,
    lastRequestWallMs: made.length === 0 ? null : Math.max(...made.map(({ wallMs }) => wallMs)),
  }
}

describe('the tiles', () => {
  test('equal a recount from the raw records, whatever happened', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), (script) => {
        const run = aRun()
        play(run, script)
        const { decided, ...figures } = recount(run.records, run.clock.monoMs(), script)
        const summary = run.summary()
        const { replicas, ...rest } = figures
        expect(summary).toMatchObject(rest)
        expect(summary.replicas.map(({ sessions: _, ...own }) => own)).toEqual(replicas)
        const covered = Math.min(60, Math.floor(run.clock.monoMs() / 1_000) + 1)
        expect(summary.requestsPerSecond).toBeCloseTo(decided / covered, 10)
      }),
      { seed: 2_026, numRuns: 150 },
    )
  }, 30_000)

  test('the seconds add up to everything that ended, without holes or doubles', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 40 }), (script) => {
        const run = aRun()
        play(run, script)
        run.clock.advance(30_000)
        const starts = run.seconds.map(({ wallMs }) => wallMs)
        expect(starts).toEqual(starts.map((_, at) => (starts[0] ?? 0) + at * 1_000))
        for (const each of outcomeClasses) {
          const counted = run.seconds.reduce((sum, { outcomes }) => sum + outcomes[each], 0)
          const ended = run.records.filter((body) => body.kind === 'ended' && classify(body.outcome) === each)
          expect(counted).toBe(ended.length)
        }
      }),
      { seed: 4, numRuns: 60 },
    )
  }, 30_000)

  test('nothing happened: no figure is made up', () => {
    const run = aRun()
    run.clock.advance(5_000)
    const none = { p50: null, p95: null, p99: null, max: null, n: 0 }
    expect(run.summary()).toMatchObject({
      requestsPerSecond: 0,
      errors: { part: 0, whole: 0 },
      ttftMs: none,
      itlMs: none,
      lastRequestWallMs: null,
      failingSinceWallMs: null,
      imbalance: { max: 0, mean: 0 },
    })
    expect(aRun([]).summary()).toMatchObject({ imbalance: null, replicas: [] })
  })
})

describe('seconds', () => {
  test('begin on whole seconds of the wall clock, and tell what was under way at their end', () => {
    const run = aRun()
    run.clock.advance(2_400)
    run.take(aDecision({ id: 'a', pick: 'r1', monoMs: run.clock.monoMs() }))
    run.take(aDecision({ id: 'b', pick: 'r1', monoMs: run.clock.monoMs() }))
    run.clock.advance(3_000)
    const start = Date.UTC(2026, 0, 1)
    const second = run.seconds.find(({ wallMs }) => wallMs === start + 2_000)
    expect(second?.inFlight).toEqual({ min: 0, mean: 2 / 3, max: 2 })
    expect(run.seconds.every(({ wallMs }) => wallMs % 1_000 === 0)).toBe(true)
  })

  test('a record that comes after its second was told counts in the next one, so that nothing is lost', () => {
    const run = aRun()
    run.clock.advance(4_000)
    run.take(anEnd('late', 500))
    run.clock.advance(3_000)
    expect(run.seconds.reduce((sum, { outcomes }) => sum + outcomes.ok, 0)).toBe(1)
  })

  test('[F75] what a router kept while ingest was away is told in the seconds in which it happened', () => {
    const clock = createManualClock()
    clock.advance(100_000)
    const decisions = createDecisions({ clock, onEvent: (event) => folding.take(event), stored: () => null })
    const folding = createFolding({ clock, fleet: () => null, decisions: () => decisions })
    for (let at = 0; at < 20; at++) decisions.ended(anEnd(`d${at}`, 80_000 + at * 1_000))
    clock.advance(1_600)
    folding.tick()
    const told = folding.seconds()
    expect(told).toHaveLength(21)
    expect(told.map(({ outcomes }) => outcomes.ok)).toEqual([...new Array(20).fill(1), 0])
    expect(told[0]?.wallMs).toBe(Date.UTC(2026, 0, 1) + 80_000)
  })

  test('[F81] a jump of the wall clock makes no second longer and loses none', () => {
    const run = aRun()
    run.clock.advance(5_000)
    run.clock.jump(3_600_000)
    run.folding.clockJumped(3_600_000)
    run.take(anEnd('a', run.clock.monoMs()))
    run.clock.advance(5_000)
    const steps = run.seconds.slice(1).map(({ wallMs }, at) => wallMs - (run.seconds[at]?.wallMs ?? 0))
    expect(steps.filter((step) => step !== 1_000)).toEqual([3_601_000])
    expect(run.summary().errors.whole).toBe(1)
  })
})

describe('errors', () => {
  const failing = { end: 'refused', status: 503, reason: 'router_unreachable', served: null } as const
  /** One request every 100 ms for a while. */
  const traffic = (run: ReturnType<typeof aRun>, ms: number, outcome: Partial<DecisionEnded['outcome']>) => {
    for (let at = 0; at < ms; at += 100) {
      run.clock.advance(100)
      run.take({
        ...anEnd(`e${run.records.length}`, run.clock.monoMs(), outcome),
        wallMs: run.clock.wallMs(),
      })
    }
  }

  test('a run of failures is told with the time of its first failure, within ten seconds, until it is over', () => {
    const run = aRun()
    traffic(run, 20_000, {})
    expect(run.summary().failingSinceWallMs).toBeNull()
    const since = run.clock.wallMs() + 100
    traffic(run, 9_900, failing)
    expect(run.summary().failingSinceWallMs).toBe(since)
    traffic(run, 400_000, failing)
    expect(run.summary().failingSinceWallMs).toBe(since)
    expect(run.summary().failed).toBeNull()
    const last = run.clock.wallMs()
    traffic(run, 14_000, {})
    expect(run.summary().failingSinceWallMs, 'three whole windows must be good').toBe(since)
    traffic(run, 6_000, {})
    expect(run.summary().failingSinceWallMs).toBeNull()
    const { failed } = run.summary()
    expect(failed?.fromWallMs).toBe(since)
    expect(last - (failed?.toWallMs ?? 0)).toBeLessThan(1_000)
  })

  test.each([
    ['no readable JSON', { end: 'refused', status: 400, reason: 'bad_body' }],
    ['a model that is not there', { end: 'refused', status: 404, reason: 'model_not_found' }],
    ['what the replica finds wrong', { end: 'done', status: 422, reason: 'replica_error', served: 'r1' }],
  ] as const)(
    'a request that is wrong in itself (%s) is no failure, however many there are',
    (_, outcome) => {
      const run = aRun()
      traffic(run, 20_000, outcome)
      expect(run.summary()).toMatchObject({
        failingSinceWallMs: null,
        errors: { part: 0, whole: 200 },
        clientErrors: { part: 200, whole: 200 },
        reasons: [],
      })
    },
  )

  test.each([429, 408])('status %i is none of the client’s making', (status) => {
    const run = aRun()
    traffic(run, 20_000, { end: 'done', status, reason: 'replica_error', served: 'r1' })
    expect(run.summary()).toMatchObject({ errors: { part: 200 }, clientErrors: { part: 0 } })
  })

  test('a good window or two within a run do not end it: of few requests all may go well by chance', () => {
    const run = aRun()
    traffic(run, 20_000, {})
    const since = run.clock.wallMs() + 100
    traffic(run, 10_000, failing)
    for (const goodMs of [5_000, 10_000, 5_000]) {
      traffic(run, goodMs, {})
      expect([goodMs, run.summary()]).toMatchObject([goodMs, { failingSinceWallMs: since, failed: null }])
      traffic(run, 5_000, failing)
      expect([goodMs, run.summary()]).toMatchObject([goodMs, { failingSinceWallMs: since, failed: null }])
    }
    traffic(run, 20_000, {})
    expect(run.summary()).toMatchObject({ failingSinceWallMs: null, failed: { fromWallMs: since } })
    const again = run.clock.wallMs() + 100
    traffic(run, 10_000, failing)
    expect(run.summary()).toMatchObject({ failingSinceWallMs: again, failed: { fromWallMs: since } })
  })

  test('one bad window alone is no run', () => {
    const run = aRun()
    traffic(run, 20_000, {})
    traffic(run, 1_000, failing)
    traffic(run, 9_000, {})
    expect(run.summary().failingSinceWallMs).toBeNull()
  })

  test('where little is asked, and a third of it fails, a run goes on from its first failure', () => {
    const run = aRun()
    const draw = createDraw('thin')
    const since = run.clock.wallMs() + 1_000
    for (let at = 0; at < 600; at++) {
      run.clock.advance(1_000)
      const outcome = at % 3 === 0 ? failing : {}
      const end = anEnd(`e${at}`, run.clock.monoMs() - draw.below(100), outcome)
      run.take({ ...end, wallMs: run.clock.wallMs() })
      if (at > 12) expect(run.summary()).toMatchObject({ failingSinceWallMs: since, failed: null })
    }
  })

  test('a run of which nothing more is heard is not said to be over', () => {
    const run = aRun()
    traffic(run, 12_000, failing)
    expect(run.summary().failingSinceWallMs).not.toBeNull()
    run.clock.advance(90_000)
    expect(run.summary()).toMatchObject({ failingSinceWallMs: null, failed: null })
  })

  test('a run ends when nothing is heard of for a minute', () => {
    const run = aRun()
    traffic(run, 12_000, failing)
    expect(run.summary().failingSinceWallMs).not.toBeNull()
    run.clock.advance(59_000)
    expect(run.summary().failingSinceWallMs).not.toBeNull()
    run.clock.advance(10_000)
    expect(run.summary().failingSinceWallMs).toBeNull()
  })

  test('errors of a replica are unknown until a router has told something, then counted, from our own decisions', () => {
    const run = aRun()
    expect(run.folding.errorsPerMinute('r1')).toEqual({ absent: 'never-received', source: 'router' })
    traffic(run, 500, { status: 500, reason: 'replica_error', served: 'r1' })
    expect(run.folding.errorsPerMinute('r1')).toMatchObject({
      value: 5,
      origin: 'recomputed',
      source: 'router',
    })
    expect(known(run.folding.errorsPerMinute('r2'))).toBe(0)
  })

  test('a client that left is no error, and a lost router is charged to no replica', () => {
    const run = aRun()
    traffic(run, 500, { end: 'client_left', reason: 'client_left', status: 0, served: 'r1' })
    run.take(aDecision({ id: 'x', pick: 'r1', monoMs: run.clock.monoMs() }))
    run.decisions.lose(new Set(['router-1']))
    expect(known(run.folding.errorsPerMinute('r1'))).toBe(0)
    expect(run.summary()).toMatchObject({
      errors: { part: 1, whole: 6 },
      reasons: [{ reason: 'router_lost', count: 1 }],
    })
  })

  test('slow is what lies above the p99, once a hundred requests are behind it', () => {
    const run = aRun()
    traffic(run, 5_000, { ttftMs: 100 })
    run.summary()
    expect(run.folding.slowMs()).toBeNull()
    traffic(run, 6_000, { ttftMs: 100 })
    run.summary()
    expect(run.folding.slowMs()).toBeCloseTo(100, 0)
  })
})
