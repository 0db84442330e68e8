import { fail, ok, type Result } from '../../base/result'
import type { AnyPolicy, ParamSpec, ParamValue } from './policy'

/** A parameter that does not fit, in words for the operator. */
export interface ParamError {
  readonly param: string
  readonly message: string
}

/**
 * The whole set of a policy's parameters: what was given, checked, and the initial values for the rest. An unknown name
 * is an error that names the nearest right one (Ray ignores it silently; we do not).
 */
export function paramsOf(
  policy: AnyPolicy,
  given: Readonly<Record<string, ParamValue>>,
): Result<Record<string, ParamValue>, ParamError> {
  const specs = policy.params as Readonly<Record<string, ParamSpec>>
  const values: Record<string, ParamValue> = {}
  for (const [name, spec] of Object.entries(specs)) values[name] = spec.initial
  for (const [name, value] of Object.entries(given)) {
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
    if (!spec)
      return fail({
        param: name,
        message: unknownName(policy.id, name, Object.keys(specs)),
      })
    const wrong = wrongValue(spec, value)
    if (wrong)
      return fail({
        param: name,
        message: `${name} of ${policy.id} ${wrong}, not ${JSON.stringify(value)}`,
      })
    values[name] = value
  }
  return ok(values)
}

function wrongValue(spec: ParamSpec, value: ParamValue): string | null {
  if (typeof value !== typeof spec.initial) return `must be a ${typeof spec.initial}`
  if (typeof value !== 'number') return null
  if (!Number.isFinite(value)) return 'must be a finite number'
  if (!spec.fraction && !Number.isInteger(value)) return 'must be a whole number'
  if (spec.min !== undefined && value < spec.min) return `must be at least ${spec.min}`
  if (spec.max !== undefined && value > spec.max) return `must be at most ${spec.max}`
  return null
}

function unknownName(policy: string, name: string, known: readonly string[]): string {
  if (known.length === 0) return `${policy} has no parameters, so ${name} does nothing; leave it out`
  return `${policy} has no parameter ${name}; did you mean ${nearest(name, known)}? It has: ${known.join(', ')}`
}

/** The known word that takes the fewest edits to reach. `known` is not empty. */
export function nearest(word: string, known: readonly string[]): string {
  const distances = known.map((each) => ({
    each,
    edits: editDistance(word.toLowerCase(), each.toLowerCase()),
  }))
  return distances.reduce((best, next) => (next.edits < best.edits ? next : best)).each
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
