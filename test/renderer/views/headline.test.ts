import { describe, expect, test } from 'vitest'
import { parseFilter } from '../../../src-main/domain/journal/filter'
import { eventOf } from '../../../src-renderer/field/events'
import { type HeadlineFacts, headlineOf } from '../../../src-renderer/views/overview/headline'
import { tilesOf } from '../../../src-renderer/views/overview/tiles'
import {
  aFleet,
  aHealth,
  aRecord,
  aReplica,
  aSecond,
  aSummary,
  noPercentiles,
  startWallMs,
} from '../builders'

const facts = (over: Partial<HeadlineFacts> = {}): HeadlineFacts => ({
  summary: aSummary(),
  health: aHealth(),
  fleet: aFleet([aReplica('r1'), aReplica('r2')]),
  events: [],
  link: { phase: 'open' },
  nowWallMs: startWallMs + 1_000,
  zone: 'utc',
  ...over,
})
const failing = aSummary({
  errors: { part: 30, whole: 720 },
  reasons: [
    { reason: 'policy_failed', count: 29 },
    { reason: 'at_capacity', count: 1 },
  ],
  failingSinceWallMs: startWallMs - 60_000,
})

describe('the headline', () => {
  test.each([
    [
      'all is well',
      {},
      'OK',
      'Healthy: 12.0 req/s, 0 % errors in the last minute · TTFT p99 840 ms (n 720) · affinity 95 %',
    ],
    [
      'requests fail',
      { summary: failing },
      'CRITICAL',
      'Requests fail since 02:59:00 UTC: 4.2 % in the last minute — 96.7 % router_unreachable (policy_failed)',
    ],
    [
      'a few failed',
      { summary: aSummary({ errors: { part: 6, whole: 720 } }) },
      'WARNING',
      '0.83 % of requests failed in the last minute (6)',
    ],
    [
      'streams break',
      { summary: aSummary({ breaks: { part: 9, whole: 3_000 } }) },
      'WARNING',
      '0.30 % of streams broke in the last five minutes (9)',
    ],
    [
      'one stream broke: no alarm',
      { summary: aSummary({ breaks: { part: 1, whole: 300 } }) },
      'OK',
      'Healthy: 12.0 req/s, 0 % errors in the last minute · TTFT p99 840 ms (n 720) · affinity 95 %',
    ],
    [
      'a replica is down, and nobody feels it',
      { fleet: aFleet([aReplica('r1', {}, 'down'), aReplica('r2')]) },
      'WARNING',
      '1 of 2 replicas is down · 12.0 req/s, 0 % errors in the last minute · TTFT p99 840 ms (n 720) · affinity 95 %',
    ],
    [
      'a replica is down, and nobody asks',
      { nowWallMs: startWallMs + 90_000, fleet: aFleet([aReplica('r1', {}, 'down'), aReplica('r2')]) },
      'WARNING',
      '1 of 2 replicas is down · No requests in the last 60 s. Last seen 03:00:00.',
    ],
    [
      'failures were over just now',
      {
        summary: aSummary({
          errors: { part: 300, whole: 720 },
          failed: { fromWallMs: startWallMs - 90_000, toWallMs: startWallMs - 30_000 },
        }),
      },
      'WARNING',
      'No failures since 02:59:30 UTC; 41.7 % of requests failed in the last minute',
    ],
    [
      'the only replica is down before the first request',
      { summary: aSummary({ lastRequestWallMs: null }), fleet: aFleet([aReplica('r1', {}, 'down')]) },
      'CRITICAL',
      'The only replica is down · No requests yet. The console shows the first one within half a second.',
    ],
    [
      'clients send what is wrong',
      { summary: aSummary({ clientErrors: { part: 360, whole: 720 } }) },
      'OK',
      'Healthy: 12.0 req/s, 0 % errors in the last minute · 50 % client errors (4xx) · TTFT p99 840 ms (n 720) · affinity 95 %',
    ],
    [
      'nobody asks',
      { nowWallMs: startWallMs + 90_000 },
      'UNKNOWN',
      'No requests in the last 60 s. Last seen 03:00:00.',
    ],
    [
      'nobody ever asked',
      { summary: aSummary({ lastRequestWallMs: null, ttftMs: noPercentiles }) },
      'UNKNOWN',
      'No requests yet. The console shows the first one within half a second.',
    ],
    [
      'the line is gone',
      {
        link: { phase: 'waiting', why: 'x', sinceWallMs: startWallMs, retryMonoMs: 0 },
        nowWallMs: startWallMs + 48_000,
        summary: failing,
      },
      'UNKNOWN',
      'Data is 48 s old: figures below describe 03:00:00',
    ],
    [
      'the line is silent',
      { link: { phase: 'silent', sinceWallMs: startWallMs }, nowWallMs: startWallMs + 7_000 },
      'UNKNOWN',
      'Data is 7 s old: figures below describe 03:00:00',
    ],
  ] as const)('%s', (_, over, severity, sentence) => {
    const headline = headlineOf(facts(over))
    expect([headline.severity, headline.sentence]).toEqual([severity, sentence])
  })

  test.each([
    [300_000, 'Requests failed from 02:50:00 to 02:55:00 UTC; over since.'],
    [700_000, ''],
  ])('failures that ended %i ms ago: %j', (agoMs, before) => {
    const toWallMs = startWallMs - 300_000
    const summary = aSummary({
      failed: { fromWallMs: toWallMs - 300_000, toWallMs },
      lastRequestWallMs: toWallMs + agoMs,
    })
    expect(headlineOf(facts({ summary, nowWallMs: toWallMs + agoMs }))).toMatchObject({
      severity: 'OK',
      before,
    })
  })

  const failures = 'outcome:replica-error,timeout,broken,refused'
  const run = { fromWallMs: startWallMs - 600_000, toWallMs: startWallMs - 299_500 }
  test.each([
    ['of the run of failures', { summary: failing }, `${failures} ended>=2026-01-01T02:59:00Z`],
    [
      'of the minute that the share is of',
      { summary: aSummary({ errors: { part: 8, whole: 720 } }) },
      `${failures} ended>=2026-01-01T02:59:00Z`,
    ],
    [
      'of broken streams in five minutes',
      { summary: aSummary({ breaks: { part: 4, whole: 1_500 } }) },
      'outcome:broken,timeout ended>=2026-01-01T02:55:00Z',
    ],
    [
      'of a run that is over',
      { summary: aSummary({ failed: run }) },
      `${failures} ended>=2026-01-01T02:50:00Z ended<=2026-01-01T02:55:01Z`,
    ],
  ] as const)('evidence %s is of that time and outcome alone, whatever the range was', (_, over, q) => {
    expect(parseFilter(q).ok).toBe(true)
    expect(headlineOf(facts(over)).evidence).toEqual({
      view: 'decisions',
      params: { by: 'reason', q, from: null, to: null },
    })
  })
  test.each([
    ['all is well', {}, null],
    ['nothing is known any more', { link: { phase: 'waiting' } as never }, null],
    [
      'a replica is down',
      { fleet: aFleet([aReplica('r1', {}, 'down'), aReplica('r2')]) },
      { view: 'replicas' },
    ],
  ] as const)('evidence when %s', (_, over, evidence) =>
    expect(headlineOf(facts(over)).evidence).toEqual(evidence),
  )

  test('names what came before, the nearest first, and nothing older than ten minutes', () => {
    const scaled = (offset: number, to: number) =>
      eventOf(
        aRecord(offset, {
          kind: 'fleet.scaled',
          from: 8,
          to,
          added: [],
          removed: [],
          cause: 'operator',
          epoch: 1,
        }),
      )
    const headline = headlineOf(
      facts({
        summary: failing,
        events: [scaled(-900, 5), scaled(-200, 9), scaled(-62, 10), scaled(30, 11)],
      }),
    )
    expect(headline.before).toBe(
      'Preceded by: 02:58:58 scale 8→10 · operator; 02:56:40 scale 8→9 · operator.',
    )
    expect(headline.onsetWallMs).toBe(startWallMs - 60_000)
    expect(headlineOf(facts({ summary: failing })).before).toBe('Nothing changed in the ten minutes before.')
  })

  test.each([
    [
      'a fault that is on',
      {
        health: aHealth({
          faults: [
            { name: 'router-down', replicaId: null, sinceWallMs: startWallMs - 61_000, untilWallMs: null },
          ],
        }),
      },
      'Likely: the fault router-down is on since 02:58:59 (demo control).',
    ],
    [
      'the router process',
      {
        health: aHealth({
          processes: [
            { role: 'router', pid: null, state: 'restarting', restarts: 1, sinceWallMs: 0, lastExit: null },
          ],
        }),
      },
      'Likely: the router process is not up.',
    ],
    [
      'replicas that are down',
      { fleet: aFleet([aReplica('r1', {}, 'down'), aReplica('r2')]) },
      'Likely: 1 of 2 replicas down (r1).',
    ],
    [
      'a fault that is on, and replicas that are down besides',
      {
        fleet: aFleet(['r1', 'r2', 'r3', 'r4', 'r5', 'r6'].map((id) => aReplica(id, {}, 'down'))),
        health: aHealth({
          faults: [
            { name: 'router-down', replicaId: null, sinceWallMs: startWallMs - 61_000, untilWallMs: null },
          ],
        }),
      },
      'Likely: the fault router-down is on since 02:58:59 (demo control). Possible: 6 of 6 replicas down (r1, r2, r3, r4, …).',
    ],
    ['nothing known', {}, ''],
  ] as const)('says what is likely: %s', (_, over, likely) => {
    expect(headlineOf(facts({ summary: failing, ...over })).likely).toBe(likely)
  })
})

