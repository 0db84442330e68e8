import { fail, ok, type Result } from './result'

/** A pattern ready to be tried. */
export interface LinearRegex {
  /** True when the pattern is found anywhere in the text; case does not count. Time: text × pattern, never more. */
  test(text: string): boolean
}

/** What is wrong with a pattern, and at which of its characters. */
export interface RegexError {
  readonly at: number
  readonly message: string
}

/** Longest pattern, characters. */
export const patternMaxCharacters = 200
/** Most steps of a compiled pattern; repeats such as `{20}` are written out. */
const stepsMax = 1_000
/** Deepest nesting of groups. */
const groupsMax = 32

/**
 * Compiles a regular expression that cannot be made slow: all its matches are followed side by side (Thompson, "Regular
 * Expression Search Algorithm", 1968), so there is no backtracking. What that method cannot do is refused: back
 * references, look-around, word borders.
 */
export function compileLinearRegex(pattern: string): Result<LinearRegex, RegexError> {
  if (pattern.length > patternMaxCharacters)
    return fail({ at: patternMaxCharacters, message: `longer than ${patternMaxCharacters} characters` })
  const parser = createParser(pattern)
  const tree = parser.alternatives(0)
  if (!tree.ok) return tree
  if (!parser.atEnd()) return fail({ at: parser.at(), message: 'a bracket is closed that was never opened' })
  const program: Step[] = []
  if (!emit(tree.value, program)) return fail({ at: 0, message: `more than ${stepsMax} steps` })
  program.push({ op: 'found' })
  return ok({ test: (text) => run(program, text) })
}

type Tree =
  | { readonly op: 'one'; readonly takes: (code: number) => boolean }
  | { readonly op: 'start' | 'end' | 'empty' }
  | { readonly op: 'chain' | 'either'; readonly parts: readonly Tree[] }
  | { readonly op: 'repeat'; readonly part: Tree; readonly from: number; readonly to: number | null }

type Step =
  | { readonly op: 'one'; readonly takes: (code: number) => boolean }
  | { readonly op: 'start' | 'end' | 'found' }
  | { readonly op: 'fork'; a: number; b: number }
  | { readonly op: 'go'; to: number }

type Ranges = readonly (readonly [number, number])[]
type Parsed = Result<Tree, RegexError>

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

function createParser(pattern: string) {
  let at = 0
  const wrong = (message: string, where = at) => fail<RegexError>({ at: where, message })
  const take = (character: string) => {
    if (pattern[at] !== character) return false
    at++
    return true
  }

  function alternatives(depth: number): Parsed {
    if (depth > groupsMax) return wrong('nested too deeply')
    const parts: Tree[] = []
    do {
      const part = chain(depth)
      if (!part.ok) return part
      parts.push(part.value)
    } while (take('|'))
    return ok(parts.length === 1 ? (parts[0] as Tree) : { op: 'either', parts })
  }
  function chain(depth: number): Parsed {
    const parts: Tree[] = []
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') {
      const part = repeated(depth)
      if (!part.ok) return part
      parts.push(part.value)
    }
    return ok(parts.length === 0 ? { op: 'empty' } : { op: 'chain', parts })
  }
  function repeated(depth: number): Parsed {
    const start = at
    const part = single(depth)
    if (!part.ok) return part
    const times = repeats()
    if (times === null) return part
    if (part.value.op === 'start' || part.value.op === 'end') return wrong('nothing to repeat', start)
    take('?') // a lazy repeat finds the same texts
    if (repeats() !== null) return wrong('a repeat of a repeat')
    const [from, to] = times
    if (to !== null && to < from) return wrong('a repeat that ends before it begins', start)
    return ok({ op: 'repeat', part: part.value, from, to })
  }
  function repeats(): readonly [number, number | null] | null {
    if (take('*')) return [0, null]
    if (take('+')) return [1, null]
    if (take('?')) return [0, 1]
    const braces = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(pattern.slice(at))
    if (braces === null) return null
    at += braces[0].length
    const from = Number(braces[1])
    return [from, braces[2] === undefined ? from : braces[3] === '' ? null : Number(braces[3])]
  }
  function single(depth: number): Parsed {
    const character = pattern[at++] as string
    if (character === '^') return ok({ op: 'start' })
    if (character === '$') return ok({ op: 'end' })
    if (character === '.') return ok({ op: 'one', takes: (code) => code !== 10 && code !== 13 })
    if (character === '(') return group(depth)
    if (character === '[') return set()
    if ('*+?'.includes(character)) return wrong('nothing to repeat', at - 1)
    if (character === '\\') return escaped()
    return ok(literal(character))
  }
  function group(depth: number): Parsed {
    const start = at - 1
    if (pattern[at] === '?' && !pattern.startsWith('?:', at))
      return wrong('only plain groups are understood: ( ) and (?: )', start)
    if (pattern.startsWith('?:', at)) at += 2
    const inner = alternatives(depth + 1)
    if (!inner.ok) return inner
    return take(')') ? inner : wrong('a bracket that is not closed', start)
  }
  function escaped(): Parsed {
    const character = pattern[at++]
    if (character === undefined) return wrong('a \\ at the end', at - 2)
    const known = classes[character]
    if (known) return ok({ op: 'one', takes: takes(known[0], known[1]) })
    const control = controls[character]
    if (control !== undefined) return ok(literal(control))
    return /[a-zA-Z0-9]/.test(character)
      ? wrong(`\\${character} is not understood here`, at - 2)
      : ok(literal(character))
  }
  function set(): Parsed {
    const start = at - 1
    const negated = take('^')
    const ranges: (readonly [number, number])[] = []
    while (!take(']')) {
      const low = setMember()
      if (low === null) return wrong('a set that is not closed, or holds something not understood', start)
      if (typeof low !== 'number') ranges.push(...low)
      else if (pattern[at] === '-' && pattern[at + 1] !== ']') {
        at++
        const high = setMember()
        if (typeof high !== 'number' || high < low) return wrong('a range that makes no sense', start)
        ranges.push([low, high])
      } else ranges.push([low, low])
    }
    return ok({ op: 'one', takes: takes(ranges, negated) })
  }
  function setMember(): number | Ranges | null {
    const character = pattern[at++]
    if (character === undefined) return null
    if (character !== '\\') return character.charCodeAt(0)
    const next = pattern[at++]
    if (next === undefined) return null
    const known = classes[next]
    if (known) return known[1] ? null : known[0]
    const control = controls[next]
    if (control !== undefined) return control.charCodeAt(0)
    return /[a-zA-Z0-9]/.test(next) ? null : next.charCodeAt(0)
  }
  return { alternatives, atEnd: () => at === pattern.length, at: () => at }
}

