import type { Millis } from '../../src-main/base/units'
import type { DecisionRow } from '../../src-main/domain/journal/record'
import { standingOf } from '../../src-main/domain/journal/row-facts'
import { isFailure, outcomeClasses } from '../../src-main/domain/routing/outcome'

/** The condition that failures fit: the cluster failed a user. */
export const failuresFilter = `outcome:${outcomeClasses.filter(isFailure).join(',')}`

/**
 * The condition that requests fit which ended then, to the second; one bound alone for an instant that no calendar of four
 * digits has, or for null.
 */
export function endedClause(fromWallMs: Millis | null, toWallMs: Millis | null = null): string {
  const bound = (comparison: '>=' | '<=', wallMs: Millis | null) => {
    const second = wallMs === null ? null : secondOf(wallMs)
    return second === null ? [] : [`ended${comparison}${second}`]
  }
  return [...bound('>=', fromWallMs), ...bound('<=', toWallMs)].join(' ')
}

function secondOf(wallMs: Millis): string | null {
  const at = new Date(wallMs)
  const text = Number.isNaN(at.getTime()) ? '' : at.toISOString()
  return /^\d{4}-/.test(text) ? `${text.slice(0, 19)}Z` : null
}

/** A condition of the filter language, quoted where its value needs it. */
export function clauseOf(field: string, value: string): string {
  const plain = /^[\w.:/-]+$/.test(value)
  return `${field}:${plain ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`}`
}

/** The filter with one more condition; one that is there already, or its opposite, is not doubled. */
export function withClause(filter: string, clause: string): string {
  const opposite = clause.startsWith('-') ? clause.slice(1) : `-${clause}`
  const kept = filter
    .split(/(?<!\\)\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .filter((part) => part !== '' && part !== clause && part !== opposite)
  return [...kept, clause].join(' ')
}

/** The condition that a row's outcome fits. */
export const outcomeClause = (row: DecisionRow): string => clauseOf('outcome', standingOf(row))
