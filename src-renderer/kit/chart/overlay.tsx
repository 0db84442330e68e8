import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import type { Millis } from '../../../src-main/base/units'
import { words } from '../../words/en'
import type { ChartCursor } from './chart'
import { plotBottom, plotEdges, plotLeft } from './edges'
import { type ChartModel, clustered } from './model'

/** Letters of events closer than this are joined, px (ux.md 11). */
const apartPx = 12
/** A drag shorter than this is a click, px. */
const clickPx = 6

/** What lies over the lines: holes, event letters, the pointer's instant, a span being drawn. Plain elements, cheap to move. */
export function Overlay({
  model,
  width,
  height,
  bucketMs,
  cursor,
  onRange,
  onMark,
}: {
  readonly model: ChartModel
  readonly width: number
  readonly height: number
  readonly bucketMs: Millis
  readonly cursor: ChartCursor
  onRange(fromMs: Millis, toMs: Millis): void
  onMark(id: string): void
}) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null)
  const inner = Math.max(1, width - plotLeft - plotEdges.right)
  const spanMs = model.toMs - model.fromMs
  const place = (atMs: Millis) => ((atMs - model.fromMs) / spanMs) * inner
  const timeAt = (px: number) => model.fromMs + (Math.min(Math.max(px, 0), inner) / inner) * spanMs
  const pxOf = (event: PointerEvent<HTMLElement>) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left

  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const px = pxOf(event)
    if (drag) setDrag({ ...drag, to: px })
    if (!cursor.locked) cursor.move(timeAt(px))
  }
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    if (!drag) return
    const [from, to] = [Math.min(drag.from, pxOf(event)), Math.max(drag.from, pxOf(event))]
    setDrag(null)
    if (to - from > clickPx) onRange(timeAt(from), timeAt(to))
    else cursor.lock(timeAt(from))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (step === 0) return
    event.preventDefault()
    cursor.move(Math.min(Math.max((cursor.atMs ?? model.toMs) + step * bucketMs, model.fromMs), model.toMs))
  }
  const inside = (atMs: Millis | null): atMs is Millis =>
    atMs !== null && atMs >= model.fromMs && atMs <= model.toMs

  return (
    <div
      className="absolute inset-x-0 top-0"
      style={{ left: plotLeft, width: inner, height: height - plotBottom }}
    >
      {model.watermark ? (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute right-1 bottom-0 font-strong text-20 text-ink opacity-10 select-none"
        >
          {model.watermark}
        </span>
      ) : null}
      {model.holes.map((hole) => {
        const from = Math.max(0, place(hole.fromMs))
        return (
          <div
            key={`${hole.fromMs}-${hole.title}`}
            title={hole.title}
            className="hatch pointer-events-none absolute bottom-0 border-line border-x"
            style={{
              top: plotEdges.top,
              left: from,
              width: Math.max(2, Math.min(place(hole.toMs), inner) - from),
            }}
          />
        )
      })}
      {/* A surface to point at, not a control of its own: every instant it shows stands in the table, too. */}
      <button
        type="button"
        aria-label={words.chart.surface(model.title)}
        className="absolute inset-x-0 bottom-0 cursor-crosshair touch-none"
        style={{ top: plotEdges.top }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture?.(event.pointerId)
          setDrag({ from: pxOf(event), to: pxOf(event) })
        }}
        onPointerMove={onPointerMove}
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
      {inside(cursor.atMs) ? (
        <div
          className={`pointer-events-none absolute bottom-0 w-px ${cursor.locked ? 'bg-focus' : 'bg-faint'}`}
          style={{ top: plotEdges.top, left: place(cursor.atMs) }}
        />
      ) : null}
      {clustered(
        model.marks.filter(({ atMs }) => inside(atMs)),
        place,
        apartPx,
      ).map(({ first, all }) => (
        <div
          key={first.id}
          className="pointer-events-none absolute inset-y-0"
          style={{ left: place(first.atMs) }}
        >
          <div className="absolute bottom-0 w-px bg-muted/50" style={{ top: plotEdges.top - 2 }} />
          <button
            type="button"
            title={all.map(({ title }) => title).join('\n')}
            aria-label={all.map(({ title }) => title).join('; ')}
            onClick={() => onMark(first.id)}
            className="pointer-events-auto absolute top-0 h-4 min-w-4 -translate-x-1/2 rounded-control border border-line bg-raised px-0.5 font-mono text-12 leading-tight text-ink hover:bg-hover"
          >
            {all.length > 1 ? `${first.letter}×${all.length}` : first.letter}
          </button>
        </div>
      ))}
    </div>
  )
}
