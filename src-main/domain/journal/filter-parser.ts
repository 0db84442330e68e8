import { fail, ok, type Result } from '../../base/result'
import { filterField } from './filter-fields'
import {
  type Comparison,
  type FilterError,
  type RowTest,
  regexTest,
  type TermValue,
  termTest,
  textTest,
} from './filter-terms'

/** A part of a filter that every row must fit, and its text: a view can name the one that matched nothing. */
export interface Clause {
  readonly at: number
  readonly text: string
  readonly matches: RowTest
}

/** Most terms of a filter, and deepest nesting. */
const termsMax = 64
const depthMax = 16

interface Cursor {
  readonly text: string
  at: number
  terms: number
}
type Parsed<T> = Result<T, FilterError>
/** Clauses side by side; all must fit. */
type Clauses = readonly Clause[]

/** Reads the clauses of a filter; none for a filter that takes everything. */
export function parseClauses(text: string): Parsed<Clauses> {
  const cursor = { text, at: 0, terms: 0 }
  const alternatives = either(cursor, 0)
  if (!alternatives.ok) return alternatives
  if (cursor.at < text.length) return wrong('this bracket closes nothing', cursor.at)
  const [only] = alternatives.value
  if (alternatives.value.length === 1 && only) return ok(only)
  if (alternatives.value.length === 0) return ok([])
  return ok([{ at: 0, text: text.trim(), matches: anyOf(alternatives.value) }])
}

const wrong = (message: string, at: number, length = 1, suggestion: string | null = null) =>
  fail<FilterError>({ at, length: Math.max(1, length), message, suggestion })

const anyOf =
  (lists: readonly Clauses[]): RowTest =>
  (facts) =>
    lists.some((clauses) => clauses.every((clause) => clause.matches(facts)))

const here = ({ text, at }: Cursor) => text[at] ?? ''

function blanks(cursor: Cursor): void {
  while (/\s/.test(here(cursor))) cursor.at++
}

/** Steps over a word that stands alone. */
function keyword(cursor: Cursor, word: 'OR' | 'AND'): boolean {
  const { text, at } = cursor
  if (!text.startsWith(word, at) || !/^[\s()]?$/.test(text[at + word.length] ?? '')) return false
  cursor.at += word.length
  return true
}

/** Lists of clauses between `OR`. */
function either(cursor: Cursor, depth: number): Parsed<readonly Clauses[]> {
  if (depth > depthMax) return wrong('nested too deeply', cursor.at)
  const first = together(cursor, depth)
  if (!first.ok) return first
  const lists = [first.value]
  for (let orAt = cursor.at; keyword(cursor, 'OR'); orAt = cursor.at) {
    const next = together(cursor, depth)
    if (!next.ok) return next
    if (lists.at(-1)?.length === 0 || next.value.length === 0)
      return wrong('OR stands between two conditions', orAt, 2)
    lists.push(next.value)
  }
  return ok(lists.length === 1 && first.value.length === 0 ? [] : lists)
}

function together(cursor: Cursor, depth: number): Parsed<Clauses> {
  const { text } = cursor
  const clauses: Clause[] = []
  for (blanks(cursor); cursor.at < text.length && here(cursor) !== ')'; blanks(cursor)) {
    const start = cursor.at
    if (keyword(cursor, 'OR')) {
      cursor.at = start
      break
    }
    if (keyword(cursor, 'AND')) continue // it is implied
    const matches = clause(cursor, depth)
    if (!matches.ok) return matches
    clauses.push({ at: start, text: text.slice(start, cursor.at), matches: matches.value })
  }
  return ok(clauses)
}

function clause(cursor: Cursor, depth: number): Parsed<RowTest> {
  const start = cursor.at
  if (++cursor.terms > termsMax) return wrong(`a filter has at most ${termsMax} conditions`, start)
  if (here(cursor) !== '-') return positive(cursor, depth)
  cursor.at++
  if (/^[\s)]?$/.test(here(cursor))) return wrong('a - stands right before what it denies', start)
  const denied = positive(cursor, depth)
  return denied.ok ? ok((facts) => !denied.value(facts)) : denied
}

