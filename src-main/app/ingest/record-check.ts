import type { DecisionBody } from '../../domain/journal/record'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown, max: number) =>
  typeof value === 'string' && value.length > 0 && value.length <= max
const isTextOrNull = (value: unknown) => value === null || typeof value === 'string'

/**
 * True for a record that can be folded. It comes from our own router over a socket that only this user can open, so this
 * is a fence against another program's words, not a schema: a record that would make the fold stumble is left out.
 */
export function isDecisionBody(value: unknown): value is DecisionBody {
  if (!isObject(value) || !isText(value.id, 128)) return false
  if (!Number.isFinite(value.wallMs) || !Number.isFinite(value.monoMs)) return false
  if (value.kind === 'ended') return isOutcome(value.outcome) && isGaps(value.itlGaps)
  return (
    value.kind === 'decided' &&
    typeof value.requestId === 'string' &&
    typeof value.path === 'string' &&
    isTextOrNull(value.session) &&
    isTextOrNull(value.model) &&
    isTextOrNull(value.pick) &&
    isObject(value.policy) &&
    typeof value.policy.id === 'string' &&
    Array.isArray(value.reasons) &&
    Array.isArray(value.fallbacks) &&
    Number.isFinite(value.consultUs) &&
    (value.truncated === null || isObject(value.truncated)) &&
    (value.asked === 'proxy' || value.asked === 'http')
  )
}

const isGaps = (value: unknown) =>
  value === null ||
  (isObject(value) &&
    [value.zeros, value.sum, value.min, value.max].every(Number.isFinite) &&
    Array.isArray(value.pairs) &&
    value.pairs.length <= pairsMax &&
    value.pairs.every(Number.isSafeInteger))
/** More numbers than a sketch of gaps can have: a bucket a percent over nine decades, two numbers each. */
const pairsMax = 4_096

const ends: readonly unknown[] = ['done', 'broke', 'client_left', 'refused']

const isOutcome = (value: unknown) =>
  isObject(value) &&
  ends.includes(value.end) &&
  Number.isFinite(value.status) &&
  typeof value.reason === 'string' &&
  isTextOrNull(value.served)
