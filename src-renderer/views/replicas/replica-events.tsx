import { useMemo } from 'react'
import { EventList } from '../../field/event-list'
import { eventOf } from '../../field/events'
import { visible } from '../../format/visible'
import { Empty } from '../../kit/states'
import { useFeed } from '../../state/use-store'
import { words } from '../../words/en'

/** What happened to one replica, the newest first, as far as this page holds it. */
export function ReplicaEvents({ replicaId }: { readonly replicaId: string }) {
  const { items } = useFeed('cluster', 1_000)
  const shown = visible(replicaId)
  const events = useMemo(() => {
    const named = new RegExp(`\\b${escapeRegExp(shown)}\\b`)
    return items
      .map(eventOf)
      .filter(({ target, change, what }) => target === shown || named.test(`${change} ${what}`))
      .reverse()
  }, [items, shown])
  if (events.length === 0) return <Empty title={words.replicas.noEvents} />
  return <EventList events={events} />
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