test('while nothing fails, what is not well is called the cause of nothing', () => {
  const faults = [
    { name: 'replica-kill', replicaId: 'r1', sinceWallMs: startWallMs, untilWallMs: null },
  ] as const
  const dying = { health: aHealth({ faults }), fleet: aFleet([aReplica('r1', {}, 'down'), aReplica('r2')]) }
  const failed = { fromWallMs: startWallMs - 90_000, toWallMs: startWallMs - 30_000 }
  const likely = 'Now: the fault replica-kill is on since 03:00:00 (demo control); down: r1.'
  expect(headlineOf(facts(dying)).likely).toBe(likely)
  expect(
    headlineOf(facts({ ...dying, summary: aSummary({ failed, errors: { part: 300, whole: 720 } }) })),
  ).toMatchObject({
    sentence:
      '1 of 2 replicas is down · No failures since 02:59:30 UTC; 41.7 % of requests failed in the last minute',
    likely,
  })
  expect(headlineOf(facts()).likely).toBe('')
})

test.each([
  ['router-down', 'policy_failed', true],
  ['router-down', 'unknown_replica', false],
  ['router-500', 'policy_refused', true],
  ['router-junk', 'policy_bad_answer', true],
  ['router-unknown-replica', 'unknown_replica', true],
  ['replica-kill', 'connect_failed', true],
  ['replica-kill', 'unknown_replica', false],
] as const)('the fault %s is named as the cause of %s: %s', (name, reason, named) => {
  const health = aHealth({ faults: [{ name, replicaId: null, sinceWallMs: startWallMs, untilWallMs: null }] })
  const summary = aSummary({
    errors: { part: 30, whole: 720 },
    reasons: [
      { reason, count: 29 },
      { reason: 'at_capacity', count: 1 },
    ],
  })
  expect(headlineOf(facts({ summary, health })).likely.includes(name)).toBe(named)
})

