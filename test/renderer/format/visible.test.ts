import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isPlain, visible } from '../../../src-renderer/format/visible'

const corpus = 'test/fixtures/corpora/naughty-strings/blns.json'
const naughty: string[] = JSON.parse(readFileSync(corpus, 'utf8'))

const rows = [
  ['plain text', 'r5', 'r5'],
  ['other scripts and pictures', '레플리카 🚂 مرحبا', '레플리카 🚂 مرحبا'],
  ['an override of direction', 'ab\u202Ecd', 'ab\\u{202E}cd'],
  ['isolates', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
  ['what has no width', 'a\u200Bb\u200Dc\uFEFF', 'a\\u{200B}b\\u{200D}c\\u{FEFF}'],
  ['controls, line ends and tabs', 'a\nb\tc\u0000', 'a\\u{0A}b\\u{09}c\\u{00}'],
  ['half of a pair', '\uD83D!', '\\u{D83D}!'],
  ['the other half', '!\uDE82', '!\\u{DE82}'],
  ['tags', 'a\u{E0041}', 'a\\u{E0041}'],
  ['a tower of marks', `Z${'\u0351'.repeat(12)}`, `Z${'\u0351'.repeat(4)}…`],
  ['markup stays what it is: text', '<script>alert(1)</script>', '<script>alert(1)</script>'],
] as const

describe('what would not show is written out', () => {
  test.each(rows)('%s', (_, text, shown) => expect(visible(text)).toBe(shown))
})

test('a long text is cut between characters', () => {
  const shown = visible('🚂'.repeat(400))
  expect(shown.endsWith('🚂…')).toBe(true)
  expect(shown.length).toBeLessThanOrEqual(515)
})

const hidden = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}|\p{Co}/u

describe('the naughty strings (515)', () => {
  test('leave nothing unseen, nothing that turns the text, no tower of marks', () => {
    const bad = naughty.filter((text) => hidden.test(visible(text)) || /\p{M}{6}/u.test(visible(text)))
    expect(naughty).toHaveLength(515)
    expect(bad).toEqual([])
  })
  test('are drawn as text: no element is made of them', () => {
    const cell = document.createElement('span')
    for (const text of naughty) {
      cell.textContent = visible(text)
      expect(cell.childElementCount).toBe(0)
    }
  })
  test('most of them are not touched', () => {
    expect(naughty.filter(isPlain).length).toBeGreaterThan(400)
  })
})
