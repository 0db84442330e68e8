import { ArrowRight, Equal, EqualNot } from 'lucide-react'
import type { Explanation } from '../../../../src-main/contract/rpc'
import type { DecisionRow } from '../../../../src-main/domain/journal/record'
import { standingOf } from '../../../../src-main/domain/journal/row-facts'
import { duration, latency } from '../../../format/durations'
import { missing } from '../../../format/numbers'
import { clock, type Zone } from '../../../format/times'
import { visible } from '../../../format/visible'
import { Hint } from '../../../kit/hint'
import { Mark, type Tone } from '../../../kit/mark'
import { usePage } from '../../../state/use-page'
import { words } from '../../../words/en'
import { gapsOf, timingOf } from './facts'
import { hopsOf } from './hops'

const text = words.why
const routedOnly = words.field.outcome['routed-only']

/** client → proxy → router → pick → served, the broken hop marked. */
export function Path({ row }: { readonly row: DecisionRow }) {
  const hops = hopsOf(row)
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
      {hops.map(({ title, broken }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the hops of a path are told apart by their place
        <span key={at} className="inline-flex items-center gap-1.5">
          {at > 0 ? <ArrowRight aria-hidden="true" className="size-3.5 text-faint" /> : null}
          {broken ? (
            <Mark tone="crit" title={text.path.broken}>
              {title} ({text.path.broken})
            </Mark>
          ) : (
            <span>{title}</span>
          )}
        </span>
      ))}
    </p>
  )
}

/** Owner as recomputed, pick and served as observed: three cells, equal or not. */
export function Agreement({ row }: { readonly row: DecisionRow }) {
  if (row.pick === null) return <p className="text-faint">{text.agreement.nothing}</p>
  const owner = row.reasons.find(({ why, rank }) => why === 'owner' && rank === 0)?.replicaId ?? null
  const served = row.outcome?.served ?? null
  const { origin } = words.field
  const routed = isRouted(row)
  const waiting = routed ? routedOnly : text.agreement.pending
  const cells: readonly (readonly [string, string, string | null, string])[] = [
    [text.agreement.owner, origin.recomputed, owner, text.agreement.ownerNone],
    [text.agreement.pick, origin.observed, row.pick, text.path.nobody],
    [text.agreement.served, origin.observed, served, row.outcome ? text.path.nobody : waiting],
  ]
  const known = cells.flatMap(([, , value]) => value ?? [])
  const pending = row.outcome === null
  const equal = new Set(known).size === 1 && (owner === null ? known.length >= 2 : known.length === 3)
  const tone: Tone = routed ? 'quiet' : pending ? 'info' : equal ? 'ok' : 'warn'
  return (
    <div className="flex flex-wrap items-stretch gap-2">
      {cells.map(([title, badge, value, otherwise]) => (
        <div key={title} className="min-w-24 rounded-control border border-line px-2 py-1">
          <p className="flex gap-2 text-12 text-faint">
            {title}
            <span className="ml-auto font-mono">{badge}</span>
          </p>
          <p className={value === null ? 'text-faint' : 'font-mono'}>
            {value === null ? otherwise : visible(value)}
          </p>
        </div>
      ))}
      <Mark tone={tone} icon={equal ? Equal : EqualNot}>
        {pending ? waiting : equal ? text.agreement.equal : text.agreement.differ}
      </Mark>
    </div>
  )
}

/** Somebody else's proxy took the request: nothing that follows is seen here, however long one waits. */
const isRouted = (row: DecisionRow): boolean => standingOf(row) === 'routed-only'

const untilNow = (row: DecisionRow, nowWallMs: number): string =>
  isRouted(row) ? routedOnly : text.timing.running(duration(nowWallMs - row.wallMs))

/** Where the time went, as bars on one scale. */
export function Timing({ row, nowWallMs }: { readonly row: DecisionRow; readonly nowWallMs: number }) {
  const steps = timingOf(row)
  const total = Math.max(...steps.map(({ toMs }) => toMs), 0.001)
  const gaps = gapsOf(row)
  return (
    <div className="flex flex-col gap-1">
      {steps.map(({ id, title, fromMs, toMs }) => (
        <div key={id} className="grid grid-cols-[10rem_1fr_4.5rem] items-center gap-2">
          <span className="truncate text-muted">{title}</span>
          <span aria-hidden="true" className="relative h-3 rounded-control bg-hover">
            <span
              className="absolute inset-y-0 min-w-0.5 rounded-control bg-series-1"
              style={{ left: `${(fromMs / total) * 100}%`, width: `${((toMs - fromMs) / total) * 100}%` }}
            />
          </span>
          <span className="text-right font-mono">{latency(toMs - fromMs)}</span>
        </div>
      ))}
      <p className="text-12 text-faint">
        {row.outcome ? (gaps ?? text.timing.notBroken) : untilNow(row, nowWallMs)}
      </p>
    </div>
  )
}

/** The session's last turns as replicas in order, moves marked. */
export function SessionStrip({
  explanation,
  zone,
}: {
  readonly explanation: Explanation
  readonly zone: Zone
}) {
  const { places } = usePage()
  const { row, session } = explanation
  if (row.session === null) return <p className="text-faint">{text.strip.none}</p>
  return (
    <ol className="flex flex-wrap gap-1">
      {session.map((turn, at) => {
        const replica = turn.outcome?.served ?? turn.pick ?? missing
        const before = session[at - 1]
        const from = before ? (before.outcome?.served ?? before.pick) : null
        const moved = from !== null && from !== replica
        const ttft = turn.outcome?.ttftMs
        const help = [
          text.strip.turn(visible(replica), ttft == null ? missing : latency(ttft), clock(turn.wallMs, zone)),
          moved ? text.strip.moved(visible(from), visible(replica)) : '',
          turn.id === row.id ? text.strip.current : '',
        ]
        return (
          <li key={turn.id}>
            <Hint text={help.filter(Boolean).join('; ')}>
              <button
                type="button"
                aria-current={turn.id === row.id}
                onClick={() => places.go({ params: { sel: `decision:${turn.id}` } })}
                className={`min-h-6 rounded-control border px-1.5 font-mono text-12 ${
                  moved ? 'border-warn text-warn' : 'border-line text-ink'
                } ${turn.id === row.id ? 'bg-hover font-strong' : ''} hover:bg-hover`}
              >
                {moved ? '↷ ' : ''}
                {visible(replica)}
                <span className="pl-1 text-faint">{ttft == null ? '' : latency(ttft)}</span>
              </button>
            </Hint>
          </li>
        )
      })}
    </ol>
  )
}
