import { Server } from 'lucide-react'
import { useState } from 'react'
import { Awaiting } from '../../field/awaiting'
import { clauseOf } from '../../field/clause'
import { replicaStanding } from '../../field/replica-state'
import { type Suspect, suspects } from '../../field/suspicion'
import { Mark } from '../../kit/mark'
import { Empty } from '../../kit/states'
import { DataTable } from '../../kit/table/data-table'
import { selectionOf } from '../../state/place'
import { moveSelection, useKeys } from '../../state/use-keys'
import { useShownNow } from '../../state/use-now'
import { usePage } from '../../state/use-page'
import { useFeed, useStore } from '../../state/use-store'
import { words } from '../../words/en'
import { defineView } from '../view'
import { paceOf, replicaColumns } from './columns'
import { ReplicaDrawer } from './replica-drawer'

export default defineView({
  id: 'replicas',
  title: words.replicas.title,
  order: 30,
  goKey: 'r',
  icon: Server,
  spansMs: [],
  Component: Replicas,
  drawer: { kind: 'replica', Component: ReplicaDrawer },
})

const text = words.replicas
const keyOf = ({ replica }: Suspect) => replica.replica.id

/** Which engine is hot or sick: the most suspicious first. */
function Replicas() {
  const { places, preferences } = usePage()
  const fleet = useFeed('fleet', 500)
  const summary = useFeed('summary', 1_000)
  const now = useShownNow()
  const { density } = useStore(preferences)
  const selection = selectionOf(useStore(places.place))
  const [at, setAt] = useState<string | null>(null)
  const rows = suspects(fleet, summary, now.monoMs)
  const shown = selection?.kind === 'replica' ? selection.id : at
  const open = (row: Suspect) => places.go({ params: { sel: `replica:${keyOf(row)}` } })
  const move = (step: 1 | -1) => {
    const next = moveSelection(rows, keyOf, shown, step)
    if (!next) return
    setAt(keyOf(next))
    if (selection?.kind === 'replica') places.replace({ params: { sel: `replica:${keyOf(next)}` } })
  }
  const current = rows.find((row) => keyOf(row) === shown)
  useKeys(text.keys.title, [
    { keys: 'j', title: text.keys.next, run: () => move(1) },
    { keys: 'ArrowDown', title: text.keys.next, run: () => move(1) },
    { keys: 'k', title: text.keys.previous, run: () => move(-1) },
    { keys: 'ArrowUp', title: text.keys.previous, run: () => move(-1) },
    { keys: 'Enter', title: text.keys.open, run: () => (current ? open(current) : undefined) },
    {
      keys: 'd',
      title: text.keys.decisions,
      run: () =>
        current
          ? places.go({ view: 'decisions', params: { q: clauseOf('replica', keyOf(current)) } })
          : undefined,
    },
  ])
  if (!fleet) return <Awaiting what={text.waitingFor} />
  const context = { nowWallMs: now.wallMs, nowMonoMs: now.monoMs, sources: fleet.sources }
  return (
    <div className="flex h-full flex-col bg-panel">
      <Strip rows={rows} monoMs={now.monoMs} paces={fleet.sources} />
      <div className="min-h-0 flex-1">
        <DataTable
          label={text.table}
          columns={replicaColumns(context)}
          rows={rows}
          keyOf={keyOf}
          selected={shown}
          onOpen={open}
          rowLook={({ suspicions }) => (suspicions[0]?.tone === 'crit' ? 'bg-soft-crit' : '')}
          comfortable={density === 'comfortable'}
          ownOrder={text.suspicion}
          minWidth="82rem"
          tight
          empty={<Empty title={text.empty} hint={text.emptyHint} />}
        />
      </div>
    </div>
  )
}

/** How many replicas are in which state. */
function Strip({
  rows,
  monoMs,
  paces,
}: {
  readonly rows: readonly Suspect[]
  readonly monoMs: number
  readonly paces: Parameters<typeof paceOf>[0]
}) {
  const counts = new Map<string, { count: number; standing: ReturnType<typeof replicaStanding> }>()
  for (const { replica } of rows) {
    const standing = replicaStanding(replica, monoMs, paceOf(paces, replica.state.source))
    const known = counts.get(standing.word)
    counts.set(standing.word, { count: (known?.count ?? 0) + 1, standing })
  }
  return (
    <p className="flex min-h-9 flex-wrap items-center gap-4 border-line border-b px-3">
      {[...counts.values()].map(({ count, standing }) => (
        <Mark key={standing.word} tone={standing.tone} icon={standing.icon}>
          {text.strip(count, standing.word)}
        </Mark>
      ))}
    </p>
  )
}
