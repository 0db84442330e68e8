import type { ReplyOf } from '../../../src-main/contract/peer'
import type { Rpc } from '../../../src-main/contract/rpc'
import { clauseOf } from '../../field/clause'
import { fewSamples } from '../../field/reading-cell'
import { reasonText } from '../../field/reasons'
import { latency } from '../../format/durations'
import { shortId } from '../../format/ids'
import { count, missing, percent } from '../../format/numbers'
import { visible } from '../../format/visible'
import { Mark } from '../../kit/mark'
import { Empty, Failure, Loading } from '../../kit/states'
import type { Column } from '../../kit/table/columns'
import { DataTable } from '../../kit/table/data-table'
import { useCall } from '../../state/use-call'
import { usePage } from '../../state/use-page'
import { useStore } from '../../state/use-store'
import { words } from '../../words/en'

/** The fields by which decisions can be counted. */
export const groupFields = ['reason', 'replica', 'session', 'policy', 'outcome'] as const
/** One of them. */
export type GroupField = (typeof groupFields)[number]

type Groups = ReplyOf<Rpc['decisions.groups']>
type Group = Groups['groups'][number]

const text = words.decisions

/** Counts of the full population by one field; pressing a line filters the list to it. */
export function GroupTable({ by, filter }: { readonly by: GroupField; readonly filter: string }) {
  const { places, paused, preferences } = usePage()
  const pause = useStore(paused)
  const { density } = useStore(preferences)
  const { data, error, refetch } = useCall('decisions.groups', { by, filter }, { everyMs: pause ? 0 : 1_000 })
  const failure = error ? (
    <Failure what={text.failed} why={error.message} onRetry={() => void refetch()} />
  ) : null
  if (!data) return failure ?? <Loading waitingFor={text.waitingFor} />
  const open = ({ key }: Group) => {
    const clause = clauseOf(by, key)
    places.go({ params: { by: null, q: [filter, clause].filter(Boolean).join(' ') } })
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {failure}
      <DataTable
        label={text.groupTable(text.groups[by])}
        columns={columnsOf(by, data)}
        rows={[...data.groups].sort((a, b) => b.failed - a.failed || b.count - a.count)}
        keyOf={({ key }) => key}
        onOpen={open}
        comfortable={density === 'comfortable'}
        empty={<Empty title={text.emptyFiltered(count(data.searched))} />}
      />
    </div>
  )
}

function columnsOf(by: GroupField, { groups }: Groups): readonly Column<Group>[] {
  const all = Math.max(
    1,
    groups.reduce((sum, group) => sum + group.count, 0),
  )
  const time = (id: 'ttftMsP50' | 'ttftMsP99', title: string, q: 'p50' | 'p99'): Column<Group> => ({
    id,
    title,
    width: '7rem',
    align: 'right',
    sortBy: (group) => group[id],
    cell: (group) => {
      const ms = group[id]
      const few = fewSamples(q, group.count)
      return (
        <span className={few ? 'text-faint' : ''} title={few ?? undefined}>
          {ms === null ? missing : latency(ms)}
        </span>
      )
    },
  })
  const { groupColumns: titles } = text
  return [
    {
      id: 'key',
      title: titles.key,
      width: 'minmax(10rem, 1fr)',
      sortBy: ({ key }) => key,
      cell: ({ key }) => (
        <span className="font-mono" title={visible(key)}>
          {key === '' ? text.groupNone : labelOf(by, key)}
        </span>
      ),
    },
    {
      id: 'count',
      title: titles.count,
      width: '7rem',
      align: 'right',
      sortBy: (group) => group.count,
      cell: (group) => count(group.count),
    },
    {
      id: 'share',
      title: titles.share,
      width: '12rem',
      sortBy: (group) => group.count,
      cell: (group) => <ShareBar ratio={group.count / all} />,
    },
    {
      id: 'failed',
      title: titles.failed,
      width: '7rem',
      align: 'right',
      sortBy: ({ failed }) => failed,
      cell: ({ failed }) =>
        failed === 0 ? <span className="text-faint">0</span> : <Mark tone="crit">{count(failed)}</Mark>,
    },
    time('ttftMsP50', titles.p50, 'p50'),
    time('ttftMsP99', titles.p99, 'p99'),
  ]
}

const labelOf = (by: GroupField, key: string) =>
  by === 'session' ? shortId(key) : by === 'reason' ? reasonText(key) : visible(key)

/** A part of the whole as a bar with its figure. */
export function ShareBar({ ratio }: { readonly ratio: number }) {
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden="true" className="h-2 w-20 overflow-hidden rounded-control bg-hover">
        <span
          className="block h-full bg-series-1"
          style={{ width: `${Math.max(ratio * 100, ratio > 0 ? 2 : 0)}%` }}
        />
      </span>
      {percent(ratio)}
    </span>
  )
}
