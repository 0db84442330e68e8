import { History } from 'lucide-react'
import { Awaiting } from '../../field/awaiting'
import { type ClusterEvent, inOneLine } from '../../field/events'
import { duration } from '../../format/durations'
import { clock, moment, type Zone } from '../../format/times'
import { Button } from '../../kit/button'
import { Mark } from '../../kit/mark'
import { Empty, Failure } from '../../kit/states'
import type { Column } from '../../kit/table/columns'
import { DataTable } from '../../kit/table/data-table'
import { selectionOf } from '../../state/place'
import { aroundInstant, paramsOfRange, useSpan } from '../../state/range'
import { moveSelection, useKeys } from '../../state/use-keys'
import { usePage } from '../../state/use-page'
import { useStore } from '../../state/use-store'
import { words } from '../../words/en'
import { defineView } from '../view'
import { EventDrawer } from './event-drawer'
import { Lanes } from './lanes'
import { timelineSpansMs } from './spans'
import { useEvents } from './use-events'

export default defineView({
  id: 'timeline',
  title: words.timeline.title,
  order: 80,
  goKey: 't',
  icon: History,
  spansMs: timelineSpansMs,
  Component: Timeline,
  drawer: { kind: 'event', Component: EventDrawer },
})

const text = words.timeline
const keyOf = ({ id }: ClusterEvent) => id

/** One ordered story: lanes above, the events as a table below. */
function Timeline() {
  const { places, preferences, cursor } = usePage()
  const { zone, density } = useStore(preferences)
  const span = useSpan(timelineSpansMs)
  const events = useEvents(span.fromWallMs, span.toWallMs)
  const selection = selectionOf(useStore(places.place))
  const pointed = useStore(cursor)
  const selected = selection?.kind === 'event' ? selection.id : null
  const newestFirst = [...events.inSpan].reverse()
  const select = (id: string) => places.go({ params: { sel: `event:${id}` } })
  const move = (step: 1 | -1) => {
    const next = moveSelection(newestFirst, keyOf, selected, step)
    if (next) places.replace({ params: { sel: `event:${next.id}` } })
  }
  useKeys(text.keys.title, [
    { keys: 'j', title: text.keys.next, run: () => move(1) },
    { keys: 'k', title: text.keys.previous, run: () => move(-1) },
    { keys: 'n', title: text.keys.later, run: () => move(-1) },
    { keys: 'N', title: text.keys.earlier, run: () => move(1) },
  ])
  return (
    <div className="flex h-full flex-col bg-panel">
      <Lanes
        events={events.inSpan}
        {...span}
        zone={zone}
        selected={selected}
        cursorWallMs={pointed?.wallMs ?? null}
        onSelect={select}
        onCursor={(wallMs) => {
          if (!cursor.get()?.locked) cursor.set(wallMs === null ? null : { wallMs, locked: false })
        }}
      />
      <p className="min-h-6 px-3 font-mono text-12 text-faint">
        {pointed ? text.cursor(clock(pointed.wallMs, zone)) : ''}
      </p>
      {events.failure ? (
        <Failure what={text.failed} why={events.failure.message} onRetry={events.retry} />
      ) : null}
      <div className="min-h-0 flex-1">
        {events.loading ? (
          <Awaiting what={text.waitingFor} />
        ) : (
          <DataTable
            label={text.table}
            columns={columnsOf(zone, span.toWallMs)}
            rows={newestFirst}
            keyOf={keyOf}
            selected={selected}
            onOpen={({ id }) => select(id)}
            comfortable={density === 'comfortable'}
            minWidth="64rem"
            empty={<Nothing all={events.all} fromWallMs={span.fromWallMs} />}
          />
        )}
      </div>
    </div>
  )
}

/** Nothing in this range; the nearest event before it, and the way there. */
function Nothing({
  all,
  fromWallMs,
}: {
  readonly all: readonly ClusterEvent[]
  readonly fromWallMs: number
}) {
  const { places } = usePage()
  const nearest = all.filter(({ atWallMs }) => atWallMs < fromWallMs).at(-1)
  return (
    <Empty
      title={text.empty}
      hint={
        nearest ? text.nearest(duration(fromWallMs - nearest.atWallMs), inOneLine(nearest)) : text.noNearest
      }
      action={
        nearest ? (
          <Button
            onClick={() =>
              places.go({
                params: { ...paramsOfRange(aroundInstant(nearest.atWallMs)), sel: `event:${nearest.id}` },
              })
            }
          >
            {text.showAround}
          </Button>
        ) : null
      }
    />
  )
}

const columnsOf = (zone: Zone, nowWallMs: number): readonly Column<ClusterEvent>[] => [
  {
    id: 'time',
    title: text.columns.time,
    width: '10rem',
    sortBy: ({ atWallMs }) => atWallMs,
    cell: ({ atWallMs }) => <span className="font-mono">{moment(atWallMs, nowWallMs, zone)}</span>,
  },
  {
    id: 'lane',
    title: text.columns.lane,
    width: '11rem',
    sortBy: ({ lane }) => lane,
    cell: ({ lane }) => words.events.lanes[lane],
  },
  {
    id: 'actor',
    title: text.columns.actor,
    width: '8rem',
    sortBy: ({ actor }) => actor,
    cell: ({ actor }) => actor,
  },
  {
    id: 'what',
    title: text.columns.what,
    width: 'minmax(12rem, 2fr)',
    sortBy: ({ what }) => what,
    cell: ({ what, tone }) => (
      <Mark tone={tone} title={what}>
        {what}
      </Mark>
    ),
  },
  {
    id: 'target',
    title: text.columns.target,
    width: '8rem',
    sortBy: ({ target }) => target,
    cell: ({ target }) => <span className="font-mono">{target}</span>,
  },
  {
    id: 'change',
    title: text.columns.change,
    width: 'minmax(10rem, 2fr)',
    cell: ({ change }) => <span title={change}>{change}</span>,
  },
  {
    id: 'reason',
    title: text.columns.reason,
    width: 'minmax(8rem, 1fr)',
    cell: ({ reason }) => <span title={reason}>{reason}</span>,
  },
]
