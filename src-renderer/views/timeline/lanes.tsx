import type { PointerEvent } from 'react'
import type { Millis } from '../../../src-main/base/units'
import { type ClusterEvent, inOneLine, type Lane, lanes } from '../../field/events'
import { clock, type Zone } from '../../format/times'
import { clustered, lettersOf } from '../../kit/chart/model'
import { timeTicks } from '../../kit/chart/scale'
import { useWidth } from '../../kit/chart/use-width'
import { type Tone, toneText } from '../../kit/mark'
import { words } from '../../words/en'

/** Letters closer than this are joined, px. */
const apartPx = 14
/** Of joined letters the gravest gives the colour. */
const gravity: readonly Tone[] = ['crit', 'warn', 'stale', 'drain', 'info', 'ok', 'unknown', 'quiet']

/** What the lanes show. */
export interface LanesProps {
  readonly events: readonly ClusterEvent[]
  readonly fromWallMs: Millis
  readonly toWallMs: Millis
  readonly zone: Zone
  readonly selected: string | null
  readonly cursorWallMs: Millis | null
  onSelect(id: string): void
  onCursor(wallMs: Millis | null): void
}

/** The story as lanes over one axis of time; pressing a letter selects its event. */
export function Lanes(props: LanesProps) {
  const { events, fromWallMs, toWallMs, zone, cursorWallMs, onCursor } = props
  const [box, width] = useWidth(900)
  const place = (wallMs: Millis) => ((wallMs - fromWallMs) / (toWallMs - fromWallMs)) * width
  const point = (event: PointerEvent<HTMLElement>) => {
    const px = event.clientX - event.currentTarget.getBoundingClientRect().left
    onCursor(fromWallMs + (px / width) * (toWallMs - fromWallMs))
  }
  const inside = cursorWallMs !== null && cursorWallMs >= fromWallMs && cursorWallMs <= toWallMs
  return (
    <section aria-label={words.timeline.lanesTitle} className="flex border-line border-b px-3 py-2">
      <ul aria-hidden="true" className="w-44 shrink-0 pt-5">
        {lanes.map((lane) => (
          <li key={lane} className="flex h-7 items-center truncate text-muted">
            {words.events.lanes[lane]}
          </li>
        ))}
      </ul>
      <div
        ref={box}
        className="relative min-w-0 flex-1"
        onPointerMove={point}
        onPointerLeave={() => onCursor(null)}
      >
        <div aria-hidden="true" className="h-5">
          {timeTicks(fromWallMs, toWallMs).map((tick) => (
            <span
              key={tick}
              className="absolute top-0 -translate-x-1/2 font-mono text-12 text-faint"
              style={{ left: place(tick) }}
            >
              {clock(tick, zone)}
            </span>
          ))}
        </div>
        {lanes.map((lane) => (
          <LaneRow
            key={lane}
            {...props}
            lane={lane}
            events={events.filter((event) => event.lane === lane)}
            place={place}
            width={width}
          />
        ))}
        {inside ? (
          <div
            className="pointer-events-none absolute inset-y-0 w-px bg-faint"
            style={{ left: place(cursorWallMs) }}
          />
        ) : null}
      </div>
    </section>
  )
}

function LaneRow({
  lane,
  events,
  place,
  width,
  fromWallMs,
  selected,
  onSelect,
}: LanesProps & { readonly lane: Lane; place(wallMs: Millis): number; readonly width: number }) {
  const byId = new Map(events.map((event) => [event.id, event]))
  const marks = events.map((event) => ({
    id: event.id,
    atMs: Math.max(event.atWallMs, fromWallMs),
    letter: event.letter,
    title: inOneLine(event),
  }))
  return (
    <ul
      aria-label={words.timeline.laneHint(words.events.lanes[lane], events.length)}
      className="relative h-7 border-line border-t"
    >
      {clustered(marks, place, apartPx).map(({ first, all }) => {
        const own = all.flatMap(({ id }) => byId.get(id) ?? [])
        return (
          <li key={first.id}>
            {own.map((event) =>
              event.toWallMs === null ? null : (
                <Span key={event.id} event={event} place={place} width={width} />
              ),
            )}
            <LaneButton
              events={own}
              text={lettersOf(all)}
              left={place(first.atMs)}
              pressed={own.some(({ id }) => id === selected)}
              onPress={() => onSelect(own.at(-1)?.id ?? first.id)}
            />
          </li>
        )
      })}
    </ul>
  )
}

function LaneButton({
  events,
  text,
  left,
  pressed,
  onPress,
}: {
  readonly events: readonly ClusterEvent[]
  readonly text: string
  readonly left: number
  readonly pressed: boolean
  onPress(): void
}) {
  const gravest = gravity.find((tone) => events.some((event) => event.tone === tone)) ?? 'quiet'
  const titles = events.map(inOneLine)
  return (
    <button
      type="button"
      title={titles.join('\n')}
      aria-label={titles.join('; ')}
      aria-pressed={pressed}
      onClick={onPress}
      className={`absolute top-0.5 h-6 min-w-6 -translate-x-1/2 rounded-control border px-1 font-mono text-12 hover:bg-hover ${
        pressed ? 'z-1 border-focus bg-hover' : 'border-line bg-raised'
      } ${toneText[gravest]}`}
      style={{ left }}
    >
      {text}
    </button>
  )
}

/** Something that lasted, hatched from its start to its end. */
function Span({
  event,
  place,
  width,
}: {
  readonly event: ClusterEvent
  place(wallMs: Millis): number
  readonly width: number
}) {
  const from = Math.max(0, place(event.atWallMs))
  const to = Math.min(width, place(event.toWallMs ?? event.atWallMs))
  return (
    <div
      aria-hidden="true"
      className="hatch absolute inset-y-0 border-stale border-x"
      style={{ left: from, width: Math.max(2, to - from) }}
    />
  )
}
