import { describe, expect, test } from 'vitest'
import { createDraw } from '../../../src-main/base/draw'
import { absent, observed } from '../../../src-main/domain/fleet/reading'
import { parseFilter } from '../../../src-main/domain/journal/filter'
import type { ClusterBody } from '../../../src-main/domain/journal/record'
import { factsOf, standingOf } from '../../../src-main/domain/journal/row-facts'
import {
  clauseOf,
  endedClause,
  failuresFilter,
  outcomeClause,
  withClause,
} from '../../../src-renderer/field/clause'
import { curlOf } from '../../../src-renderer/field/curl'
import { eventOf, inOneLine } from '../../../src-renderer/field/events'
import { fewSamples } from '../../../src-renderer/field/reading-cell'
import { reasonText } from '../../../src-renderer/field/reasons'
import { replicaStanding } from '../../../src-renderer/field/replica-state'
import {
  bucketed,
  inFlightFigures,
  outcomeFigures,
  pointsOf,
  share,
  worst,
} from '../../../src-renderer/field/series'
import { suspects } from '../../../src-renderer/field/suspicion'
import {
  aFleet,
  anOutcome,
  aRecord,
  aReplica,
  aRow,
  aSecond,
  aSummary,
  noPercentiles,
  startWallMs,
} from '../builders'

