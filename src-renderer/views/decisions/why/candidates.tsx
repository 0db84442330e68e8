import { ArrowRight, Check, CornerDownRight, Minus } from 'lucide-react'
import type { Reason, Verdict } from '../../../../src-main/domain/routing/decision'
import { latency } from '../../../format/durations'
import { missing, percent } from '../../../format/numbers'
import { visible } from '../../../format/visible'
import { Mark } from '../../../kit/mark'
import { Empty } from '../../../kit/states'
import type { Column } from '../../../kit/table/columns'
import { DataTable } from '../../../kit/table/data-table'
import { words } from '../../../words/en'

const text = words.why

const looks = {
  picked: { tone: 'ok', icon: Check },
  fallback: { tone: 'info', icon: CornerDownRight },
  skipped: { tone: 'warn', icon: ArrowRight },
  'not-considered': { tone: 'quiet', icon: Minus },
} as const satisfies Record<Verdict, unknown>

const fact = (reason: Reason, name: string, write: (value: number) => string) => {
  const value = reason.facts[name]
  return value === undefined ? <span className="text-faint">{missing}</span> : write(value)
}

const columns: readonly Column<Reason>[] = [
  {
    id: 'rank',
    title: text.columns.rank,
    width: '2.25rem',
    align: 'right',
    cell: ({ rank }) => rank ?? missing,
  },
  {
    id: 'replica',
    title: text.columns.replica,
    width: '4.75rem',
    cell: ({ replicaId }) => <span className="font-mono">{visible(replicaId)}</span>,
  },
  {
    id: 'verdict',
    title: text.columns.verdict,
    width: 'minmax(9rem, 1fr)',
    wraps: true,
    cell: ({ verdict, why }) => {
      // Most are not considered: their cause alone says so, and keeps their rows low.
      const because = text.because[why]
      const sentence = verdict === 'not-considered' ? because : `${text.verdicts[verdict]}: ${because}`
      return (
        <Mark tone={looks[verdict].tone} icon={looks[verdict].icon} wraps>
          {sentence}
        </Mark>
      )
    },
  },
  {
    id: 'inFlight',
    title: text.columns.inFlight,
    help: text.columnHelp.inFlight,
    width: '4.5rem',
    align: 'right',
    cell: (reason) => fact(reason, 'inFlight', String),
  },
  {
    id: 'kv',
    title: text.columns.kv,
    help: text.columnHelp.kv,
    width: '4rem',
    align: 'right',
    cell: (reason) => fact(reason, 'kvUsedRatio', percent),
  },
  {
    id: 'age',
    title: text.columns.age,
    help: text.columnHelp.age,
    width: '4.5rem',
    align: 'right',
    cell: (reason) => fact(reason, 'ageMs', (ms) => latency(ms)),
  },
]

/** Every candidate with its fate, the ranked ones first: the losers, too. */
export function Candidates({ reasons }: { readonly reasons: readonly Reason[] }) {
  const ranked = [...reasons].sort(
    (a, b) =>
      (a.rank ?? Number.POSITIVE_INFINITY) - (b.rank ?? Number.POSITIVE_INFINITY) ||
      order[a.verdict] - order[b.verdict],
  )
  return (
    <DataTable
      label={text.sections.candidates}
      columns={columns}
      rows={ranked}
      keyOf={({ replicaId }) => replicaId}
      rowLook={({ verdict }) => (verdict === 'picked' ? 'bg-soft-ok' : '')}
      empty={<Empty title={text.noCandidates} />}
    />
  )
}

const order: Readonly<Record<Verdict, number>> = { picked: 0, fallback: 1, skipped: 2, 'not-considered': 3 }
