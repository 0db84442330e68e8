import { fail, ok, type Result } from './result'

/** What is wrong with a pattern, and at which of its characters. */
export interface RegexError {
  readonly at: number
  readonly message: string
}

/** A pattern, parsed. `one` takes a single UTF-16 unit, without regard to the case of ASCII letters. */
export type RegexTree =
  | { readonly op: 'one'; readonly takes: (code: number) => boolean }
  | { readonly op: 'start' | 'end' | 'empty' }
  | { readonly op: 'chain' | 'either'; readonly parts: readonly RegexTree[] }
  | { readonly op: 'repeat'; readonly part: RegexTree; readonly from: number; readonly to: number | null }

/** Deepest nesting of groups. */
const groupsMax = 32

/** Parses a pattern; what cannot be matched in linear time, or is not understood, is refused in words. */
export function parseRegex(pattern: string): Parsed {
  const cursor = { pattern, at: 0 }
  const tree = alternatives(cursor, 0)
  if (!tree.ok) return tree
  return cursor.at === pattern.length ? tree : wrong('a bracket is closed that was never opened', cursor.at)
}

interface Cursor {
  readonly pattern: string
  at: number
}
type Parsed = Result<RegexTree, RegexError>
type Ranges = readonly (readonly [number, number])[]

const wrong = (message: string, at: number) => fail<RegexError>({ at, message })

function take(cursor: Cursor, character: string): boolean {
  if (cursor.pattern[cursor.at] !== character) return false
  cursor.at++
  return true
}

function alternatives(cursor: Cursor, depth: number): Parsed {
  if (depth > groupsMax) return wrong('nested too deeply', cursor.at)
  const parts: RegexTree[] = []
  do {
    const part = chain(cursor, depth)
    if (!part.ok) return part
    parts.push(part.value)
  } while (take(cursor, '|'))
  return ok(parts.length === 1 ? (parts[0] as RegexTree) : { op: 'either', parts })
}

function chain(cursor: Cursor, depth: number): Parsed {
  const { pattern } = cursor
  const parts: RegexTree[] = []
  while (cursor.at < pattern.length && pattern[cursor.at] !== '|' && pattern[cursor.at] !== ')') {
    const part = repeated(cursor, depth)
    if (!part.ok) return part
    parts.push(part.value)
  }
  return ok(parts.length === 0 ? { op: 'empty' } : { op: 'chain', parts })
}

function repeated(cursor: Cursor, depth: number): Parsed {
  const start = cursor.at
  const part = single(cursor, depth)
  if (!part.ok) return part
  const times = repeats(cursor)
  if (times === null) return part
  if (part.value.op === 'start' || part.value.op === 'end') return wrong('nothing to repeat', start)
  take(cursor, '?') // a lazy repeat finds the same texts
  if (repeats(cursor) !== null) return wrong('a repeat of a repeat', cursor.at)
  const [from, to] = times
  if (to !== null && to < from) return wrong('a repeat that ends before it begins', start)
  return ok({ op: 'repeat', part: part.value, from, to })
}

/** How often, or null when nothing here repeats. */
function repeats(cursor: Cursor): readonly [number, number | null] | null {
  if (take(cursor, '*')) return [0, null]
  if (take(cursor, '+')) return [1, null]
  if (take(cursor, '?')) return [0, 1]
  const braces = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(cursor.pattern.slice(cursor.at))
  if (braces === null) return null
  cursor.at += braces[0].length
  const from = Number(braces[1])
  return [from, braces[2] === undefined ? from : braces[3] === '' ? null : Number(braces[3])]
}

function single(cursor: Cursor, depth: number): Parsed {
  const character = cursor.pattern[cursor.at++] as string
  if (character === '^') return ok({ op: 'start' })
  if (character === '$') return ok({ op: 'end' })
  if (character === '.') return ok({ op: 'one', takes: (code) => code !== 10 && code !== 13 })
  if (character === '(') return group(cursor, depth)
  if (character === '[') return set(cursor)
  if ('*+?'.includes(character)) return wrong('nothing to repeat', cursor.at - 1)
  return character === '\\' ? escaped(cursor) : ok(literal(character))
}

function group(cursor: Cursor, depth: number): Parsed {
  const start = cursor.at - 1
  const plain = cursor.pattern.startsWith('?:', cursor.at)
  if (plain) cursor.at += 2
  else if (cursor.pattern[cursor.at] === '?')
    return wrong('only plain groups are understood: ( ) and (?: )', start)
  const inner = alternatives(cursor, depth + 1)
  if (!inner.ok) return inner
  return take(cursor, ')') ? inner : wrong('a bracket that is not closed', start)
}

function escaped(cursor: Cursor): Parsed {
  const start = cursor.at - 1
  const character = cursor.pattern[cursor.at++]
  if (character === undefined) return wrong('a \\ at the end', start)
  const known = classes[character]
  if (known) return ok({ op: 'one', takes: takes(known[0], known[1]) })
  const control = controls[character]
  if (control !== undefined) return ok(literal(control))
  return /[a-zA-Z0-9]/.test(character)
    ? wrong(`\\${character} is not understood here`, start)
    : ok(literal(character))
}

function set(cursor: Cursor): Parsed {
  const start = cursor.at - 1
  const negated = take(cursor, '^')
  const ranges: (readonly [number, number])[] = []
  while (!take(cursor, ']')) {
    const low = setMember(cursor)
    if (low === null) return wrong('a set that is not closed, or holds something not understood', start)
    if (typeof low !== 'number') ranges.push(...low)
    else if (cursor.pattern[cursor.at] === '-' && cursor.pattern[cursor.at + 1] !== ']') {
      cursor.at++
      const high = setMember(cursor)
      if (typeof high !== 'number' || high < low) return wrong('a range that makes no sense', start)
      ranges.push([low, high])
    } else ranges.push([low, low])
  }
  return ok({ op: 'one', takes: takes(ranges, negated) })
}

function setMember(cursor: Cursor): number | Ranges | null {
  const character = cursor.pattern[cursor.at++]
  if (character === undefined) return null
  if (character !== '\\') return character.charCodeAt(0)
  const next = cursor.pattern[cursor.at++]
  if (next === undefined) return null
  const known = classes[next]
  if (known) return known[1] ? null : known[0]
  const control = controls[next]
  if (control !== undefined) return control.charCodeAt(0)
  return /[a-zA-Z0-9]/.test(next) ? null : next.charCodeAt(0)
}

const literal = (character: string): RegexTree => {
  const code = character.charCodeAt(0)
  return { op: 'one', takes: takes([[code, code]], false) }
}

const digits: Ranges = [[48, 57]]
const wordCharacters: Ranges = [...digits, [65, 90], [95, 95], [97, 122]]
const blanks: Ranges = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0xfeff, 0xfeff],
]
const classes: Readonly<Record<string, readonly [Ranges, boolean]>> = {
  d: [digits, false],
  D: [digits, true],
  w: [wordCharacters, false],
  W: [wordCharacters, true],
  s: [blanks, false],
  S: [blanks, true],
}
const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

const within = (ranges: Ranges, code: number) => ranges.some(([low, high]) => code >= low && code <= high)
const otherCase = (code: number): number => {
  if (code >= 65 && code <= 90) return code + 32
  return code >= 97 && code <= 122 ? code - 32 : code
}
const takes = (ranges: Ranges, negated: boolean) => (code: number) =>
  (within(ranges, code) || within(ranges, otherCase(code))) !== negated
