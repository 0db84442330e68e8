import { CalendarRange, CirclePlay, Clock, Pause, type Play, Unplug } from 'lucide-react'
import { shortAge, stopwatch } from '../format/durations'
import { moment } from '../format/times'
import { Hint } from '../kit/hint'
import { Segments } from '../kit/segments'
import type { Link } from '../state/connection'
import { goLive, togglePause } from '../state/page'
import { paramsOfRange, useRange } from '../state/range'
import { useNow } from '../state/use-now'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { viewOf } from '../views'
import { words } from '../words/en'

/** Presets that the view can show, the fixed range where there is one, and the chip that says whether this is live. */
export function TimeControl() {
  const { places, preferences } = usePage()
  const { spansMs } = viewOf(useStore(places.place).view)
  const range = useRange(spansMs.length > 0 ? spansMs : undefined)
  const { zone } = useStore(preferences)
  const now = useNow()
  return (
    <div className="flex items-center gap-2">
      {range.kind === 'fixed' ? (
        <span className="font-mono text-12 text-muted">
          {words.frame.fixedRange(
            moment(range.fromWallMs, now.wallMs, zone),
            moment(range.toWallMs, now.wallMs, zone),
          )}
        </span>
      ) : null}
      {spansMs.length > 0 ? (
        <Segments
          label={words.frame.range}
          value={range.kind === 'live' ? String(range.spanMs) : null}
          options={spansMs.map((ms) => ({ value: String(ms), title: words.frame.span(ms / 60_000) }))}
          onChange={(value) => places.go({ params: paramsOfRange({ kind: 'live', spanMs: Number(value) }) })}
        />
      ) : null}
      <LiveChip fixed={range.kind === 'fixed'} />
    </div>
  )
}

/** Three words and three pictures, and two more for when it is none of them: live is said only of what is. */
function LiveChip({ fixed }: { readonly fixed: boolean }) {
  const page = usePage()
  const pause = useStore(page.paused)
  const link = useStore(page.link)
  const now = useNow()
  const problem = linkProblem(link, now.wallMs)
  const look =
    'inline-flex min-h-6 items-center gap-1.5 rounded-control border px-2 text-12 font-strong whitespace-nowrap'
  if (pause)
    return (
      <Hint text={words.frame.resume}>
        <button
          type="button"
          className={`${look} border-warn bg-soft-warn text-warn`}
          onClick={() => togglePause(page)}
        >
          <Pause aria-hidden="true" className="size-3.5" />
          {words.frame.paused(stopwatch(now.wallMs - pause.sinceWallMs))}
        </button>
      </Hint>
    )
  if (fixed)
    return (
      <Hint text={words.frame.goLive}>
        <button type="button" className={`${look} border-accent text-accent`} onClick={() => goLive(page)}>
          <CalendarRange aria-hidden="true" className="size-3.5" />
          {words.frame.fixed}
        </button>
      </Hint>
    )
  if (problem)
    return (
      <span role="status" className={`${look} border-stale text-stale`}>
        <problem.icon aria-hidden="true" className="size-3.5" />
        {problem.word}
      </span>
    )
  return (
    <Hint text={words.frame.pause}>
      <button type="button" className={`${look} border-ok text-ok`} onClick={() => togglePause(page)}>
        <CirclePlay aria-hidden="true" className="size-3.5" />
        {words.frame.live}
      </button>
    </Hint>
  )
}

function linkProblem(
  link: Link,
  nowWallMs: number,
): { readonly word: string; readonly icon: typeof Play } | null {
  switch (link.phase) {
    case 'open':
      return null
    case 'connecting':
      return { word: words.frame.connecting, icon: Clock }
    case 'silent':
      return { word: words.frame.stale(shortAge(nowWallMs - link.sinceWallMs)), icon: Clock }
    case 'waiting':
    case 'ended':
      return { word: words.frame.down, icon: Unplug }
  }
}