describe('what speaks against a replica', () => {
  const traffic = {
    replicaId: 'r1',
    picks: 60,
    served: 60,
    failed: 0,
    inFlight: 3,
    ttftMs: noPercentiles,
    sessions: 20,
  }
  const engine = 'engine:r1'
  const rows = [
    ['nothing', {}, {}, []],
    [
      'it is down',
      { state: observed('down', engine, 0), lastError: 'ECONNREFUSED' },
      {},
      ['down: ECONNREFUSED'],
    ],
    ['it is excluded', { excluded: true }, {}, ['excluded in the router']],
    ['it was not heard of', { state: observed('ready', engine, -20_000) }, {}, ['not heard of for 20 s']],
    ['its cache is nearly full', { kvUsedRatio: observed(0.9, engine, 0) }, {}, ['KV 90 % full']],
    ['requests wait', { waiting: observed(2, engine, 0) }, {}, ['2 requests wait']],
    ['it is hot', {}, { inFlight: 12 }, ['in flight 4.00× the mean']],
    ['it is slow', { ttftMsP99: observed(1_600, engine, 0) }, {}, ['TTFT p99 4.00× its peers']],
    [
      'it is slow, on just enough samples',
      { ttftMsP99: observed(800, engine, 0), latencySamples: 200 },
      {},
      ['TTFT p99 2.00× its peers'],
    ],
    ['it is slow, on too few', { ttftMsP99: observed(1_600, engine, 0), latencySamples: 199 }, {}, []],
    ['its requests fail', {}, { failed: 10, served: 50 }, ['20 % of its requests fail']],
    [
      'the worst comes first',
      { kvUsedRatio: observed(0.99, engine, 0), waiting: observed(1, engine, 0) },
      {},
      ['KV 99 % full', '1 request waits'],
    ],
    [
      'nothing is known of it',
      { kvUsedRatio: absent('never-received', null), waiting: absent('not-exported', null) },
      {},
      [],
    ],
  ] as const
  test.each(rows)('%s', (_, replica, own, expected) => {
    const fleet = aFleet([aReplica('r1', replica as never), aReplica('r2'), aReplica('r3')])
    const summary = aSummary({
      replicas: [{ ...traffic, ...own }],
      imbalance: { max: 9, mean: 3, replicas: 8 },
    })
    const found = suspects(fleet, summary, 0).find(({ replica: each }) => each.replica.id === 'r1')
    expect(found?.suspicions.map(({ text }) => text)).toEqual(expected)
  })
  test.each([
    // in flight, mean of all, hot; below is what chance brings
    [3, 1, false],
    [5, 1, false],
    [6, 1, true],
    [8, 3, false],
    [9, 3, false],
    [10, 3, true],
    [31, 16, false],
    [32, 16, true],
    [199, 100, false],
    [200, 100, true],
    [6, 0, false],
  ])('%i in flight at a mean of %i: hot is %s', (inFlight, mean, hot) => {
    const summary = aSummary({
      replicas: [{ ...traffic, inFlight }],
      imbalance: { max: inFlight, mean, replicas: 8 },
    })
    const [found] = suspects(aFleet([aReplica('r1')]), summary, 0)
    expect(found?.suspicions.map(({ rule }) => rule)).toEqual(hot ? ['hot'] : [])
  })

  const ids = Array.from({ length: 8 }, (_, at) => `r${at + 1}`)
  const shareSuspected = (times: number, look: () => ReturnType<typeof suspects>) => {
    let found = 0
    for (let at = 0; at < times; at++) if (look().some(({ suspicions }) => suspicions.length > 0)) found++
    return found / times
  }
  test.each([0.5, 2, 5, 30])('eight even replicas at a mean of %d in flight: chance is not hot', (mean) => {
    const draw = createDraw(`hot ${mean}`)
    const fleet = aFleet(ids.map((id) => aReplica(id)))
    const poisson = () => {
      let count = -1
      for (let at = 0; at < mean; at += draw.exponential(1)) count++
      return count
    }
    const share = shareSuspected(600, () => {
      const replicas = ids.map((replicaId) => ({ ...traffic, replicaId, inFlight: poisson() }))
      const counts = replicas.map(({ inFlight }) => inFlight)
      const sum = counts.reduce((all, each) => all + each, 0)
      return suspects(
        fleet,
        aSummary({ replicas, imbalance: { max: Math.max(...counts), mean: sum / 8, replicas: 8 } }),
        0,
      )
    })
    expect(share).toBeLessThan(0.01)
  })
  test('eight even replicas of which each has 200 samples: chance is not slow', () => {
    const draw = createDraw('slow')
    // Nine in ten within a factor of ten: a deviation of 0.7 in the logarithm.
    const latencyMs = () =>
      100 * Math.exp(0.7 * Math.sqrt(2 * draw.exponential(1)) * Math.cos(2 * Math.PI * draw.unit()))
    const p99 = () => {
      const samples = Array.from({ length: 200 }, latencyMs).sort((a, b) => a - b)
      return samples[197] as number
    }
    const share = shareSuspected(200, () =>
      suspects(
        aFleet(ids.map((id) => aReplica(id, { ttftMsP99: observed(p99(), engine, 0), latencySamples: 200 }))),
        aSummary(),
        0,
      ),
    )
    expect(share).toBeLessThan(0.01)
  })

  test.each([
    ['it fails', {}, { failed: 10, served: 50 }, `served:r1 ${failuresFilter} ended>=2026-01-01T02:59:00Z`],
    [
      'it is slow',
      { ttftMsP99: observed(1_600, engine, 0) },
      {},
      'served:r1 ttft>400ms ended>=2026-01-01T02:59:00Z',
    ],
    ['it is hot', {}, { inFlight: 12 }, 'pick:r1 outcome:open'],
    ['it is down: the replica tells', { state: observed('down', engine, 0) }, {}, null],
  ] as const)('evidence when %s is of that replica, time and outcome alone', (_, replica, own, evidence) => {
    const fleet = aFleet([aReplica('r1', replica as never), aReplica('r2'), aReplica('r3')])
    const summary = aSummary({
      replicas: [{ ...traffic, ...own }],
      imbalance: { max: 9, mean: 3, replicas: 8 },
    })
    const [found] = suspects(fleet, summary, 0)
    expect(found?.suspicions.map((each) => each.evidence)).toEqual([evidence])
    expect(parseFilter(evidence ?? '').ok).toBe(true)
  })
  test('a replica of which every request fails is said to fail all of them', () => {
    const summary = aSummary({ replicas: [{ ...traffic, failed: 60, served: 60 }] })
    const [found] = suspects(aFleet([aReplica('r1')]), summary, 0)
    expect(found?.suspicions.map(({ text }) => text)).toEqual(['100 % of its requests fail'])
  })
  test('the suspicious stand first, the rest by their numbers', () => {
    const fleet = aFleet([aReplica('r10'), aReplica('r2'), aReplica('r3', {}, 'down')])
    expect(suspects(fleet, null, 0).map(({ replica }) => replica.replica.id)).toEqual(['r3', 'r2', 'r10'])
  })
})

describe('a replica’s state', () => {
  test.each([
    ['fresh', aReplica('r1'), 1_000, 'Serving'],
    ['excluded', aReplica('r1', { excluded: true }), 1_000, 'Excluded'],
    ['down', aReplica('r1', {}, 'down'), 1_000, 'Down'],
    ['too old to be believed', aReplica('r1'), 6_000, 'Unknown'],
    ['never read', aReplica('r1', { state: absent('never-received', null) }), 0, 'Unknown'],
  ] as const)('%s', (_, replica, monoMs, word) =>
    expect(replicaStanding(replica, monoMs, 1_000).word).toBe(word),
  )
})

