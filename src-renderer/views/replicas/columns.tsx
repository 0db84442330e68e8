import type { Millis } from '../../../src-main/base/units'
import { known, type Reading } from '../../../src-main/domain/fleet/reading'
import type { SourceReport } from '../../../src-main/domain/fleet/replica'
import { fewSamples, ReadingCell } from '../../field/reading-cell'
import { ReplicaState, replicaStanding } from '../../field/replica-state'
import type { Suspect } from '../../field/suspicion'
import { duration, latency, shortAge } from '../../format/durations'
import { count, missing, percent, threeDigits, times } from '../../format/numbers'
import { visible } from '../../format/visible'
import { Mark } from '../../kit/mark'
import type { Column } from '../../kit/table/columns'
import { words } from '../../words/en'

const text = words.replicas

/** What every cell needs besides its row. */
export interface CellContext {
  readonly nowWallMs: Millis
  readonly nowMonoMs: Millis
  readonly sources: readonly SourceReport[]
}

/** Pace of a reading's source, ms; a second when the source is not listed. */
export const paceOf = (sources: readonly SourceReport[], source: string | null): Millis =>
  sources.find(({ id }) => id === source)?.everyMs ?? 1_000

/** Warning and critical share of KV blocks in use (ux.md 6.3). */
const kvLook = (ratio: number | null) =>
  ratio === null || ratio <= 0.85 ? '' : ratio > 0.95 ? 'text-crit' : 'text-warn'

/** The columns of the list, as far as engine and router tell them. */
export const replicaColumns = (context: CellContext): readonly Column<Suspect>[] => [
  ...standingColumns(context),
  ...engineColumns(context),
  ...routerColumns(context),
]

/** What it is and what speaks against it. */
function standingColumns({ nowMonoMs, sources }: CellContext): readonly Column<Suspect>[] {
  return [
    {
      id: 'state',
      title: text.columns.state,
      help: text.help.state,
      width: '6.25rem',
      cell: ({ replica }) => (
        <ReplicaState standing={replicaStanding(replica, nowMonoMs, paceOf(sources, replica.state.source))} />
      ),
    },
    {
      id: 'replica',
      title: text.columns.replica,
      width: '4.25rem',
      sortBy: ({ replica }) => replica.replica.id,
      cell: ({ replica }) => <strong className="font-mono font-strong">{visible(replica.replica.id)}</strong>,
    },
    {
      id: 'suspicion',
      title: words.replicas.suspicion,
      width: 'minmax(10rem, 1fr)',
      cell: (suspect) => <SuspicionCell suspect={suspect} />,
    },
  ]
}

/** A column of readings: figures with age and reason, ordered by their values. */
const readings =
  ({ nowMonoMs, sources }: CellContext) =>
  (
    read: (suspect: Suspect) => Reading<number>,
    write: (value: number) => string,
    more: {
      readonly look?: (value: number | null) => string
      readonly few?: (suspect: Suspect) => string | null
    } = {},
  ): Pick<Column<Suspect>, 'align' | 'cell' | 'sortBy'> => ({
    align: 'right',
    sortBy: (suspect) => known(read(suspect)),
    cell: (suspect) => {
      const own = read(suspect)
      return (
        <ReadingCell
          reading={own}
          write={write}
          monoMs={nowMonoMs}
          everyMs={paceOf(sources, own.source)}
          look={more.look?.(known(own)) ?? ''}
          few={more.few?.(suspect) ?? null}
          dense
        />
      )
    },
  })

