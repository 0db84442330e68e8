import { LayoutDashboard } from 'lucide-react'
import { useMemo } from 'react'
import { Awaiting } from '../../field/awaiting'
import { eventOf } from '../../field/events'
import { sessionSpansMs } from '../../state/range'
import { useFeed } from '../../state/use-store'
import { words } from '../../words/en'
import { defineView } from '../view'
import { Charts } from './charts'
import { DemoCard } from './demo-card'
import { HeadlineCard } from './headline-card'
import { PolicyCard, Suspects, WhatChanged } from './lists'
import { TileRow } from './tile-row'

export default defineView({
  id: 'overview',
  title: words.overview.title,
  order: 10,
  goKey: 'o',
  icon: LayoutDashboard,
  spansMs: sessionSpansMs,
  Component: Overview,
})

/** Is it bad, since when, what changed, what can I do. */
function Overview() {
  const summary = useFeed('summary', 1_000)
  const { items } = useFeed('cluster', 500)
  const events = useMemo(() => items.map(eventOf), [items])
  if (!summary) return <Awaiting what={words.frame.product} rows={8} />
  return (
    <div className="flex h-full flex-col gap-2 overflow-y-auto p-2">
      <HeadlineCard events={events} />
      <TileRow />
      <Charts events={events} />
      <div className="grid grid-cols-2 gap-2">
        <WhatChanged events={events} />
        <Suspects />
        <DemoCard />
        <PolicyCard />
      </div>
    </div>
  )
}
