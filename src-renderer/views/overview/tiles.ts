import { areBreaksBad, areErrorsBad } from '../../../src-main/domain/journal/severity'
import {
  ratioOf,
  type SecondBucket,
  type Share,
  type SummaryView,
} from '../../../src-main/domain/journal/views'
import { isFailure, outcomeClasses } from '../../../src-main/domain/routing/outcome'
import { fewSamples } from '../../field/reading-cell'
import { latency } from '../../format/durations'
import { count, missing, percent, times } from '../../format/numbers'
import type { Move } from '../../state/place'
import { words } from '../../words/en'

/** One figure of the overview. */
export interface TileFigure {
  readonly id: keyof typeof words.overview.tiles
  readonly value: string
  /** Number of samples, window, place of measurement. */
  readonly under: string
  readonly bad: boolean
  /** Set when there are too few samples for the figure to mean much. */
  readonly few: string | null
  /** The last sixty seconds, oldest first. */
  readonly spark: readonly (number | null)[]
  /** Where the figure is explained. */
  readonly explain: Move
}

/** In flight on one replica over the mean: bad from here on (ux.md 6.1). */
const imbalanceMax = 2
const sparkSeconds = 60
/** Imbalance is bad when it lasts this long, s. */
const unevenSeconds = 5

/** The seven tiles, each with what its last minute looked like. */
export function tilesOf(summary: SummaryView, seconds: readonly SecondBucket[]): readonly TileFigure[] {
  const recent = lastSeconds(seconds)
  const spark = (pick: (second: SecondBucket) => number | null) =>
    recent.map((each) => (each ? pick(each) : null))
  const { oneMinute, fiveMinutes, now, place } = words.overview
  const under = (n: number, ...rest: readonly string[]) => [words.overview.n(count(n)), ...rest].join(' · ')
  const shares = (share: Share) => ({ value: writeRatio(ratioOf(share)), few: null })
  const { ttftMs, itlMs, imbalance } = summary
  return [
    {
      id: 'errors',
      ...shares(summary.errors),
      under: under(summary.errors.whole, oneMinute),
      bad: areErrorsBad(summary.errors),
      spark: spark(errorShare),
      explain: { view: 'decisions', params: { by: 'reason', q: null } },
    },
    {
      id: 'breaks',
      ...shares(summary.breaks),
      under: under(summary.breaks.whole, fiveMinutes),
      bad: areBreaksBad(summary.breaks),
      spark: spark(({ outcomes }) => outcomes.broken),
      explain: { view: 'decisions', params: { q: 'outcome:broken', by: null } },
    },
    {
      id: 'ttft',
      value: ttftMs.p99 === null ? missing : latency(ttftMs.p99),
      under: under(ttftMs.n, oneMinute, place.proxy),
      few: ttftMs.p99 === null ? null : fewSamples('p99', ttftMs.n),
      bad: false,
      spark: spark((second) => second.ttftMs.p99),
      explain: {
        view: 'decisions',
        params: { q: ttftMs.p95 === null ? null : `ttft>${Math.round(ttftMs.p95)}ms`, by: null },
      },
    },
    {
      id: 'itl',
      value: itlMs.p99 === null ? missing : latency(itlMs.p99),
      under: under(itlMs.n, oneMinute, place.proxy),
      few: itlMs.p99 === null ? null : fewSamples('p99', itlMs.n),
      bad: false,
      spark: spark((second) => second.itlMs.p99),
      explain: { view: 'replicas' },
    },
    {
      id: 'affinity',
      ...shares(summary.affinity),
      under: under(summary.affinity.whole, fiveMinutes),
      bad: false,
      spark: spark((second) => ratioOf(second.affinity)),
      explain: { view: 'decisions', params: { q: 'moved:*', by: null } },
    },
    {
      id: 'cache',
      ...shares(summary.cachedTokens),
      under: under(summary.cachedTokens.whole, fiveMinutes),
      bad: false,
      spark: spark((second) => ratioOf(second.cachedTokens)),
      explain: { view: 'replicas' },
    },
    {
      id: 'imbalance',
      value: imbalance && imbalance.mean > 0 ? times(imbalance.max / imbalance.mean) : missing,
      under: [words.overview.n(String(imbalance?.replicas ?? 0)), now].join(' · '),
      few: imbalance && imbalance.mean < 1 ? words.overview.fewInFlight : null,
      bad: stayedUneven(recent),
      spark: spark(({ inFlight }) => (inFlight && inFlight.mean > 0 ? inFlight.max / inFlight.mean : null)),
      explain: { view: 'replicas' },
    },
  ]
}

/** Uneven in each of the last seconds, under load: one uneven instant is chance. */
function stayedUneven(recent: readonly (SecondBucket | null)[]): boolean {
  const last = recent.slice(-unevenSeconds)
  const uneven = last.filter((second) => {
    const inFlight = second?.inFlight
    return inFlight != null && inFlight.mean >= 1 && inFlight.max / inFlight.mean > imbalanceMax
  })
  return last.length === unevenSeconds && uneven.length === unevenSeconds
}

const writeRatio = (ratio: number | null) => (ratio === null ? missing : percent(ratio))

/** Failed of all that ended in a second; null when none ended. */
function errorShare({ outcomes }: SecondBucket): number | null {
  const all = outcomeClasses.reduce((sum, name) => sum + outcomes[name], 0)
  const failed = outcomeClasses.filter(isFailure).reduce((sum, name) => sum + outcomes[name], 0)
  return all === 0 ? null : failed / all
}

/** The last sixty seconds by the clock, null where there is none: a missing second leaves a hole, it does not close up. */
function lastSeconds(seconds: readonly SecondBucket[]): readonly (SecondBucket | null)[] {
  const last = seconds.at(-1)
  if (!last) return []
  const byTime = new Map(
    seconds.slice(-2 * sparkSeconds).map((each) => [Math.round(each.wallMs / 1_000), each]),
  )
  const end = Math.round(last.wallMs / 1_000)
  return Array.from({ length: sparkSeconds }, (_, at) => byTime.get(end - sparkSeconds + 1 + at) ?? null)
}
