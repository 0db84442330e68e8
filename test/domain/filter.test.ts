import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFilter } from '../../src-main/domain/journal/filter'
import { filterFields } from '../../src-main/domain/journal/filter-fields'
import { factsOf } from '../../src-main/domain/journal/row-facts'
import { aRow } from '../helpers/a-row'

const rows = {
  good: aRow({ id: 'd-good', turn: 3 }),
  slow: aRow({ id: 'd-slow', outcome: { ttftMs: 1_900, durationMs: 9_000, outputTokens: 8_200 } }),
  failed: aRow({
    id: 'd-failed',
    pick: 'r9',
    outcome: {
      end: 'refused',
      status: 503,
      reason: 'unknown_replica',
      serveReason: 'unknown_replica_id',
      served: null,
      rank: null,
      ttftMs: null,
      cachedTokens: null,
      finish: null,
    },
  }),
  moved: aRow({
    id: 'd-moved',
    pick: 'r2',
    movedFrom: 'r1',
    outcome: { served: 'r3', rank: 1, cachedTokens: 0 },
  }),
  keyless: aRow({ id: 'd-keyless', session: null, policy: { id: 'round-robin', params: {} }, demo: true }),
  open: aRow({ id: 'd-open', outcome: null, truncated: { have: 1, full: 2 } }),
  routed: aRow({ id: 'd-routed', outcome: null, asked: 'http' }),
}
type Name = keyof typeof rows
const all = Object.keys(rows) as Name[]

function fitting(text: string): Name[] | string {
  const filter = parseFilter(text)
  if (!filter.ok) return filter.error.message
  return all.filter((name) => filter.value.matches(factsOf(rows[name])))
}
const but = (...names: Name[]) => all.filter((name) => !names.includes(name))