describe('events say who did what to what', () => {
  const rows: readonly [ClusterBody, string, string][] = [
    [
      {
        kind: 'fleet.scaled',
        from: 8,
        to: 10,
        added: ['r9', 'r10'],
        removed: [],
        cause: 'operator',
        epoch: 5,
      },
      'scale',
      'scale 8→10 · added r9 r10 · operator',
    ],
    [
      { kind: 'replica.changed', replicaId: 'r3', from: 'ready', to: 'down', why: 'ECONNREFUSED' },
      'scale',
      'replica state · r3 · ready → down · ECONNREFUSED',
    ],
    [
      { kind: 'process.turned', role: 'router', to: 'down', pid: 7, lostStreams: 3, why: 'SIGKILL' },
      'processes',
      'router down · pid 7, 3 streams lost · SIGKILL',
    ],
    [
      { kind: 'fault.turned', fault: 'router-down', replicaId: null, to: 'on', forMs: 5_000, actor: 'cli' },
      'faults',
      'fault router-down on · for 5 s',
    ],
    [
      {
        kind: 'policy.changed',
        from: { id: 'round-robin', params: {} },
        to: { id: 'consistent-hash', params: { num_virtual_nodes: 100 } },
        actor: 'desktop',
      },
      'changes',
      'policy round-robin → consistent-hash · round-robin → consistent-hash, num_virtual_nodes 100',
    ],
    [
      { kind: 'traffic.changed', running: true, ratePerSecond: 12, actor: 'browser' },
      'changes',
      'demo traffic on, 12.0 req/s',
    ],
    [
      { kind: 'note.added', text: 'look\u202Ehere', atWallMs: 5, actor: 'browser' },
      'notes',
      'look\\u{202E}here',
    ],
    [
      { kind: 'feed.gap', fromWallMs: 1, toWallMs: 2, why: 'laptop asleep' },
      'gaps',
      'no data · laptop asleep',
    ],
  ]
  test.each(rows)('%o', (body, lane, line) => {
    const event = eventOf(aRecord(0, body))
    expect([event.lane, inOneLine(event)]).toEqual([lane, line])
  })
  test('a kind of a later version is named', () => {
    const event = eventOf(aRecord(0, { kind: 'constructor' } as never))
    expect([event.what, event.minor]).toEqual(['constructor', true])
  })
  test('a note stands where it was put, not when it was written', () => {
    expect(
      eventOf(aRecord(60, { kind: 'note.added', text: 'a', atWallMs: startWallMs, actor: 'cli' })).atWallMs,
    ).toBe(startWallMs)
  })
})

describe('standing of a row', () => {
  test.each([
    ['running', { outcome: null }, 'open'],
    ['asked over HTTP: nothing more is seen', { outcome: null, asked: 'http' }, 'routed-only'],
    ['ok', {}, 'ok'],
    ['fallback', { outcome: anOutcome({ rank: 1, served: 'r2' }) }, 'fallback'],
    ['client left', { outcome: anOutcome({ end: 'client_left', status: 0 }) }, 'client-left'],
    ['refused', { outcome: anOutcome({ end: 'refused', status: 503, reason: 'no_replica' }) }, 'refused'],
    ['broke', { outcome: anOutcome({ end: 'broke', reason: 'stream_truncated' }) }, 'broken'],
  ] as const)('%s', (_, over, standing) => expect(standingOf(aRow('a', over as never))).toBe(standing))

  test('reasons carry the word that clients see', () => {
    expect(reasonText('policy_failed')).toBe('router_unreachable (policy_failed)')
    expect(reasonText('at_capacity')).toBe('at_capacity')
    expect(reasonText('constructor')).toBe('constructor')
  })
})

