import { describe, expect, test } from 'vitest'
import { absent, observed } from '../../../src-main/domain/fleet/reading'
import { parseFilter } from '../../../src-main/domain/journal/filter'
import type { ClusterBody } from '../../../src-main/domain/journal/record'
import { factsOf, standingOf } from '../../../src-main/domain/journal/row-facts'
import { clauseOf, outcomeClause, withClause } from '../../../src-renderer/field/clause'
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
    ['it is hot', {}, { inFlight: 9 }, ['in flight 3.00× the mean']],
    ['one of three in flight is not hot', {}, { inFlight: 3 }, []],
    ['it is slow', { ttftMsP99: observed(1_600, engine, 0) }, {}, ['TTFT p99 4.00× its peers']],
    ['it is slow, but on few samples', { ttftMsP99: observed(1_600, engine, 0), latencySamples: 5 }, {}, []],
    ['its requests fail', {}, { failed: 10, served: 50 }, ['16.7 % of its requests fail']],
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
    const summary = aSummary({ replicas: [{ ...traffic, ...own }], imbalance: { max: 9, mean: 3 } })
    const found = suspects(fleet, summary, 0).find(({ replica: each }) => each.replica.id === 'r1')
    expect(found?.suspicions.map(({ text }) => text)).toEqual(expected)
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
