import { useMemo } from 'react'
import type { Millis } from '../../../src-main/base/units'
import { type ClusterEvent, eventOf } from '../../field/events'
import type { Gap } from '../../state/feed-stores'
import { useCall } from '../../state/use-call'
import { useFeed } from '../../state/use-store'
import { words } from '../../words/en'

/** The events of a span, oldest first, and how reading the older ones went. */
export interface Events {
  readonly inSpan: readonly ClusterEvent[]
  /** Everything known, for the nearest one before an empty span. */
  readonly all: readonly ClusterEvent[]
  readonly loading: boolean
  readonly failure: Error | null
  retry(): void
}

/** Spans are asked for in whole minutes, so that a live one does not ask a new question each second. */
const minuteMs: Millis = 60_000

/**
 * What the feed told, what the server still has of older times, and the gaps of this page itself. The server's page of
 * the story wins where both have a record; they are the same.
 */
export function useEvents(fromWallMs: Millis, toWallMs: Millis): Events {
  const { items } = useFeed('cluster', 250)
  const gaps = useFeed('gaps', 250)
  const asked = {
    fromWallMs: Math.floor(fromWallMs / minuteMs) * minuteMs,
    toWallMs: Math.ceil(toWallMs / minuteMs) * minuteMs,
  }
  const answer = useCall('timeline.read', asked)
  const all = useMemo(() => {
    const byId = new Map(
      [...items, ...(answer.data ?? [])].map((record) => [recordId(record.stamp), eventOf(record)]),
    )
    for (const event of pageGaps(gaps)) byId.set(event.id, event)
    return [...byId.values()].sort((a, b) => a.atWallMs - b.atWallMs)
  }, [items, answer.data, gaps])
  const inSpan = useMemo(
    () =>
      all.filter((event) => event.atWallMs <= toWallMs && (event.toWallMs ?? event.atWallMs) >= fromWallMs),
    [all, fromWallMs, toWallMs],
  )
  return {
    inSpan,
    all,
    loading: answer.isPending && items.length === 0,
    failure: answer.error,
    retry: () => void answer.refetch(),
  }
}

const recordId = ({ boot, seq }: { readonly boot: string; readonly seq: number }) => `${boot}/${seq}`

/** Gaps that this page saw, one for all streams that broke off together. */
export function pageGaps(gaps: readonly Gap[]): readonly ClusterEvent[] {
  const byTime = new Map(gaps.map((gap) => [`${gap.fromWallMs}-${gap.toWallMs}-${gap.why}`, gap]))
  return [...byTime].map(([id, gap]) => ({
    id: `page/${id}`,
    atWallMs: gap.fromWallMs,
    toWallMs: gap.toWallMs,
    lane: 'gaps',
    letter: 'G',
    tone: 'stale',
    minor: false,
    actor: words.timeline.pageGap,
    what: words.events.gap,
    target: '',
    change: '',
    reason: words.banners.gapWhy[gap.why],
  }))
}
