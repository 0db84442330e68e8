import { useMemo, useSyncExternalStore } from 'react'
import { type ClusterEvent, inOneLine } from '../../field/events'
import { TimeChart } from '../../field/time-chart'
import { useSpan } from '../../state/range'
import { useFeed } from '../../state/use-store'
import { words } from '../../words/en'
import { overviewModels } from './chart-models'

const text = words.overview.charts
/** Charts are drawn again this often at most, ms (ux.md 11: once a second for four). */
const drawEveryMs = 1_000
/** Below this many samples a p99 is hardly more than the slowest one (ux.md 11). */
const samplesForP99 = 200

/** The four charts of the overview over the page's range, all with the same events, holes and cursor. */
export function Charts({ events }: { readonly events: readonly ClusterEvent[] }) {
  const { items } = useFeed('seconds', drawEveryMs)
  const gaps = useFeed('gaps', drawEveryMs)
  const span = useSpan()
  const fromMs = Math.floor(span.fromWallMs / 1_000) * 1_000
  const toMs = Math.floor(span.toWallMs / 1_000) * 1_000
  const marks = useMemo(
    () =>
      events
        .filter(({ minor, lane }) => !minor && lane !== 'gaps')
        .map((event) => ({
          id: event.id,
          atMs: event.atWallMs,
          letter: event.letter,
          title: inOneLine(event),
        })),
    [events],
  )
  const models = useMemo(() => {
    const known = gaps.filter(({ stream }) => stream === 'seconds')
    const named = known.map((gap) => ({ ...gap, why: words.banners.gapWhy[gap.why] }))
    return overviewModels(items, named, marks, fromMs, toMs)
  }, [items, gaps, marks, fromMs, toMs])
  const { secondsPerPoint, samplesPerPoint } = models
  const worst = secondsPerPoint === 1 ? text.eachSecond : text.worstOf(secondsPerPoint)
  const mean = secondsPerPoint === 1 ? text.eachSecond : text.meanOf(secondsPerPoint)
  const height = useTallWindow() ? 176 : 122
  const few =
    samplesPerPoint < samplesForP99 ? ` · ${text.fewSamples(String(Math.round(samplesPerPoint)))}` : ''
  return (
    <div className="grid grid-cols-2 gap-2">
      <TimeChart model={models.requests} note={worst} height={height} />
      <TimeChart model={models.ttft} note={`${worst}${few}`} height={height} />
      <TimeChart model={models.affinity} note={mean} height={height} />
      <TimeChart model={models.inFlight} note={mean} height={height} />
    </div>
  )
}

const tall = '(min-height: 950px)'

/** Whether there is room for taller charts with the lists still in sight below them. */
function useTallWindow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = window.matchMedia(tall)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => window.matchMedia(tall).matches,
  )
}
