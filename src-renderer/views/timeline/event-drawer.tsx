import { CalendarRange, ListTree } from 'lucide-react'
import { inOneLine } from '../../field/events'
import { iso, moment, zoneName } from '../../format/times'
import { visible } from '../../format/visible'
import { Button } from '../../kit/button'
import { Drawer, DrawerSection } from '../../kit/drawer'
import { Mark } from '../../kit/mark'
import { Facts } from '../../kit/panel'
import { Empty } from '../../kit/states'
import { aroundInstant, paramsOfRange, useSpan } from '../../state/range'
import { usePage } from '../../state/use-page'
import { useStore } from '../../state/use-store'
import { words } from '../../words/en'
import { timelineSpansMs } from './spans'
import { useEvents } from './use-events'

const text = words.timeline

/** One event in full. */
export function EventDrawer({ id, onClose }: { readonly id: string; onClose(): void }) {
  const { places, preferences, time } = usePage()
  const { zone } = useStore(preferences)
  const { fromWallMs, toWallMs } = useSpan(timelineSpansMs)
  const event = useEvents(fromWallMs, toWallMs).all.find((each) => each.id === id)
  if (!event)
    return (
      <Drawer title={text.detail} onClose={onClose}>
        <Empty title={text.gone} hint={visible(id)} />
      </Drawer>
    )
  const around = paramsOfRange(aroundInstant(event.atWallMs))
  const optional = [
    [text.facts.target, event.target],
    [text.facts.change, event.change],
    [text.facts.reason, event.reason],
  ] as const
  return (
    <Drawer
      title={text.detail}
      onClose={onClose}
      footer={
        <>
          <Button
            icon={CalendarRange}
            onClick={() => places.go({ view: 'timeline', params: { ...around, sel: `event:${id}` } })}
          >
            {text.aroundRange}
          </Button>
          <Button icon={ListTree} onClick={() => places.go({ view: 'decisions', params: around })}>
            {text.around}
          </Button>
        </>
      }
    >
      <section className="border-line border-b px-3 py-3 text-14">
        <Mark tone={event.tone}>{inOneLine(event)}</Mark>
      </section>
      <DrawerSection title={text.detail}>
        <Facts
          rows={[
            [
              text.facts.time,
              `${moment(event.atWallMs, time.wallMs(), zone)} ${zoneName(event.atWallMs, zone)}`,
            ],
            [words.frame.utc, iso(event.atWallMs)],
            [text.facts.lane, words.events.lanes[event.lane]],
            [text.facts.what, event.what],
            [text.facts.actor, event.actor],
            ...optional.filter(([, value]) => value !== ''),
            [text.facts.record, visible(event.id)],
          ]}
        />
      </DrawerSection>
    </Drawer>
  )
}
