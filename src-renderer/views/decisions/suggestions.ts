import { filterField, filterFields } from '../../../src-main/domain/journal/filter-fields'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { factsOf } from '../../../src-main/domain/journal/row-facts'
import { clauseOf } from '../../field/clause'
import { words } from '../../words/en'

/** What may be typed next. */
export interface Suggestion {
  /** The whole filter with the suggestion in it. */
  readonly text: string
  readonly shown: string
  readonly hint: string
}

const offeredMax = 8

/** Fields that begin as typed, or values of the field with how many rows of this page have them. */
export function suggestionsFor(text: string, rows: readonly DecisionRow[]): readonly Suggestion[] {
  const at = text.lastIndexOf(' ') + 1
  const before = text.slice(0, at)
  const word = text.slice(at)
  const denied = word.startsWith('-') ? '-' : ''
  const typed = word.slice(denied.length)
  const colon = typed.indexOf(':')
  if (colon < 0) {
    if (typed === '') return []
    return filterFields
      .filter(({ name }) => name.startsWith(typed.toLowerCase()))
      .slice(0, offeredMax)
      .map(({ name, help }) => ({
        text: `${before}${denied}${name}:`,
        shown: `${denied}${name}:`,
        hint: help,
      }))
  }
  const name = typed.slice(0, colon)
  const begun = typed.slice(colon + 1).toLowerCase()
  return valueCounts(name, rows)
    .filter(([value]) => value.toLowerCase().startsWith(begun) && value.toLowerCase() !== begun)
    .slice(0, offeredMax)
    .map(([value, count]) => ({
      text: `${before}${denied}${clauseOf(name, value)}`,
      shown: value,
      hint: words.decisions.valueCount(String(count)),
    }))
}

/** Values of a field by how many rows have them; values that could stand but do not come with 0. */
function valueCounts(name: string, rows: readonly DecisionRow[]): readonly (readonly [string, number])[] {
  const field = filterField(name)
  if (field?.kind !== 'word') return []
  const counts = new Map<string, number>((field.values ?? []).map((value) => [value, 0]))
  for (const row of rows)
    for (const value of field.read(factsOf(row)))
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}
