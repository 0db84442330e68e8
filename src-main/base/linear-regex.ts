import { parseRegex, type RegexError, type RegexTree } from './regex-tree'
import { fail, ok, type Result } from './result'

/** A pattern ready to be tried. */
export interface LinearRegex {
  /** True when the pattern is found anywhere in the text; case does not count. Time: text × pattern, never more. */
  test(text: string): boolean
}

/** Longest pattern, characters. */
const patternMaxCharacters = 200
/** Most steps of a compiled pattern; repeats such as `{20}` are written out. */
const stepsMax = 1_000
/**
 * Compiles a regular expression that cannot be made slow: all its matches are followed side by side (Thompson, "Regular
 * Expression Search Algorithm", 1968), so there is no backtracking. What that method cannot do is refused: back
 * references, look-around, word borders.
 */
export function compileLinearRegex(pattern: string): Result<LinearRegex, RegexError> {
  if (pattern.length > patternMaxCharacters)
    return fail({ at: patternMaxCharacters, message: `longer than ${patternMaxCharacters} characters` })
  const tree = parseRegex(pattern)
  if (!tree.ok) return tree
  const program: Step[] = []
  if (!emit(tree.value, program)) return fail({ at: 0, message: `more than ${stepsMax} steps` })
  program.push({ op: 'found' })
  return ok({ test: (text) => run(program, text) })
}

type Step =
  | { readonly op: 'one'; readonly takes: (code: number) => boolean }
  | { readonly op: 'start' | 'end' | 'found' }
  | { readonly op: 'fork'; a: number; b: number }
  | { readonly op: 'go'; to: number }

/** Writes the steps of a tree; false when there are too many. */
function emit(tree: RegexTree, program: Step[]): boolean {
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

function emitEither(parts: readonly RegexTree[], program: Step[]): boolean {
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

function emitRepeat(tree: Extract<RegexTree, { op: 'repeat' }>, program: Step[]): boolean {
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
