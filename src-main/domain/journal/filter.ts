import { fail, ok, type Result } from '../../base/result'
import { type Clause, parseClauses } from './filter-parser'
import type { FilterError } from './filter-terms'
import type { RowFacts } from './row-facts'

/** A filter ready for use. */
export interface Filter {
  readonly text: string
  /** The parts that stand side by side; all must fit. Empty for a filter that takes everything. */
  readonly clauses: readonly Clause[]
  matches(facts: RowFacts): boolean
}

/** Longest filter, characters. */
const filterMaxCharacters = 1_000

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
  const clauses = parseClauses(text)
  if (!clauses.ok) return clauses
  return ok({
    text,
    clauses: clauses.value,
    matches: (facts) => clauses.value.every((clause) => clause.matches(facts)),
  })
}
