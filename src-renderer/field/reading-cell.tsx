import type { Millis } from '../../src-main/base/units'
import { freshness } from '../../src-main/domain/fleet/freshness'
import type { Reading } from '../../src-main/domain/fleet/reading'
import { shortAge } from '../format/durations'
import { missing } from '../format/numbers'
import { visible } from '../format/visible'
import { words } from '../words/en'

/** A value as a screen may show it: with its age once that matters, and with the reason where there is none. */
export function ReadingCell<T>({
  reading,
  write,
  monoMs,
  everyMs,
  look = '',
  few,
  dense = false,
}: {
  readonly reading: Reading<T>
  write(value: T): string
  /** The server's monotonic clock now. */
  readonly monoMs: Millis
  /** Pace of the reading's source. */
  readonly everyMs: Millis
  readonly look?: string
  /** In a table with a column of ages: an aging value is only underlined. */
  readonly dense?: boolean
  /** Set when there are too few samples for the figure to mean much: it is then grey, and says so. */
  readonly few?: string | null
}) {
  if ('absent' in reading)
    return (
      <span className="text-faint" title={words.field.absence[reading.absent]}>
        {missing}
      </span>
    )
  const age = monoMs - reading.takenMonoMs
  const fresh = freshness(age, everyMs)
  const origin = words.field.originHelp[reading.origin]
  const help = [origin, words.field.from(visible(reading.source), shortAge(age)), few ?? '']
    .filter(Boolean)
    .join('; ')
  if (fresh === 'stale')
    return (
      <span className="text-stale hatch" title={`${help}; ${words.field.stale(shortAge(age))}`}>
        {write(reading.value)}
      </span>
    )
  return (
    <span
      className={`${few ? 'text-faint' : look} ${fresh === 'aging' && dense ? 'underline decoration-warn decoration-dotted' : ''}`}
      title={help}
    >
      {write(reading.value)}
      {fresh === 'aging' && !dense ? <span className="pl-1 text-12 text-warn">{shortAge(age)}</span> : null}
    </span>
  )
}

/** Why a percentile of so few samples is drawn grey (ux.md 11: at least two samples must lie beyond it); null when it need not be. */
export function fewSamples(q: 'p50' | 'p95' | 'p99', n: number): string | null {
  const need = { p50: 4, p95: 40, p99: 200 }[q]
  return n >= need ? null : words.field.fewSamples(q, String(n), String(need))
}
