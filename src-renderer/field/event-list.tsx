import { clock } from '../format/times'
import { ToneIcon } from '../kit/mark'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { type ClusterEvent, inOneLine } from './events'

/** Events one a line, each a way to its place in the timeline. @param actors also says who did it */
export function EventList({
  events,
  actors = false,
}: {
  readonly events: readonly ClusterEvent[]
  readonly actors?: boolean
}) {
  const { places, preferences } = usePage()
  const { zone } = useStore(preferences)
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
            <span className="min-w-0 flex-1 truncate">{inOneLine(event)}</span>
            {actors ? <span className="shrink-0 text-12 text-faint">{event.actor}</span> : null}
          </button>
        </li>
      ))}
    </ul>
  )
}