describe('the filter language', () => {
  const table: readonly (readonly [string, readonly Name[]])[] = [
    ['', all],
    ['   ', all],
    ['outcome:ok', ['good', 'slow', 'keyless']],
    ['-outcome:ok', ['failed', 'moved', 'open', 'routed']],
    ['outcome:refused,open', ['failed', 'open']],
    ['outcome:routed-only', ['routed']],
    ['outcome:fall*', ['moved']],
    ['OUTCOME:OK', ['good', 'slow', 'keyless']],
    ['reason:unknown_replica_id', ['failed']],
    ['reason:unknown_replica', ['failed']],
    ['reason:unknown_*', ['failed']],
    ['reason:"unknown_*"', []],
    ['session:*', but('keyless')],
    ['-session:*', ['keyless']],
    ['session:a01c*', but('keyless')],
    ['session:none', ['keyless']],
    ['-session:none', but('keyless')],
    ['session:"none"', []],
    ['session:a01c', but('keyless')],
    ['session:A01C', but('keyless')],
    ['session:a01d', []],
    ['moved:none', but('moved')],
    ['replica:r3', ['moved']],
    ['replica:r2', ['moved']],
    ['pick:r9', ['failed']],
    ['served:r1', ['good', 'slow', 'keyless']],
    ['-served:*', ['failed', 'open', 'routed']],
    ['rank:0', ['good', 'slow', 'keyless']],
    ['rank>0', ['moved']],
    ['policy:hash', but('keyless')],
    ['policy:rr', ['keyless']],
    ['policy:consistent-hash', but('keyless')],
    ['ttft>250ms', ['slow']],
    ['ttft>1.5s', ['slow']],
    ['ttft<=0.2s', ['good', 'moved', 'keyless']],
    ['ttft:200', ['good', 'moved', 'keyless']],
    ['dur>=9s', ['slow']],
    ['dur<1m ttft:*', but('failed', 'open', 'routed')],
    ['router<1ms', all],
    ['in>0.3k', all],
    ['out>8k', ['slow']],
    ['cached>50%', ['good', 'slow', 'keyless']],
    ['cached:75%', ['good', 'slow', 'keyless']],
    ['cached:0', ['moved']],
    ['finish:stop', but('failed', 'open', 'routed')],
    ['moved:*', ['moved']],
    ['moved:yes', ['moved']],
    ['moved:no', but('moved')],
    ['moved:r1', ['moved']],
    ['truncated:yes', ['open']],
    ['truncated:*', ['open']],
    ['truncated:no', but('open')],
    ['attempts:1', but('open', 'routed')],
    ['asked:http', ['routed']],
    ['demo:true', ['keyless']],
    ['id:d-slow', ['slow']],
    ['req:q1', all],
    ['status:503', ['failed']],
    ['turn:3', ['good']],
    ['at:2026-01-01T00:00Z', all],
    ['at:2026-01-01T00:00:00Z', all],
    ['at>2026-01-01T00:00:00Z', []],
    ['at<=2026-01-01T00:00:00Z', all],
    ['at<2026-01-01T00:00Z', []],
    ['at:2026-01-01t00:00:00.000z', all],
    ['at:2026-01-01T00:00:00.001Z', []],
    ['ended:*', but('open', 'routed')],
    ['ended:2026-01-01T00:00:09Z', ['slow']],
    ['ended>2026-01-01T00:00:01Z', ['slow']],
    ['ended>=2026-01-01T00:00:01Z ended<=2026-01-01T00:00:01Z', but('slow', 'open', 'routed')],
    ['"replica_id"', ['failed']],
    ['"D-GOOD"', ['good']],
    ['replica_id', ['failed']],
    ['-"replica_id"', but('failed')],
    ['~^d-(good|slow)$', ['good', 'slow']],
    ['~"^d-(good|slow)$"', ['good', 'slow']],
    ['-~^d-(good|slow)$', but('good', 'slow')],
    ['outcome:ok ttft>1s', ['slow']],
    ['outcome:ok AND ttft>1s', ['slow']],
    ['outcome:open OR moved:*', ['moved', 'open']],
    ['(outcome:routed-only OR moved:*) -asked:http', ['moved']],
    ['-(outcome:open OR moved:*)', but('moved', 'open')],
    ['outcome:ok OR outcome:open OR status:503', but('moved', 'routed')],
    ['((id:d-good))', ['good']],
    ['id:d-good,"d-slow"', ['good', 'slow']],
    ['status:503\n-served:*', ['failed']],
  ]
  test.each(table)('%j', (text, names) => {
    expect(fitting(text)).toEqual(names)
  })

  test('has a row here for every field', () => {
    for (const { name } of filterFields)
      expect(table.some(([text]) => text.includes(name)) || name === 'model', name).toBe(true)
  })

  test.each([
    {
      text: 'outcom:ok',
      at: 0,
      length: 6,
      suggestion: 'outcome',
      words: /no field outcom; did you mean outcome/,
    },
    {
      text: 'demo:yes outcome:okk',
      at: 17,
      length: 3,
      suggestion: 'ok',
      words: /outcome is never okk; it is one of: ok/,
    },
    { text: 'session>3', at: 8, length: 1, suggestion: 'session:3', words: /no more and less/ },
    { text: 'ttft>fast', at: 5, length: 4, suggestion: null, words: /is a number/ },
    { text: 'ttft>3k', at: 5, length: 2, suggestion: '3ms', words: /has no unit k; use us, ms, s, m/ },
    { text: 'out>3s', at: 4, length: 2, suggestion: '3', words: /has no unit s; use k, K, M/ },
    { text: 'out>30%', at: 4, length: 3, suggestion: null, words: /not a part of anything/ },
    { text: 'at>03:07', at: 3, length: 5, suggestion: null, words: /instant in UTC, such as/ },
    { text: 'at>2026-13-01T00:00Z', at: 3, length: 17, suggestion: null, words: /instant in UTC/ },
    { text: 'demo:maybe', at: 5, length: 5, suggestion: 'yes', words: /yes or no/ },
    { text: 'ttft>*', at: 5, length: 1, suggestion: 'ttft:*', words: /any value/ },
    { text: 'outcome:', at: 7, length: 1, suggestion: '*', words: /needs a value/ },
    { text: 'outcome', at: 0, length: 7, suggestion: 'outcome:*', words: /it needs a value/ },
    { text: '"open', at: 0, length: 5, suggestion: null, words: /quotation is not closed/ },
    { text: 'a (b', at: 2, length: 1, suggestion: null, words: /bracket is not closed/ },
    { text: 'a ) b', at: 2, length: 1, suggestion: null, words: /closes nothing/ },
    { text: 'a ()', at: 2, length: 2, suggestion: null, words: /nothing stands/ },
    { text: 'OR a', at: 0, length: 2, suggestion: null, words: /between two/ },
    { text: 'a OR', at: 2, length: 2, suggestion: null, words: /between two/ },
    { text: 'a - b', at: 2, length: 1, suggestion: null, words: /right before/ },
    { text: 'x ~(a', at: 3, length: 1, suggestion: null, words: /cannot be used: a bracket/ },
    { text: '~(?=a)', at: 1, length: 1, suggestion: null, words: /only plain groups/ },
    { text: 'a ~', at: 2, length: 1, suggestion: null, words: /stands behind ~/ },
  ])('says what is wrong with $text, where, and what was meant', ({ text, words, ...error }) => {
    const filter = parseFilter(text)
    expect(filter).toMatchObject({ ok: false, error: { ...error, message: expect.stringMatching(words) } })
  })

  test('a clause keeps its text, so that a view can name the one that matched nothing', () => {
    const filter = parseFilter('outcome:ok  served:r9 (demo:yes OR moved:*)')
    expect(filter.ok && filter.value.clauses.map(({ text }) => text)).toEqual([
      'outcome:ok',
      'served:r9',
      '(demo:yes OR moved:*)',
    ])
    const facts = all.map((name) => factsOf(rows[name]))
    expect(
      filter.ok && filter.value.clauses.filter(({ matches }) => !facts.some(matches)).map(({ text }) => text),
    ).toEqual(['served:r9'])
  })

  test.each([
    ['1,001 characters', 'a'.repeat(1_001)],
    ['65 conditions', 'a '.repeat(65)],
    ['20 brackets', `${'('.repeat(20)}a${')'.repeat(20)}`],
  ])('refuses %s', (_, text) => {
    expect(parseFilter(text).ok).toBe(false)
  })

  test('any text: an answer or an error inside the text, never a throw, and quickly', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'outcome',
        ':',
        'ok',
        '-',
        '(',
        ')',
        ' OR ',
        '"',
        '~',
        '*',
        ',',
        '>',
        '<=',
        'ttft',
        '5ms',
        '\\',
        ' ',
        '[',
        '%',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
        const text = parts.join('')
        const filter = parseFilter(text)
        if (filter.ok) for (const name of all) filter.value.matches(factsOf(rows[name]))
        else {
          expect(filter.error.at).toBeGreaterThanOrEqual(0)
          expect(filter.error.at).toBeLessThanOrEqual(text.length)
          expect(filter.error.length).toBeGreaterThan(0)
          expect(filter.error.message).not.toBe('')
        }
      }),
      { seed: 99, numRuns: 20_000, interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false },
    )
  }, 30_000)

  test('denying twice changes nothing, and OR of a filter with its opposite takes everything', () => {
    const term = fc.constantFrom(...table.map(([text]) => text.trim()).filter((text) => text !== ''))
    fc.assert(
      fc.property(term, (text) => {
        expect(fitting(`-(-(${text}))`)).toEqual(fitting(text))
        expect(fitting(`(${text}) OR -(${text})`)).toEqual(all)
      }),
      { seed: 5, numRuns: 200 },
    )
  }, 30_000)
})