describe('the tiles', () => {
  const byId = (summary = aSummary(), seconds = [aSecond(0), aSecond(1)]) =>
    Object.fromEntries(tilesOf(summary, seconds).map((tile) => [tile.id, tile]))

  test('carry value, samples and window', () => {
    expect(Object.values(byId()).map(({ id, value, under }) => [id, value, under])).toEqual([
      ['errors', '0 %', 'n 720 · 1 m'],
      ['breaks', '0 %', 'n 3,000 · 5 m'],
      ['ttft', '840 ms', 'n 720 · 1 m · @proxy'],
      ['itl', '31.0 ms', 'n 20,000 · 1 m · @proxy'],
      ['affinity', '95 %', 'n 1,000 · 5 m'],
      ['cache', '71 %', 'n 100 k · 5 m'],
      ['imbalance', '1.33×', 'n 8 · now'],
    ])
  })
  test('unknown is not zero', () => {
    const tiles = byId(aSummary({ errors: { part: 0, whole: 0 }, ttftMs: noPercentiles, imbalance: null }))
    expect([tiles.errors?.value, tiles.ttft?.value, tiles.imbalance?.value]).toEqual(['—', '—', '—'])
  })
  test('bad is bad, and few is said', () => {
    const tiles = byId(
      aSummary({ errors: { part: 10, whole: 720 }, ttftMs: { p50: 1, p95: 2, p99: 3, max: 3, n: 50 } }),
    )
    expect([tiles.errors?.bad, tiles.ttft?.few]).toEqual([true, 'p99 of only 50 samples (needs 200)'])
  })
  test.each([
    [{ part: 2, whole: 30 }, false],
    [{ part: 3, whole: 30 }, true],
    [{ part: 3, whole: 3_000 }, false],
  ])('broken streams %j: bad is %s, as the headline has it', (breaks, bad) => {
    expect(byId(aSummary({ breaks })).breaks?.bad).toBe(bad)
  })
  test('uneven for five seconds is bad, for one it is chance', () => {
    const uneven = (at: number) => aSecond(at, { inFlight: { min: 0, mean: 2, max: 9 } })
    const seconds = [0, 1, 2, 3, 4]
    expect(byId(aSummary(), seconds.map(uneven)).imbalance?.bad).toBe(true)
    expect(byId(aSummary(), [...seconds.map((at) => aSecond(at)), uneven(5)]).imbalance?.bad).toBe(false)
  })
  test('a missing second leaves a hole in the course', () => {
    const { spark } = byId(aSummary(), [aSecond(0), aSecond(3)]).ttft ?? { spark: [] }
    expect(spark.slice(-4)).toEqual([400, null, null, 400])
    expect(spark).toHaveLength(60)
  })
  test('each opens the view that explains it', () => {
    expect(byId().errors?.explain).toEqual({ view: 'decisions', params: { by: 'reason', q: null } })
    expect(byId().affinity?.explain).toEqual({ view: 'decisions', params: { q: 'moved:*', by: null } })
  })
})
