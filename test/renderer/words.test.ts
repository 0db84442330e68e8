import { describe, expect, test } from 'vitest'
import { words } from '../../src-renderer/words/en'
import { sourceFiles } from '../architecture/files'

const parts = sourceFiles('src-renderer').filter(({ path }) => path.endsWith('.tsx'))
const offenders = (pattern: RegExp) =>
  parts.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([found]) => `${path}: ${found.trim()}`))

describe('every string that a person reads comes from words/', () => {
  test('no text between tags', () => {
    expect(offenders(/(?<!=)>\s*[A-Za-z][\w ,.']{2,}\s*<\//g)).toEqual([])
  })
  test('no text in what is read out or shown on hover', () => {
    expect(offenders(/(?:aria-label|title|placeholder|alt|label|hint)="[^"]*[a-z]{3}[^"]*"/g)).toEqual([])
  })
})

/** All texts of the table, functions called with their own parameter names. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'function')
    return textsOf(value(...Array.from({ length: value.length }, (_, at) => `⟨${at}⟩`)))
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

describe('words', () => {
  const all = textsOf(words)
  test('are many, and none is empty by mistake', () => expect(all.length).toBeGreaterThan(400))
  test.each([
    ['no exclamation marks', /!(?!=)/],
    [
      'no words that the vocabulary bans (ux.md 9)',
      /\b(balancer|sticky|stickiness|failover|zombie|offline|pod|GPU cache|safe mode|bypass mode)\b/i,
    ],
    ['no false minus or quotes', /^"|(?<![\w./])-\d/],
  ])('%s', (_, pattern) => expect(all.filter((text) => pattern.test(text))).toEqual([]))
})
