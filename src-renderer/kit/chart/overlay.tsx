import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import type { Millis } from '../../../src-main/base/units'
import { words } from '../../words/en'
import type { ChartCursor } from './chart'
import { plotBottom, plotEdges, plotLeft } from './edges'
import { type ChartModel, clustered, lettersOf } from './model'

/** Letters of events closer than this are joined, px: each stays large enough to be hit (ux.md 10). */
const apartPx = 24
/** A drag shorter than this is a click, px. */
const clickPx = 6

/** What lies over the lines, and what it does. */
export interface OverlayProps {
  readonly model: ChartModel
  readonly width: number
  readonly height: number
  /** Distance of two points, ms: a step of the cursor. */
  readonly bucketMs: Millis
  readonly cursor: ChartCursor
  onRange(fromMs: Millis, toMs: Millis): void
  onMark(id: string): void
}

/** Places on the axis of time: px from the left edge of the drawing area, and back. */
interface Axis {
  readonly inner: number
  place(atMs: Millis): number
  timeAt(px: number): Millis
}

function axisOf({ fromMs, toMs }: ChartModel, width: number): Axis {
  const inner = Math.max(1, width - plotLeft - plotEdges.right)
  const spanMs = toMs - fromMs
  return {
    inner,
    place: (atMs) => ((atMs - fromMs) / spanMs) * inner,
    timeAt: (px) => fromMs + (Math.min(Math.max(px, 0), inner) / inner) * spanMs,
  }
}

/** Holes, event letters, the pointer's instant, a span being drawn: plain elements, cheap to move. */
export function Overlay(props: OverlayProps) {
  const { model, width, height, cursor } = props
  const axis = axisOf(model, width)
  const { atMs, locked } = cursor
  return (
    <div
      className="absolute inset-x-0 top-0"
      style={{ left: plotLeft, width: axis.inner, height: height - plotBottom }}
    >
      {model.watermark ? (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute right-1 bottom-0 font-strong text-20 text-ink opacity-10 select-none"
        >
          {model.watermark}
        </span>
      ) : null}
      <Holes model={model} axis={axis} />
      <Surface {...props} axis={axis} />
      {atMs !== null && atMs >= model.fromMs && atMs <= model.toMs ? (
        <div
          className={`pointer-events-none absolute bottom-0 w-px ${locked ? 'bg-focus' : 'bg-faint'}`}
          style={{ top: plotEdges.top, left: axis.place(atMs) }}
        />
      ) : null}
      <Marks {...props} axis={axis} />
    </div>
  )
}

function Holes({ model, axis }: { readonly model: ChartModel; readonly axis: Axis }) {
  return model.holes.map(({ fromMs, toMs, title }) => {
    const from = Math.max(0, axis.place(fromMs))
    const to = Math.min(axis.place(toMs), axis.inner)
    return (
      <div
        key={`${fromMs}-${title}`}
        title={title}
        className="hatch absolute bottom-0 border-line border-x"
        style={{ top: plotEdges.top, left: from, width: Math.max(2, to - from) }}
      />
    )
  })
}

/** Takes the pointer and the arrow keys: a click locks the cursor, a drag chooses a range. */
function Surface({ model, bucketMs, cursor, onRange, axis }: OverlayProps & { readonly axis: Axis }) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null)
  const pxOf = (event: PointerEvent<HTMLElement>) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    if (!drag) return
    const [from, to] = [Math.min(drag.from, pxOf(event)), Math.max(drag.from, pxOf(event))]
    setDrag(null)
    if (to - from > clickPx) onRange(axis.timeAt(from), axis.timeAt(to))
    else cursor.lock(axis.timeAt(from))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (event.key === 'Enter' && cursor.atMs !== null) cursor.lock(cursor.atMs)
    if (step === 0) return
    event.preventDefault()
    cursor.move(Math.min(Math.max((cursor.atMs ?? model.toMs) + step * bucketMs, model.fromMs), model.toMs))
  }
  return (
    <>
      <button
        type="button"
        aria-label={words.chart.surface(model.title)}
        className="absolute inset-x-0 bottom-0 cursor-crosshair touch-none"
        style={{ top: plotEdges.top }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture?.(event.pointerId)
          setDrag({ from: pxOf(event), to: pxOf(event) })
        }}
        onPointerMove={(event) => {
          const px = pxOf(event)
          if (drag) setDrag({ ...drag, to: px })
          if (!cursor.locked) cursor.move(axis.timeAt(px))
        }}
        onPointerUp={onPointerUp}
        onPointerLeave={() => (cursor.locked ? undefined : cursor.move(null))}
        onKeyDown={onKeyDown}
      />
      {drag && Math.abs(drag.to - drag.from) > clickPx ? (
        <div
          className="pointer-events-none absolute bottom-0 bg-accent/20"
          style={{
            top: plotEdges.top,
            left: Math.min(drag.from, drag.to),
            width: Math.abs(drag.to - drag.from),
          }}
        />
      ) : null}
    </>
  )
}

/** A line and a letter for what happened; letters too close to each other become one with their number. */
function Marks({ model, axis, onMark }: OverlayProps & { readonly axis: Axis }) {
  const inside = model.marks.filter(({ atMs }) => atMs >= model.fromMs && atMs <= model.toMs)
  return clustered(inside, axis.place, apartPx).map(({ first, all }) => {
    const titles = all.map(({ title }) => title)
    return (
      <div
        key={first.id}
        className="pointer-events-none absolute inset-y-0"
        style={{ left: axis.place(first.atMs) }}
      >
        <div className="absolute bottom-0 w-px bg-muted/50" style={{ top: plotEdges.top - 2 }} />
        <button
          type="button"
          title={titles.join('\n')}
          aria-label={titles.join('; ')}
          onClick={() => onMark(first.id)}
          className="group pointer-events-auto absolute top-0 flex h-6 min-w-6 -translate-x-1/2 items-center justify-center"
        >
          <span className="min-w-4 rounded-control border border-line bg-raised px-0.5 font-mono text-12 leading-tight text-ink group-hover:bg-hover">
            {lettersOf(all)}
          </span>
        </button>
      </div>
    )
  })
}