const literal = (character: string): Tree => {
  const code = character.charCodeAt(0)
  return { op: 'one', takes: takes([[code, code]], false) }
}

/** Writes the steps of a tree; false when there are too many. */
function emit(tree: Tree, program: Step[]): boolean {
  if (program.length > stepsMax) return false
  switch (tree.op) {
    case 'empty':
      return true
    case 'one':
      program.push({ op: 'one', takes: tree.takes })
      return true
    case 'start':
    case 'end':
      program.push({ op: tree.op })
      return true
    case 'chain':
      return tree.parts.every((part) => emit(part, program))
    case 'either':
      return emitEither(tree.parts, program)
    case 'repeat':
      return emitRepeat(tree, program)
  }
}

function emitEither(parts: readonly Tree[], program: Step[]): boolean {
  const exits: { op: 'go'; to: number }[] = []
  for (const [at, part] of parts.entries()) {
    const last = at === parts.length - 1
    const fork = { op: 'fork' as const, a: program.length + 1, b: 0 }
    if (!last) program.push(fork)
    if (!emit(part, program)) return false
    if (last) break
    const exit = { op: 'go' as const, to: 0 }
    exits.push(exit)
    program.push(exit)
    fork.b = program.length
  }
  for (const exit of exits) exit.to = program.length
  return true
}

function emitRepeat(tree: Extract<Tree, { op: 'repeat' }>, program: Step[]): boolean {
  for (let time = 0; time < tree.from; time++) if (!emit(tree.part, program)) return false
  if (tree.to === null) {
    const fork = { op: 'fork' as const, a: program.length + 1, b: 0 }
    const start = program.length
    program.push(fork)
    if (!emit(tree.part, program)) return false
    program.push({ op: 'go', to: start })
    fork.b = program.length
    return true
  }
  const forks: { op: 'fork'; a: number; b: number }[] = []
  for (let time = tree.from; time < tree.to; time++) {
    const fork = { op: 'fork' as const, a: program.length + 1, b: 0 }
    forks.push(fork)
    program.push(fork)
    if (!emit(tree.part, program)) return false
  }
  for (const fork of forks) fork.b = program.length
  return true
}

/** Follows all matches side by side; a step is entered at most once a character. */
function run(program: readonly Step[], text: string): boolean {
  const entered = new Int32Array(program.length).fill(-1)
  let now: number[] = []
  const enter = (into: number[], first: number, at: number): boolean => {
    const waiting = [first]
    for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
      if (entered[step] === at) continue
      entered[step] = at
      const what = program[step] as Step
      if (what.op === 'found') return true
      if (what.op === 'one') into.push(step)
      else if (what.op === 'go') waiting.push(what.to)
      else if (what.op === 'fork') waiting.push(what.b, what.a)
      else if (what.op === 'start' ? at === 0 : at === text.length) waiting.push(step + 1)
    }
    return false
  }
  if (enter(now, 0, 0)) return true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const next: number[] = []
    for (const step of now) {
      const what = program[step]
      if (what?.op === 'one' && what.takes(code) && enter(next, step + 1, at + 1)) return true
    }
    if (enter(next, 0, at + 1)) return true // a match may begin here
    now = next
  }
  return false
}
