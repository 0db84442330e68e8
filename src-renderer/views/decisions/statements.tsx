import { useEffect, useState } from 'react'
import { isFailure, outcomeClasses } from '../../../src-main/domain/routing/outcome'
import { clauseOf, withClause } from '../../field/clause'
import { reasonText } from '../../field/reasons'
import { count, percent, threeDigits } from '../../format/numbers'
import { clock, moment } from '../../format/times'
import { usePage } from '../../state/use-page'
import { useFeed, useStore } from '../../state/use-store'
import { words } from '../../words/en'
import type { Rows } from './use-rows'

const text = words.decisions

/** How much of what happened the rows show: nothing is sampled silently (ux.md P7). */
export function SamplingStatement({ searched }: { readonly searched: Rows['searched'] }) {
  const { preferences, time } = usePage()
  const summary = useFeed('summary', 1_000)
  const { zone } = useStore(preferences)
  if (searched)
    return (
      <span className="whitespace-nowrap text-muted">
        {text.searched(
          count(searched.matched),
          count(searched.searched),
          searched.fromWallMs === null ? '—' : moment(searched.fromWallMs, time.wallMs(), zone),
        )}
      </span>
    )
  if (!summary) return null
  const { seenPerSecond, shownPerSecond } = summary.tail
  const all = shownPerSecond >= seenPerSecond
  return (
    <span
      className={`whitespace-nowrap ${all ? 'text-muted' : 'text-warn'}`}
      title={all ? text.samplingHelp : text.overload}
    >
      {all
        ? text.samplingAll(threeDigits(seenPerSecond))
        : text.sampling(
            threeDigits(shownPerSecond),
            threeDigits(seenPerSecond),
            percent(shownPerSecond / seenPerSecond),
          )}
    </span>
  )
}

/** The reasons of the last minute's failures, and beside them the clients' own errors, with counts; pressing one filters to it. */
export function ReasonsLine() {
  const { places } = usePage()
  const summary = useFeed('summary', 1_000)
  const reasons = summary?.reasons ?? []
  const clientErrors = summary?.clientErrors.part ?? 0
  const filterTo = (clause: string) => () =>
    places.go({ params: { q: withClause(places.place.get().params.q ?? '', clause), by: null } })
  return (
    <p className="flex min-h-6 flex-wrap items-center gap-x-3 text-12 text-faint">
      <span>{text.reasons}:</span>
      {reasons.length === 0 ? <span>{text.noReasons}</span> : null}
      {reasons.map(({ reason, count: times }) => (
        <button
          key={reason}
          type="button"
          onClick={filterTo(clauseOf('reason', reason))}
          className="min-h-6 font-mono text-crit hover:underline"
        >
          {reasonText(reason)} {count(times)}
        </button>
      ))}
      {clientErrors === 0 ? null : (
        <button
          type="button"
          onClick={filterTo(clauseOf('outcome', 'client-error'))}
          className="min-h-6 font-mono text-warn hover:underline"
        >
          {text.clientErrors(count(clientErrors))}
        </button>
      )}
    </p>
  )
}

/** While the list is held: how many rows came since, and how to go on. */
export function PauseNotice() {
  const { paused, feed, preferences } = usePage()
  const pause = useStore(paused)
  const { received } = useStore(feed.decisions)
  const summary = useStore(feed.summary)
  const { zone } = useStore(preferences)
  if (!pause) return null
  const oldest = summary?.tail.oldestWallMs ?? null
  return (
    <p
      role="status"
      className="flex min-h-7 items-center gap-3 border-line border-t bg-soft-warn px-3 text-12 text-warn"
    >
      <strong className="font-strong">{text.newRows(count(received - pause.held.decisions.received))}</strong>
      {oldest === null ? null : <span>{text.oldestKept(clock(oldest, zone))}</span>}
      <span>{text.resumeHint}</span>
    </p>
  )
}

/** Where rows may be missing: the last gap of the stream. */
export function GapNotice() {
  const { preferences } = usePage()
  const gap = useFeed('gaps')
    .filter(({ stream }) => stream === 'decisions')
    .at(-1)
  const { zone } = useStore(preferences)
  if (!gap) return null
  return (
    <p className="hatch px-3 py-1 text-12 text-stale">
      {text.gapNotice(clock(gap.fromWallMs, zone), clock(gap.toWallMs, zone), words.banners.gapWhy[gap.why])}
    </p>
  )
}

const announceEveryMs = 5_000

/** For those who listen: what the last five seconds brought, in one sentence (ux.md 19, 4.1.3). */
export function Announcer() {
  const { feed, clock: timers } = usePage()
  const [sentence, setSentence] = useState('')
  useEffect(() => {
    let before = feed.decisions.get().received
    const timer = timers.every(announceEveryMs, () => {
      const { received } = feed.decisions.get()
      const recent = feed.seconds.get().items.slice(-announceEveryMs / 1_000)
      const failures = recent.reduce(
        (sum, { outcomes }) =>
          sum + outcomeClasses.filter(isFailure).reduce((all, name) => all + outcomes[name], 0),
        0,
      )
      setSentence(received > before ? text.announce(count(received - before), count(failures)) : '')
      before = received
    })
    return () => timer.stop()
  }, [feed, timers])
  return (
    <span aria-live="polite" className="sr-only">
      {sentence}
    </span>
  )
}
