import { describe, expect, test } from 'vitest'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { inputFacts, timingOf } from '../../../src-renderer/views/decisions/why/facts'
import { hopsOf } from '../../../src-renderer/views/decisions/why/hops'
import { explanationMarkdown } from '../../../src-renderer/views/decisions/why/markdown'
import { verdictOf } from '../../../src-renderer/views/decisions/why/verdict'
import { anOutcome, aRow } from '../builders'

const refusedByRouter = { pick: null, fallbacks: [], reasons: [], refusal: null }
const rows: readonly [string, Partial<DecisionRow>, string, string | null][] = [
  ['owner served', {}, 'r1 was picked: it owns the session’s place on the hash ring, and r1 answered.', null],
  [
    'no session id',
    { session: null, facts: { keyed: 0 } },
    'r1 was picked: with no session id, the request’s own id was hashed, and r1 answered.',
    null,
  ],
  [
    'fallback',
    { outcome: anOutcome({ served: 'r2', rank: 1, attempts: 2 }) },
    'r1 was picked: it owns the session’s place on the hash ring, but r1 could not be reached, so its fallback r2 (rank 1) answered.',
    null,
  ],
  [
    'the session moved',
    { movedFrom: 'r7' },
    'r1 was picked: it owns the session’s place on the hash ring, and r1 answered. The session’s turn before was on r7.',
    null,
  ],
  [
    'routing failed',
    {
      ...refusedByRouter,
      outcome: anOutcome({
        end: 'refused',
        status: 503,
        reason: 'policy_failed',
        serveReason: 'router_unreachable',
        served: null,
        rank: null,
      }),
    },
    'No replica was picked: the deciding step gave no answer that could be used, routing failed with router_unreachable, and the client got 503.',
    'router 84.0 µs',
  ],
  ...(
    [
      [0, null, null, 'the router closed the connection without an answer'],
      [500, null, 'Internal Server Error', 'the router answered 500 (Internal Server Error)'],
      [200, null, null, 'the router’s answer held no replica id that could be read'],
      [200, 'p#no-such', null, 'the router named p#no-such, which is no replica of this fleet'],
    ] as const
  ).map(([status, named, detail, said]): (typeof rows)[number] => [
    said,
    {
      ...refusedByRouter,
      answer: { status, named, detail },
      outcome: anOutcome({
        end: 'refused',
        status: 503,
        reason: 'x',
        serveReason: 'router_non_200',
        served: null,
      }),
    },
    `No replica was picked: ${said}, routing failed with router_non_200, and the client got 503.`,
    'router 84.0 µs',
  ]),
  [
    'no replica was ready',
    {
      ...refusedByRouter,
      refusal: 'no_replica',
      outcome: anOutcome({ end: 'refused', status: 503, reason: 'no_replica', served: null, rank: null }),
    },
    'No replica was picked: none was ready, the client got 503 (no_replica).',
    'nobody',
  ],
  [
    'all candidates refused the connection',
    {
      outcome: anOutcome({ end: 'refused', status: 503, reason: 'connect_failed', served: null, rank: null }),
    },
    'r1 was picked: it owns the session’s place on the hash ring, but no replica could be reached: the client got 503 (connect_failed).',
    'nobody',
  ],
  [
    'the stream broke',
    { outcome: anOutcome({ end: 'broke', reason: 'stream_truncated' }) },
    'r1 was picked: it owns the session’s place on the hash ring, r1 began to answer and broke off (stream_truncated).',
    'served r1',
  ],
  [
    'the client left',
    { outcome: anOutcome({ end: 'client_left', status: 0 }) },
    'r1 was picked: it owns the session’s place on the hash ring, the client left before the end.',
    'client',
  ],
  [
    'it runs',
    { outcome: null },
    'r1 was picked: it owns the session’s place on the hash ring, and the request runs.',
    null,
  ],
]

describe('why this replica', () => {
  test.each(rows)('in one sentence: %s', (_, over, sentence) =>
    expect(verdictOf(aRow('a', over))).toBe(sentence),
  )
  test.each(rows)('the broken hop: %s', (_name, over, _sentence, hop) => {
    expect(
      hopsOf(aRow('a', over))
        .filter(({ broken }) => broken)
        .map(({ title }) => title),
    ).toEqual(hop === null ? [] : [hop])
  })

  test('a request that nobody was picked for ends there', () => {
    const outcome = anOutcome({
      end: 'refused',
      status: 503,
      serveReason: 'router_non_200',
      served: null,
      rank: null,
    })
    const titles = hopsOf(aRow('a', { ...refusedByRouter, outcome })).map(({ title }) => title)
    expect(titles).toEqual(['client', 'local proxy', 'router 84.0 µs', 'nobody'])
  })

  test('steps that were not measured are not made up', () => {
    const steps = (over: Partial<DecisionRow>) => timingOf(aRow('a', over)).map(({ id }) => id)
    expect(steps({})).toEqual(['router', 'first', 'stream', 'total'])
    expect(steps({ outcome: anOutcome({ ttftMs: null }) })).toEqual(['router', 'end', 'total'])
    expect(steps({ outcome: null })).toEqual(['router'])
  })

  test('a session key that the policy does not look at is not called its reason', () => {
    const policy = { id: 'round-robin', title: '', summary: '', source: '', signals: [], params: {} }
    const session = (explained: typeof policy | null) =>
      inputFacts({ row: aRow('a'), session: [], policy: explained }, 'utc').find(
        ([name]) => name === 'Session key',
      )?.[1]
    expect(session(policy)).toBe('present, not used by this policy')
    expect(session(null)).toBe('7f83b1657ff1fc53b92dc18148a1d6c1 (keyed hash)')
  })

  test('as Markdown for a ticket: values stay text', () => {
    const row = aRow('d1', { requestId: '[click](http://evil)<b>', pick: 'r|1' })
    const text = explanationMarkdown({ row, session: [row], policy: null })
    expect(text).toContain('## Why this replica — d1')
    expect(text).toContain('\\[click\\](http://evil)\\<b\\>')
    expect(text).toContain('| 0 | r1 | picked: owner | 3 | 41 % | 300 ms |')
    expect(text).toContain('r\\|1 was picked')
  })
})