/** What the engine says of itself. */
function engineColumns(context: CellContext): readonly Column<Suspect>[] {
  const reading = readings(context)
  const few = (q: 'p50' | 'p99') => (suspect: Suspect) => fewSamples(q, suspect.replica.latencySamples)
  const ms = (value: number) => latency(value, 'ms').replace(' ms', '')
  return [
    {
      id: 'running',
      title: text.columns.running,
      help: text.help.running,
      width: '3.25rem',
      ...reading(({ replica }) => replica.running, count),
    },
    {
      id: 'waiting',
      title: text.columns.waiting,
      help: text.help.waiting,
      width: '3.25rem',
      ...reading(({ replica }) => replica.waiting, count, { look: (value) => (value ? 'text-warn' : '') }),
    },
    {
      id: 'kv',
      title: text.columns.kv,
      help: text.help.kv,
      width: '3.75rem',
      ...reading(({ replica }) => replica.kvUsedRatio, percent, { look: kvLook }),
    },
    {
      id: 'cache',
      title: text.columns.cache,
      help: text.help.cache,
      width: '5rem',
      ...reading(({ replica }) => replica.cacheHitRatio, percent),
    },
    {
      id: 'ttftP50',
      title: text.columns.ttftP50,
      unit: text.unit.ms,
      help: text.help.ttft,
      width: '6.5rem',
      ...reading(({ replica }) => replica.ttftMsP50, ms, { few: few('p50') }),
    },
    {
      id: 'ttftP99',
      title: text.columns.ttftP99,
      unit: text.unit.ms,
      help: text.help.ttft,
      width: '6.5rem',
      ...reading(({ replica }) => replica.ttftMsP99, ms, { few: few('p99') }),
    },
    {
      id: 'itlP99',
      title: text.columns.itlP99,
      unit: text.unit.ms,
      help: text.help.itl,
      width: '6rem',
      ...reading(({ replica }) => replica.itlMsP99, ms, { few: few('p99') }),
    },
    {
      id: 'output',
      title: text.columns.output,
      unit: text.unit.tokens,
      help: text.help.output,
      width: '6rem',
      ...reading(({ replica }) => replica.outputTokensPerSecond, threeDigits),
    },
  ]
}

/** What our own router knows of it, and for how long. */
function routerColumns(context: CellContext): readonly Column<Suspect>[] {
  const reading = readings(context)
  const { nowMonoMs, nowWallMs } = context
  return [
    {
      id: 'errors',
      title: text.columns.errors,
      unit: text.unit.perMinute,
      help: text.help.errors,
      width: '5.5rem',
      ...reading(
        ({ replica }) => replica.errorsPerMinute,
        (value) => count(Math.round(value)),
        { look: (value) => (value ? 'text-crit' : '') },
      ),
    },
    {
      id: 'sessions',
      title: text.columns.sessions,
      help: text.help.sessions,
      width: '4.75rem',
      align: 'right',
      sortBy: ({ traffic }) => traffic?.sessions ?? null,
      cell: ({ traffic }) => (traffic ? count(traffic.sessions) : missing),
    },
    {
      id: 'load',
      title: text.columns.load,
      help: text.help.load,
      width: '3.5rem',
      align: 'right',
      sortBy: ({ load }) => load,
      cell: ({ load, suspicions }) => {
        const hot = suspicions.some(({ rule }) => rule === 'hot')
        return load === null ? missing : <span className={hot ? 'text-warn' : ''}>{times(load)}</span>
      },
    },
    {
      id: 'up',
      title: text.columns.up,
      help: text.help.up,
      width: '5rem',
      align: 'right',
      sortBy: ({ replica }) => (replica.upSinceWallMs === null ? null : nowWallMs - replica.upSinceWallMs),
      cell: ({ replica }) =>
        replica.upSinceWallMs === null ? missing : duration(nowWallMs - replica.upSinceWallMs),
    },
    {
      id: 'age',
      title: text.columns.age,
      help: text.help.age,
      width: '2.75rem',
      align: 'right',
      sortBy: (suspect) => ageOf(suspect, nowMonoMs),
      cell: (suspect) => {
        const age = ageOf(suspect, nowMonoMs)
        return age === null ? missing : shortAge(age)
      },
    },
  ]
}

/** Age of the newest reading of a replica's state, ms. */
const ageOf = ({ replica: { state } }: Suspect, monoMs: Millis) =>
  'value' in state ? monoMs - state.takenMonoMs : null

function SuspicionCell({ suspect: { suspicions } }: { readonly suspect: Suspect }) {
  const [first] = suspicions
  if (!first) return <span className="text-faint">{missing}</span>
  const all = suspicions.map(({ text: each }) => each).join('; ')
  return (
    <Mark tone={first.tone} title={all}>
      {all}
    </Mark>
  )
}
