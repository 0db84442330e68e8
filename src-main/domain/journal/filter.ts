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
import type { RowFacts } from './row-facts'

/** A part of a filter that every row must fit, and its text: a view can name the one that matched nothing. */
export interface Clause {
  readonly at: number
  readonly text: string
  readonly matches: RowTest
}

/** A filter ready for use. */
export interface Filter {
  readonly text: string
  /** The parts that stand side by side; all must fit. Empty for a filter that takes everything. */
  readonly clauses: readonly Clause[]
  matches(facts: RowFacts): boolean
}

/** Longest filter, characters. */
export const filterMaxCharacters = 1_000
/** Most terms of a filter, and deepest nesting. */
const termsMax = 64
const depthMax = 16

/**
 * Reads the filter language of the decision list: `field:value`, `field:a,b`, `field:*`, `field>250ms`, `"text"`,
 * `~regex`, all of them with a `-` in front for the opposite, side by side for "and", `OR` between, and brackets. Values
 * may end in `*` for "begins with"; times take `us ms s m`, counts `k M`, parts of a whole `%`.
 */
export function parseFilter(text: string): Result<Filter, FilterError> {
  if (text.length > filterMaxCharacters)
    return fail({
      at: filterMaxCharacters,
      length: text.length - filterMaxCharacters,
      message: `a filter has at most ${filterMaxCharacters} characters`,
      suggestion: null,
    })
  const clauses = createParser(text).whole()
  if (!clauses.ok) return clauses
  return ok({
    text,
    clauses: clauses.value,
    matches: (facts) => clauses.value.every((clause) => clause.matches(facts)),
  })
}

type Parsed<T> = Result<T, FilterError>

function createParser(text: string) {
  let at = 0
  let terms = 0
  const wrong = (message: string, from: number, length = 1, suggestion: string | null = null) =>
    fail<FilterError>({ at: from, length: Math.max(1, length), message, suggestion })
  const blanks = () => {
    while (/\s/.test(text[at] ?? '')) at++
  }
  const keyword = (word: string) => {
    if (!new RegExp(`${word}(?=[\\s()]|$)`, 'y').test(text.slice(at, at + word.length + 1))) return false
    at += word.length
    return true
  }

  function whole(): Parsed<readonly Clause[]> {
    const alternatives = either(0)
    if (!alternatives.ok) return alternatives
    if (at < text.length) return wrong('this bracket closes nothing', at)
    const [only] = alternatives.value
    if (alternatives.value.length === 1 && only) return ok(only)
    if (alternatives.value.length === 0) return ok([])
    return ok([{ at: 0, text: text.trim(), matches: anyOf(alternatives.value) }])
  }
  /** Lists of clauses between `OR`. */
  function either(depth: number): Parsed<readonly (readonly Clause[])[]> {
    if (depth > depthMax) return wrong('nested too deeply', at)
    const first = together(depth)
    if (!first.ok) return first
    const lists = [first.value]
    for (let orAt = at; keyword('OR'); orAt = at) {
      const next = together(depth)
      if (!next.ok) return next
      if (lists.at(-1)?.length === 0 || next.value.length === 0)
        return wrong('OR stands between two conditions', orAt, 2)
      lists.push(next.value)
    }
    return ok(lists.length === 1 && first.value.length === 0 ? [] : lists)
  }
  /** Clauses side by side. */
  function together(depth: number): Parsed<readonly Clause[]> {
    const clauses: Clause[] = []
    for (blanks(); at < text.length && text[at] !== ')'; blanks()) {
      const before = at
      if (keyword('OR')) {
        at = before
        break
      }
      if (keyword('AND')) continue // it is implied
      const matches = clause(depth)
      if (!matches.ok) return matches
      clauses.push({ at: before, text: text.slice(before, at), matches: matches.value })
    }
    return ok(clauses)
  }
  function clause(depth: number): Parsed<RowTest> {
    const start = at
    if (++terms > termsMax) return wrong(`a filter has at most ${termsMax} conditions`, start)
    if (text[at] !== '-') return positive(depth)
    at++
    if (/[\s)]/.test(text[at] ?? ' ')) return wrong('a - stands right before what it denies', start)
    const denied = positive(depth)
    return denied.ok ? ok((facts) => !denied.value(facts)) : denied
  }
  function positive(depth: number): Parsed<RowTest> {
    const start = at
    const character = text[at]
    if (character === '(') {
      at++
      const inner = either(depth + 1)
      if (!inner.ok) return inner
      if (text[at] !== ')') return wrong('this bracket is not closed', start)
      at++
      return inner.value.length === 0
        ? wrong('nothing stands in these brackets', start, 2)
        : ok(anyOf(inner.value))
    }
    if (character === '"') {
      const quoted = quotation()
      return quoted.ok ? ok(textTest(quoted.value)) : quoted
    }
    if (character === '~') return pattern()
    return term()
  }
  function pattern(): Parsed<RowTest> {
    at++
    const start = at
    if (text[at] === '"') {
      const quoted = quotation()
      return quoted.ok ? regexTest(quoted.value, start + 1) : quoted
    }
    for (let depth = 0; at < text.length && !/\s/.test(text[at] as string); at++) {
      if (text[at] === '\\') at++
      else if (text[at] === '(') depth++
      else if (text[at] === ')' && --depth < 0) break // it closes a bracket around the pattern
    }
    at = Math.min(at, text.length)
    return at === start
      ? wrong('a pattern stands behind ~', start - 1)
      : regexTest(text.slice(start, at), start)
  }
  function quotation(): Parsed<string> {
    const start = at
    let read = ''
    for (at++; at < text.length; at++) {
      if (text[at] === '"') {
        at++
        return ok(read)
      }
      if (text[at] === '\\' && /["\\]/.test(text[at + 1] ?? '')) at++
      read += text[at]
    }
    return wrong('this quotation is not closed', start, text.length - start)
  }
  function term(): Parsed<RowTest> {
    const start = at
    const head = /^([a-zA-Z][a-zA-Z_-]*)(:|>=|<=|=|>|<)/.exec(text.slice(at))
    if (head === null) return bareWord()
    const [opening, field, comparison] = head as unknown as readonly [string, string, Comparison]
    at += opening.length
    const values: TermValue[] = []
    do {
      const value = termValue(field)
      if (!value.ok) return value
      values.push(value.value)
    } while (text[at] === ',' && ++at > 0)
    return termTest({ field, at: start, comparison, values })
  }
  function termValue(field: string): Parsed<TermValue> {
    const start = at
    if (text[at] === '"') {
      const quoted = quotation()
      return quoted.ok ? ok({ text: quoted.value, quoted: true, at: start }) : quoted
    }
    while (at < text.length && !/[\s(),"]/.test(text[at] as string)) at++
    return at === start
      ? wrong(`${field} needs a value`, Math.min(start, Math.max(0, text.length - 1)), 1, '*')
      : ok({ text: text.slice(start, at), quoted: false, at: start })
  }
  function bareWord(): Parsed<RowTest> {
    const start = at
    while (at < text.length && !/[\s()"]/.test(text[at] as string)) at++
    const word = text.slice(start, at)
    if (word === '') return wrong('nothing is understood here', start)
    return filterField(word)
      ? wrong(`${word} is a field; it needs a value`, start, word.length, `${word}:*`)
      : ok(textTest(word))
  }
  return { whole }
}

const anyOf =
  (lists: readonly (readonly Clause[])[]): RowTest =>
  (facts) =>
    lists.some((clauses) => clauses.every((clause) => clause.matches(facts)))
