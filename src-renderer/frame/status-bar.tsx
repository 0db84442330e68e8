import { useState } from 'react'
import { duration, latency } from '../format/durations'
import { count, rate } from '../format/numbers'
import { clockMillis, zoneName } from '../format/times'
import { visible } from '../format/visible'
import { Hint } from '../kit/hint'
import { useNow } from '../state/use-now'
import { usePage } from '../state/use-page'
import { useHealth, useStore } from '../state/use-store'
import { words } from '../words/en'

const text = words.frame.status

/** What comes in, what of it is shown, what was lost, how late it is; and the server's clock. */
export function StatusBar() {
  const { feed, preferences } = usePage()
  const summary = useStore(feed.summary)
  const health = useHealth()
  const { zone } = useStore(preferences)
  const now = useNow(200)
  const oldest = summary?.tail.oldestWallMs ?? null
  const parts: readonly (readonly [string, string])[] = summary
    ? [
        ['in', text.in(rate(summary.tail.seenPerSecond, words.frame.unitEvents))],
        ['shown', text.shown(rate(summary.tail.shownPerSecond, words.frame.unitEvents))],
        ['lag', text.lag(latency(Math.max(0, now.wallMs - summary.takenWallMs), 's'))],
        ['buffer', oldest === null ? '' : text.buffer(duration(now.wallMs - oldest))],
      ]
    : [['none', text.noFigures]]
  return (
    <section
      aria-label={words.frame.statusBar}
      className="flex h-6 shrink-0 items-center gap-3 border-line border-t bg-panel px-3 text-12 text-muted"
    >
      {parts.map(([id, part]) => (
        <span key={id} className="whitespace-nowrap">
          {part}
        </span>
      ))}
      <Dropped count={(summary?.tail.dropped ?? 0) + (health?.droppedRecords ?? 0)} />
      <span className="ml-auto truncate text-faint">
        {health ? words.frame.version(visible(health.version)) : ''}
      </span>
      <span className="font-mono whitespace-nowrap">
        {zoneName(now.wallMs, zone)} {clockMillis(now.wallMs, zone).slice(0, 10)}
      </span>
    </section>
  )
}

/** A warning once something was dropped; it stays until it is acknowledged, and comes back with the next. */
function Dropped({ count: dropped }: { readonly count: number }) {
  const [seen, setSeen] = useState(0)
  if (dropped <= seen) return <span className="whitespace-nowrap">{text.dropped(count(dropped))}</span>
  return (
    <Hint text={text.droppedHelp}>
      <button
        type="button"
        onClick={() => setSeen(dropped)}
        className="inline-flex items-center gap-2 font-strong text-warn"
      >
        {text.dropped(count(dropped))} · {text.acknowledge}
      </button>
    </Hint>
  )
}
