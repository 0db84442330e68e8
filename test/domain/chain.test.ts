import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ChainHead,
  type ChainRecord,
  canonicalBody,
  chainStart,
  lineOf,
  readRecord,
  seal,
} from '../../src-main/domain/journal/chain'
import {
  allBreaks,
  readSegment,
  undeclared,
  walkFrom,
  walkSegment,
} from '../../src-main/domain/journal/chain-check'
import { sha256 } from '../helpers/an-audit-log'

const stamp = { ts: 1_767_225_600_000.4, mono: 12.6, boot: 'b' }
const chainOf = (count: number, from: ChainHead = chainStart): ChainRecord[] => {
  const records: ChainRecord[] = []
  for (let n = 0; n < count; n++)
    records.push(seal(records.at(-1) ?? from, { kind: 'k', body: { n } }, stamp, sha256))
  return records
}
const bytesOf = (...lines: string[]) => new TextEncoder().encode(lines.join(''))
const segmentOf = (...lines: (string | ChainRecord)[]) =>
  readSegment(bytesOf(...lines.map((line) => (typeof line === 'string' ? line : lineOf(line)))), sha256)

describe('a record', () => {
  // The hash was computed with coreutils' sha256sum.
  test('has this text, for ever: others verify it with their own programs', () => {
    const [first] = chainOf(1)
    expect(first && lineOf(first)).toBe(
      '{"body":{"n":0},"boot":"b","hash":"304e2e1257ee4fd4c9a338b8a1e0a57759a6475ca2d17b1de26446afd1624458","kind":"k","mono":13,"prev":"0000000000000000000000000000000000000000000000000000000000000000","seq":1,"ts":1767225600000}\n',
    )
  })

  test.each([
    ['a whole number stays', 3, 3],
    ['a fraction becomes text', 0.5, '0.5'],
    ['a number too large to be exact becomes text', 2 ** 53, '9007199254740992'],
    ['not a number becomes text', Number.NaN, 'NaN'],
    [
      'lists and objects are gone through',
      { a: [1.5, { b: 2.5 }], c: undefined },
      { a: ['1.5', { b: '2.5' }] },
    ],
    ['text, null and booleans stay', ['x', null, true], ['x', null, true]],
  ])('body: %s', (_name, body, canonical) => expect(canonicalBody(body)).toEqual(canonical))

  test('of any JSON body reads back as it was written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const parsed = JSON.parse(JSON.stringify(body))
        const record = seal(chainStart, { kind: 'k', body: parsed }, stamp, sha256)
        expect(readRecord(lineOf(record).slice(0, -1), sha256)).toEqual({ ok: true, value: record })
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  test('with any one character changed is refused', () => {
    const line = chainOf(1).map(lineOf).join('').slice(0, -1)
    fc.assert(
      fc.property(fc.nat(line.length - 1), fc.integer({ min: 32, max: 126 }), (at, code) => {
        const changed = line.slice(0, at) + String.fromCharCode(code) + line.slice(at + 1)
        expect(readRecord(changed, sha256).ok).toBe(changed === line)
      }),
      { seed: 7, numRuns: 1_000 },
    )
  })

  test.each([
    ['empty', ''],
    ['not JSON', '{'],
    ['another JSON', '[]'],
    ['null', 'null'],
    ['nested beyond all measure', '['.repeat(60_000) + ']'.repeat(60_000)],
    ['numbers beyond all measure', '{"seq":1e999}'],
  ])('that is %s is refused without a throw', (_name, line) =>
    expect(readRecord(line, sha256).ok).toBe(false),
  )

  test('with a member smuggled in is refused, since the hash does not cover it', () => {
    const line = chainOf(1).map(lineOf).join('').slice(0, -1)
    expect(readRecord(`${line.slice(0, -1)},"z":1}`, sha256)).toEqual({
      ok: false,
      error: 'not in canonical form',
    })
  })
})

describe('a chain', () => {
  const [one, two, three, four, five] = chainOf(5) as [
    ChainRecord,
    ChainRecord,
    ChainRecord,
    ChainRecord,
    ChainRecord,
  ]
  const rehashed = seal(one, { kind: 'k', body: { n: 'forged' } }, stamp, sha256)
  const broken = lineOf(three).replace('"n":2', '"n":9')
  const declaring = seal(
    five,
    { kind: 'chain_restart', body: { damaged: [{ from: 3, to: 3 }] } },
    stamp,
    sha256,
  )
  const rows = [
    { name: 'whole', segments: [[one, two, three]], breaks: [] },
    {
      name: 'in two segments',
      segments: [
        [one, two],
        [three, four],
      ],
      breaks: [],
    },
    {
      name: 'a segment that repeats the last record',
      segments: [
        [one, two],
        [two, three],
      ],
      breaks: [],
    },
    {
      name: 'an unfinished tail before the next segment',
      segments: [[one, two, 'torn'], [three]],
      breaks: [],
    },
    { name: 'one edited', segments: [[one, two, broken, four, five]], breaks: [[3, 3]] },
    { name: 'one edited and hashed again', segments: [[one, rehashed, three, four]], breaks: [[3, 3]] },
    {
      name: 'two swapped',
      segments: [[one, three, two, four]],
      breaks: [
        [2, 2],
        [2, 2],
      ],
    },
    { name: 'one repeated in a segment', segments: [[one, two, two, three]], breaks: [[2, 2]] },
    { name: 'a line put in', segments: [[one, two, 'x\n', three]], breaks: [[3, 3]] },
    { name: 'a segment missing', segments: [[one], [four, five]], breaks: [[2, 3]] },
    { name: 'its beginning missing', segments: [[four, five]], breaks: [[1, 3]] },
  ]
  test.each(rows)('$name: breaks $breaks', ({ segments, breaks }) => {
    const walk = segments.map((lines) => segmentOf(...lines)).reduce(walkSegment, walkFrom(chainStart))
    expect(walk.breaks.map(({ from, to }) => [from, to])).toEqual(breaks)
    expect(undeclared(walk)).toHaveLength(breaks.length)
  })

  test('a break that the log has declared is known, not new', () => {
    const walk = walkSegment(walkFrom(chainStart), segmentOf(one, two, broken, four, five, declaring))
    expect(undeclared(walk)).toEqual([])
    expect(allBreaks(walk).map(({ from, to }) => [from, to])).toEqual([[3, 3]])
  })

  test('what is declared stays known when it cannot be seen any more', () => {
    const walk = walkSegment(walkFrom(null), segmentOf(declaring))
    expect(allBreaks(walk)).toEqual([{ from: 3, to: 3, why: 'declared damaged by the log' }])
  })

  test('a tail is told from the good lines to the byte', () => {
    const good = lineOf(one).length
    expect(segmentOf(one, '{"half')).toMatchObject({ goodBytes: good, tailBytes: 6, flaws: [] })
    expect(segmentOf(one, 'a whole line, but none of ours\n')).toMatchObject({
      goodBytes: good,
      tailBytes: 31,
    })
    expect(readSegment(Uint8Array.of(0xef, 0xbb, 0xbf, ...bytesOf(lineOf(one))), sha256).records).toEqual([])
  })
})
