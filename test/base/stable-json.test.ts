import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Json, stableJson } from '../../src-main/base/stable-json'

describe('one text for one value', () => {
  const rows: readonly (readonly [string, Json, string])[] = [
    ['keys sorted, no blanks', { b: 1, a: [true, null] }, '{"a":[true,null],"b":1}'],
    ['at every depth', { x: [{ d: 1, c: { f: 2, e: 3 } }] }, '{"x":[{"c":{"e":3,"f":2},"d":1}]}'],
    ['numbers in names are text', { 10: 'a', 9: 'b', a: 'c' }, '{"10":"a","9":"b","a":"c"}'],
    ['by UTF-16 code units', { '\u{1f600}': 1, '\uffff': 2, é: 3 }, '{"é":3,"\u{1f600}":1,"\uffff":2}'],
    ['undefined members are left out', { a: undefined, b: 1, c: undefined }, '{"b":1}'],
    ['empty ones', [{}, [], ''], '[{},[],""]'],
    ['scalars', 'a "b"\n', '"a \\"b\\"\\n"'],
  ]
  test.each(rows)('%s', (_name, value, text) => expect(stableJson(value)).toBe(text))

  test('reads back as the same value, and is the same however its members were put in', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        const value: Json = JSON.parse(JSON.stringify(any))
        const text = stableJson(value)
        expect(JSON.parse(text)).toEqual(value)
        expect(stableJson(reversed(value))).toBe(text)
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('%d is a bug of the caller', (number) =>
    expect(() => stableJson({ a: [number] })).toThrow('a number that JSON cannot hold'),
  )
})

function reversed(value: Json): Json {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(reversed)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member ?? null)]),
  )
}
