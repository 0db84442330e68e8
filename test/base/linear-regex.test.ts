import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileLinearRegex } from '../../src-main/base/linear-regex'

const matches = (pattern: string, text: string) => {
  const regex = compileLinearRegex(pattern)
  if (!regex.ok) throw new Error(regex.error.message)
  return regex.value.test(text)
}

describe('patterns in linear time', () => {
  test.each([
    ['abc', 'xxABCxx', true],
    ['^abc$', 'abc', true],
    ['^abc$', 'abcd', false],
    ['a.c', 'a\nc', false],
    ['router_.*', 'router_non_200', true],
    ['colou?r', 'color', true],
    ['(unknown|unparseable)_replica_id', 'unparseable_replica_id', true],
    ['r[1-3]$', 'r4', false],
    ['[^0-9]', '42', false],
    ['\\d{3}', 'http 503', true],
    ['^\\d{2,3}$', '5030', false],
    ['a{2,}', 'aa', true],
    ['\\.', 'abc', false],
    ['(?:ab)+$', 'ababab', true],
    ['', 'anything', true],
    ['a||b', 'zzz', true],
    ['[]]', ']', false],
  ])('%j in %j: %s', (pattern, text, found) => {
    expect(matches(pattern, text)).toBe(found)
  })

  test.each([
    ['(a', 0, /not closed/],
    ['a)', 1, /never opened/],
    ['[a', 0, /not closed/],
    ['[z-a]', 0, /makes no sense/],
    ['*a', 0, /nothing to repeat/],
    ['a**', 3, /repeat of a repeat/],
    ['(a)\\1', 3, /\\1 is not understood/],
    ['(?=a)', 0, /only plain groups/],
    ['(?<n>a)', 0, /only plain groups/],
    ['\\bword', 0, /\\b is not understood/],
    ['a\\', 1, /at the end/],
    ['a{3,1}', 0, /ends before it begins/],
    ['((a{99}){99}){99}', 0, /steps/],
    ['('.repeat(80), 33, /too deeply/],
    ['a'.repeat(201), 200, /longer than/],
  ])('refuses %j', (pattern, at, message) => {
    expect(compileLinearRegex(pattern)).toMatchObject({
      ok: false,
      error: { at, message: expect.stringMatching(message) },
    })
  })

  test('a pattern that stalls a backtracking engine takes no time', () => {
    const started = performance.now()
    expect(matches('^(a+)+$', `${'a'.repeat(5_000)}!`)).toBe(false)
    expect(matches('(.*)(.*)(.*)(.*)(.*)x', 'y'.repeat(2_000))).toBe(false)
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  test('agrees with the built-in engine on random patterns', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\d',
      '\\w',
      '(a|b)',
      '(?:ab)',
      '1',
      '^',
      '$',
    )
    const piece = fc
      .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{0,}'))
      .map(([what, times]) => (what === '^' || what === '$' ? what : what + times))
    const pattern = fc
      .array(
        fc.array(piece, { maxLength: 4 }).map((parts) => parts.join('')),
        { minLength: 1, maxLength: 3 },
      )
      .map((parts) => parts.join('|'))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', '1', '_', '-'), maxLength: 10 })
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        expect(matches(source, subject)).toBe(new RegExp(source, 'i').test(subject))
      }),
      { seed: 3, numRuns: 5_000 },
    )
  }, 30_000)
})
