import { useMemo } from 'react'
import type { Result } from '../../../src-main/base/result'
import type { Millis } from '../../../src-main/base/units'
import { type Filter, parseFilter } from '../../../src-main/domain/journal/filter'
import type { FilterError } from '../../../src-main/domain/journal/filter-terms'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { rangeOf } from '../../state/range'
import { useCall } from '../../state/use-call'
import { usePage } from '../../state/use-page'
import { useFeed, useStore } from '../../state/use-store'

/** The rows of the list, newest first, and where they come from. */
export interface Rows {
  readonly rows: readonly DecisionRow[]
  /** The filter in force as it was read. */
  readonly filter: Result<Filter, FilterError>
  readonly filterText: string
  /** Set while a filter is in force: it ran over everything kept, not over the rows of this page. */
  readonly searched: {
    readonly matched: number
    readonly searched: number
    readonly fromWallMs: Millis | null
  } | null
  readonly loading: boolean
  readonly failure: Error | null
  retry(): void
}

/** How many rows a filter brings, and how often it is asked again, ms. */
const filteredMax = 500
const askEveryMs: Millis = 1_000

/**
 * Without a filter the rows are those of the feed, a sample that is told as such. With one the server searches the whole
 * population once a second, so that a rare match cannot be sampled away (ux.md 7.2).
 */
export function useRows(): Rows {
  const { places, paused } = usePage()
  const place = useStore(places.place)
  const pause = useStore(paused)
  const fed = useFeed('decisions', 100)
  const filterText = place.params.q ?? ''
  const filter = useMemo(() => parseFilter(filterText), [filterText])
  const filtered = filterText !== '' && filter.ok
  const answer = useCall(
    'decisions.last',
    { last: filteredMax, filter: filterText },
    { everyMs: pause ? 0 : askEveryMs, enabled: filtered },
  )
  const rows = useMemo(() => {
    const all = filtered ? (answer.data?.rows ?? []) : [...fed.items].reverse()
    const range = rangeOf(place)
    if (range.kind === 'live') return all
    return all.filter(({ wallMs }) => wallMs >= range.fromWallMs && wallMs <= range.toWallMs)
  }, [filtered, answer.data, fed, place])
  return {
    rows,
    filter,
    filterText,
    searched: filtered ? (answer.data ?? null) : null,
    loading: filtered && answer.isPending,
    failure: filtered ? answer.error : null,
    retry: () => void answer.refetch(),
  }
}