function positive(cursor: Cursor, depth: number): Parsed<RowTest> {
  switch (here(cursor)) {
    case '(':
      return brackets(cursor, depth)
    case '"': {
      const quoted = quotation(cursor)
      return quoted.ok ? ok(textTest(quoted.value)) : quoted
    }
    case '~':
      return pattern(cursor)
    default:
      return term(cursor)
  }
}

function brackets(cursor: Cursor, depth: number): Parsed<RowTest> {
  const start = cursor.at++
  const inner = either(cursor, depth + 1)
  if (!inner.ok) return inner
  if (here(cursor) !== ')') return wrong('this bracket is not closed', start)
  cursor.at++
  return inner.value.length === 0
    ? wrong('nothing stands in these brackets', start, 2)
    : ok(anyOf(inner.value))
}

function pattern(cursor: Cursor): Parsed<RowTest> {
  const start = ++cursor.at
  const { text } = cursor
  if (here(cursor) === '"') {
    const quoted = quotation(cursor)
    return quoted.ok ? regexTest(quoted.value, start + 1) : quoted
  }
  for (let depth = 0; cursor.at < text.length && !/\s/.test(here(cursor)); cursor.at++) {
    const character = here(cursor)
    if (character === '\\') cursor.at++
    else if (character === '(') depth++
    else if (character === ')' && --depth < 0) break // it closes a bracket around the pattern
  }
  cursor.at = Math.min(cursor.at, text.length)
  return cursor.at === start
    ? wrong('a pattern stands behind ~', start - 1)
    : regexTest(text.slice(start, cursor.at), start)
}

function quotation(cursor: Cursor): Parsed<string> {
  const { text, at: start } = cursor
  let read = ''
  for (cursor.at++; cursor.at < text.length; cursor.at++) {
    if (here(cursor) === '"') {
      cursor.at++
      return ok(read)
    }
    if (here(cursor) === '\\' && /["\\]/.test(text[cursor.at + 1] ?? '')) cursor.at++
    read += here(cursor)
  }
  return wrong('this quotation is not closed', start, text.length - start)
}

function term(cursor: Cursor): Parsed<RowTest> {
  const start = cursor.at
  const head = /^([a-zA-Z][a-zA-Z_-]*)(:|>=|<=|=|>|<)/.exec(cursor.text.slice(start))
  if (head === null) return bareWord(cursor)
  const [opening, field, comparison] = head as unknown as readonly [string, string, Comparison]
  cursor.at += opening.length
  const values: TermValue[] = []
  do {
    const value = termValue(cursor, field)
    if (!value.ok) return value
    values.push(value.value)
  } while (here(cursor) === ',' && ++cursor.at > 0)
  return termTest({ field, at: start, comparison, values })
}

function termValue(cursor: Cursor, field: string): Parsed<TermValue> {
  const { text, at: start } = cursor
  if (here(cursor) === '"') {
    const quoted = quotation(cursor)
    return quoted.ok ? ok({ text: quoted.value, quoted: true, at: start }) : quoted
  }
  while (cursor.at < text.length && !/[\s(),"]/.test(here(cursor))) cursor.at++
  return cursor.at === start
    ? wrong(`${field} needs a value`, Math.min(start, Math.max(0, text.length - 1)), 1, '*')
    : ok({ text: text.slice(start, cursor.at), quoted: false, at: start })
}

/** A word without a field is looked for as a text. */
function bareWord(cursor: Cursor): Parsed<RowTest> {
  const { text, at: start } = cursor
  while (cursor.at < text.length && !/[\s()"]/.test(here(cursor))) cursor.at++
  const word = text.slice(start, cursor.at)
  if (word === '') return wrong('nothing is understood here', start)
  return filterField(word)
    ? wrong(`${word} is a field; it needs a value`, start, word.length, `${word}:*`)
    : ok(textTest(word))
}
