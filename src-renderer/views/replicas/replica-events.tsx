import { useMemo } from 'react'
import { eventOf, inOneLine } from '../../field/events'
import { clock } from '../../format/times'
import { visible } from '../../format/visible'
import { ToneIcon } from '../../kit/mark'
import { Empty } from '../../kit/states'
import { usePage } from '../../state/use-page'
import { useFeed, useStore } from '../../state/use-store'
import { words } from '../../words/en'

/** What happened to one replica, the newest first, as far as this page holds it. */
export function ReplicaEvents({ replicaId }: { readonly replicaId: string }) {
  const { places, preferences } = usePage()
  const { zone } = useStore(preferences)
  const { items } = useFeed('cluster', 1_000)
  const shown = visible(replicaId)
  const events = useMemo(
    () =>
      items
        .map(eventOf)
        .filter(
          ({ target, change, what }) =>
            target === shown || new RegExp(`\\b${escapeRegExp(shown)}\\b`).test(`${change} ${what}`),
        )
        .reverse(),
    [items, shown],
  )
  if (events.length === 0) return <Empty title={words.replicas.noEvents} />
  return (
    <ul>
      {events.map((event) => (
        <li key={event.id}>
          <button
            type="button"
            onClick={() => places.go({ view: 'timeline', params: { sel: `event:${event.id}` } })}
            className="flex min-h-7 w-full items-center gap-2 px-3 text-left hover:bg-hover focus-visible:outline-offset-[-2px]"
          >
            <span className="font-mono text-muted">{clock(event.atWallMs, zone)}</span>
            <ToneIcon tone={event.tone} />
            <span className="min-w-0 truncate">{inOneLine(event)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
