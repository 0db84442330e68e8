import { compileLinearRegex } from '../../base/linear-regex'
import { fail, ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import { nearest } from '../routing/params'
import {
  type FilterField,
  type FlagField,
  filterField,
  filterFields,
  type InstantField,
  type NumberField,
  type WordField,
  wordsOf,
} from './filter-fields'
import { instantSpan } from './filter-instants'
import type { RowFacts } from './row-facts'

/** What is wrong with a filter: where, in words, and what was probably meant. */
export interface FilterError {
  /** First character that is wrong, and how many there are. */
  readonly at: number
  readonly length: number
  readonly message: string
  /** A text to put in its place, or null. */
  readonly suggestion: string | null
}

/** Says of a row whether it fits. */
export type RowTest = (facts: RowFacts) => boolean

/** How a value is compared. */
export type Comparison = ':' | '=' | '>' | '>=' | '<' | '<='

/** One value of a term, and where it stands. `quoted` values are taken as they are. */
export interface TermValue {
  readonly text: string
  readonly quoted: boolean
  readonly at: number
}

/** `field:value,value` with its place in the filter. */
export interface Term {
  readonly field: string
  readonly at: number
  readonly comparison: Comparison
  readonly values: readonly TermValue[]
}

type Tested = Result<RowTest, FilterError>

/** Rows that hold the text in one of their words; case does not count. */
export function textTest(text: string): RowTest {
  const wanted = text.toLowerCase()
  return (facts) => wordsOf(facts).some((word) => word.toLowerCase().includes(wanted))
}

/** Rows of which one word matches the pattern. */
export function regexTest(pattern: string, at: number): Tested {
  const regex = compileLinearRegex(pattern)
  if (!regex.ok)
    return fail({
      at: at + Math.min(regex.error.at, Math.max(0, pattern.length - 1)),
      length: 1,
      message: `this pattern cannot be used: ${regex.error.message}`,
      suggestion: null,
    })
  return ok((facts) => wordsOf(facts).some((word) => regex.value.test(word)))
}

/** Rows that fit a term. */
export function termTest(term: Term): Tested {
  const field = filterField(term.field)
  if (!field) {
    const names = filterFields.map(({ name }) => name)
    const suggestion = nearest(term.field, names)
    return fail({
      at: term.at,
      length: term.field.length,
      message: `there is no field ${term.field}; did you mean ${suggestion}? There are: ${names.join(', ')}`,
      suggestion,
    })
  }
  const tests = term.values.map((value) => valueTest(field, term, value))
  const failed = tests.find((test) => !test.ok)
  if (failed) return failed
  const each = tests.flatMap((test) => (test.ok ? [test.value] : []))
  return ok((facts) => each.some((test) => test(facts)))
}

function valueTest(field: FilterField, term: Term, value: TermValue): Tested {
  if (value.text === '*' && !value.quoted)
    return term.comparison === ':' || term.comparison === '='
      ? ok(presence(field))
      : wrong(value, '* means any value; compare with : instead', `${field.name}:*`)
  switch (field.kind) {
    case 'word':
      return wordTest(field, term, value)
    case 'number':
      return numberTest(field, term, value)
    case 'flag':
      return flagTest(field, term, value)
    case 'instant':
      return instantTest(field, term, value)
  }
}

const wrong = (value: TermValue, message: string, suggestion: string | null = null) =>
  fail<FilterError>({ at: value.at, length: Math.max(1, value.text.length), message, suggestion })

function presence(field: FilterField): RowTest {
  if (field.kind === 'word') return (facts) => field.read(facts).some((value) => value !== null)
  if (field.kind === 'number' || field.kind === 'instant') return (facts) => field.read(facts) !== null
  return field.read
}

function wordTest(field: WordField, term: Term, value: TermValue): Tested {
  if (term.comparison !== ':' && term.comparison !== '=')
    return wrong(value, `${field.name} is a word, so it has no more and less`, `${field.name}:${value.text}`)
  if (field.yesOrNo && /^(yes|no)$/i.test(value.text)) {
    const has = presence(field)
    return ok(value.text.toLowerCase() === 'yes' ? has : (facts) => !has(facts))
  }
  if (field.values === null && !value.quoted && value.text.toLowerCase() === 'none') return ok(absence(field))
  const hash = field.hashed && !value.quoted ? /^([0-9a-f]{4,31})(?:…([0-9a-f]*))?$/i.exec(value.text) : null
  if (hash) return ok(beginsAndEnds(field, hash[1] as string, hash[2] ?? ''))
  const prefix = !value.quoted && value.text.endsWith('*')
  const written = (prefix ? value.text.slice(0, -1) : value.text).toLowerCase()
  const wanted = field.short?.[written] ?? written
  const { values } = field
  if (values !== null && !values.some((each) => (prefix ? each.startsWith(wanted) : each === wanted))) {
    const suggestion = nearest(value.text, values)
    return wrong(
      value,
      `${field.name} is never ${value.text}; it is one of: ${values.join(', ')}`,
      suggestion,
    )
  }
  return ok((facts) =>
    field.read(facts).some((each) => {
      const own = each?.toLowerCase()
      return own !== undefined && (prefix ? own.startsWith(wanted) : own === wanted)
    }),
  )
}

/** What lists show as `none`: a row without a value, or with that very word. */
function absence(field: WordField): RowTest {
  return (facts) => field.read(facts).every((value) => value === null || value.toLowerCase() === 'none')
}

function beginsAndEnds(field: WordField, first: string, last: string): RowTest {
  const [start, end] = [first.toLowerCase(), last.toLowerCase()]
  return (facts) => field.read(facts).some((value) => value?.startsWith(start) && value.endsWith(end))
}

const timeUnits: Readonly<Record<string, number>> = { '': 1, us: 0.001, ms: 1, s: 1_000, m: 60_000 }
const countUnits: Readonly<Record<string, number>> = { '': 1, k: 1_000, K: 1_000, M: 1_000_000 }

function numberTest(field: NumberField, term: Term, value: TermValue): Tested {
  const match = /^([+-]?\d{1,15}(?:\.\d{1,15})?)(%|[a-zA-Z]*)$/.exec(value.text)
  if (match === null) return wrong(value, `${field.name} is a number, which ${value.text} is not`)
  const [, digits, unit] = match as unknown as readonly [string, string, string]
  if (unit === '%') return shareTest(field, term, value, Number(digits) / 100)
  const units = field.unit === 'time' ? timeUnits : countUnits
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined
  if (factor === undefined) {
    const known = Object.keys(units).filter((each) => each !== '')
    const suggestion = `${digits}${field.unit === 'time' ? 'ms' : ''}`
    return wrong(value, `${field.name} has no unit ${unit}; use ${known.join(', ')}`, suggestion)
  }
  const limit = Number(digits) * factor
  return ok((facts) => compares(field.read(facts), term.comparison, limit, 0.5))
}

function shareTest(field: NumberField, term: Term, value: TermValue, limit: number): Tested {
  const { ratio } = field
  if (!ratio) return wrong(value, `${field.name} is not a part of anything, so it has no %`)
  return ok((facts) => compares(ratio(facts), term.comparison, limit, 0.005))
}

/** A value that is not known fits no comparison. `near` is half the last digit that people write. */
function compares(value: number | null, comparison: Comparison, limit: number, near: number): boolean {
  if (value === null || !Number.isFinite(value)) return false
  switch (comparison) {
    case '>':
      return value > limit
    case '>=':
      return value >= limit
    case '<':
      return value < limit
    case '<=':
      return value <= limit
    default:
      return Math.abs(value - limit) < near
  }
}

/** What is written covers a second or a minute: `<=` takes it in, `>` begins behind it, `:` is within it. */
function instantTest({ name, read }: InstantField, { comparison }: Term, value: TermValue): Tested {
  const span = instantSpan(value.text)
  if (span === null)
    return wrong(
      value,
      `${name} is an instant in UTC, such as 2026-01-01T03:07:41Z, which ${value.text} is not`,
    )
  const { fromWallMs, toWallMs } = span
  const fits: Readonly<Record<Comparison, (wallMs: Millis) => boolean>> = {
    '>': (wallMs) => wallMs >= toWallMs,
    '>=': (wallMs) => wallMs >= fromWallMs,
    '<': (wallMs) => wallMs < fromWallMs,
    '<=': (wallMs) => wallMs < toWallMs,
    ':': (wallMs) => wallMs >= fromWallMs && wallMs < toWallMs,
    '=': (wallMs) => wallMs >= fromWallMs && wallMs < toWallMs,
  }
  const meets = fits[comparison]
  return ok((facts) => {
    const wallMs = read(facts)
    return wallMs !== null && meets(wallMs)
  })
}

const yes = ['yes', 'true', '1']
const no = ['no', 'false', '0']

function flagTest(field: FlagField, term: Term, value: TermValue): Tested {
  if (term.comparison !== ':' && term.comparison !== '=')
    return wrong(value, `${field.name} is yes or no`, `${field.name}:yes`)
  const text = value.text.toLowerCase()
  if (yes.includes(text)) return ok(field.read)
  if (no.includes(text)) return ok((facts) => !field.read(facts))
  return wrong(value, `${field.name} is yes or no, not ${value.text}`, nearest(text, ['yes', 'no']))
}