describe('conditions of the filter', () => {
  const values = ['r1', 'a b', 'say "hi"', 'back\\slash', 'x)y', '-1', '*', '~z', 'ü']
  test.each(values)('a condition made from %j finds that very value', (value) => {
    const parsed = parseFilter(clauseOf('req', value))
    expect(parsed.ok && parsed.value.matches(factsOf(aRow('a', { requestId: value })))).toBe(true)
    expect(parsed.ok && parsed.value.matches(factsOf(aRow('a', { requestId: 'another' })))).toBe(false)
  })
  test.each([
    ['', 'outcome:ok', 'outcome:ok'],
    ['ttft>250ms', 'outcome:ok', 'ttft>250ms outcome:ok'],
    ['outcome:ok', 'outcome:ok', 'outcome:ok'],
    ['-outcome:ok "a b"', 'outcome:ok', '"a b" outcome:ok'],
  ])('%j with %j', (filter, clause, result) => expect(withClause(filter, clause)).toBe(result))
  test.each([
    [startWallMs, null, 'ended>=2026-01-01T03:00:00Z'],
    [null, startWallMs + 1_999, 'ended<=2026-01-01T03:00:01Z'],
    [startWallMs, 8.64e15, 'ended>=2026-01-01T03:00:00Z'],
    [1e308, Number.NaN, ''],
  ])('what ended from %j to %j', (from, to, clause) => {
    expect(endedClause(from, to)).toBe(clause)
    expect(parseFilter(clause).ok).toBe(true)
  })
  test('the outcome of a row', () => {
    expect(outcomeClause(aRow('a', { outcome: anOutcome({ rank: 1 }) }))).toBe('outcome:fallback')
  })
})

describe('a request as curl', () => {
  test('holds neither key, session nor body, and nothing that a shell would run', () => {
    const row = aRow('a', { path: "/v1/x';rm -rf /;'", requestId: 'id\n$(reboot)', model: "m'n" })
    const text = curlOf(row, 'http://127.0.0.1:8000')
    expect(text).toContain('$TOKEN')
    expect(text).toContain('$SESSION_ID')
    expect(text).not.toContain(row.session ?? 'none')
    expect(text).toContain("'http://127.0.0.1:8000/v1/x'\\'';rm -rf /;'\\'''")
    expect(text.split('\n')[0]).toBe('# id\\u{0A}$(reboot): the body is not kept; this one stands for it')
  })
})

describe('seconds as points', () => {
  const seconds = [...Array(10).keys()].map((at) => aSecond(at))
  const at = (s: number) => startWallMs + s * 1_000

  test('a missing second is a hole with its reason, and lines end there', () => {
    const holed = seconds.filter((_, index) => index < 3 || index > 6)
    const cut = bucketed(holed, at(0), at(10), [
      { fromWallMs: at(3), toWallMs: at(6), why: 'the source restarted' },
    ])
    expect(cut.holes).toEqual([{ fromMs: at(3), toMs: at(7), title: 'no data: the source restarted' }])
    const points = pointsOf(cut, (bucket) => ({ n: outcomeFigures(bucket).ok }))
    expect(points.map(({ values }) => values.n)).toEqual([10, 10, 10, null, 10, 10, 10, null])
  })
  test('the time after the last second is a hole once it is late', () => {
    expect(bucketed(seconds, at(0), at(13), []).holes).toEqual([])
    expect(bucketed(seconds, at(0), at(40), []).holes).toEqual([
      { fromMs: at(10), toMs: at(40), title: 'no data: nothing newer was received' },
    ])
  })
  test('a wider range lowers no peak (ux.md U4)', () => {
    const long = [...Array(900).keys()].map((s) =>
      aSecond(s, s === 501 ? { ttftMs: { p50: 100, p95: 4_000, p99: 5_000, max: 5_000, n: 9 } } : {}),
    )
    const cut = bucketed(long, at(0), at(900), [])
    expect(cut.bucketMs).toBe(2_000)
    expect(Math.max(...cut.buckets.map((bucket) => worst(bucket, ({ ttftMs }) => ttftMs, 'p99') ?? 0))).toBe(
      5_000,
    )
  })
  test('shares are added before they are divided, and nothing is not zero', () => {
    const bucket = {
      atMs: 0,
      seconds: [
        aSecond(0, { affinity: { part: 1, whole: 1 } }),
        aSecond(1, { affinity: { part: 0, whole: 9 } }),
      ],
    }
    expect(share(bucket, ({ affinity }) => affinity)).toBe(0.1)
    expect(
      share(
        { atMs: 0, seconds: [aSecond(0, { affinity: { part: 0, whole: 0 } })] },
        ({ affinity }) => affinity,
      ),
    ).toBeNull()
    expect(inFlightFigures({ atMs: 0, seconds: [aSecond(0, { inFlight: null })] })).toEqual({
      max: null,
      mean: null,
      min: null,
    })
  })
})

test.each([
  ['p50', 3, true],
  ['p99', 199, true],
  ['p99', 200, false],
  ['p95', 40, false],
] as const)('%s of %d samples is too few: %s', (q, n, few) => expect(fewSamples(q, n) !== null).toBe(few))
