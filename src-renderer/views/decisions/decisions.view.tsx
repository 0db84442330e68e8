import { Columns3, ListTree } from 'lucide-react'
import { useState } from 'react'
import { factsOf } from '../../../src-main/domain/journal/row-facts'
import { Awaiting } from '../../field/awaiting'
import { count } from '../../format/numbers'
import { visible } from '../../format/visible'
import { Button, IconButton } from '../../kit/button'
import { Menu } from '../../kit/menu'
import { Segments } from '../../kit/segments'
import { Empty, Failure, Loading } from '../../kit/states'
import { useKeys } from '../../state/use-keys'
import { usePage } from '../../state/use-page'
import { useFeed, useHealth, useStore } from '../../state/use-store'
import { words } from '../../words/en'
import { defineView } from '../view'
import { decisionColumns } from './columns'
import { FilterBox } from './filter-box'
import { type GroupField, GroupTable, groupFields } from './groups'
import { Announcer, GapNotice, PauseNotice, ReasonsLine, SamplingStatement } from './statements'
import { Tail } from './tail'
import { type Rows, useRows } from './use-rows'
import { WhyDrawer } from './why/why-drawer'

export default defineView({
  id: 'decisions',
  title: words.decisions.title,
  order: 20,
  goKey: 'd',
  icon: ListTree,
  spansMs: [],
  Component: Decisions,
  drawer: { kind: 'decision', Component: WhyDrawer },
})

const text = words.decisions

/** The live list of routing decisions, the counts behind it, and why each fell as it did. */
function Decisions() {
  const { places } = usePage()
  const { params } = useStore(places.place)
  const rows = useRows()
  const fed = useFeed('decisions', 1_000)
  const [focusToken, setFocusToken] = useState(0)
  const by = groupFields.find((field) => field === params.by) ?? null
  const group = (field: GroupField | 'none') => places.go({ params: { by: field === 'none' ? null : field } })
  useKeys(text.groupColumns.key, [
    {
      keys: 'b',
      title: text.keys.group,
      run: () => group(groupFields[by === null ? 0 : groupFields.indexOf(by) + 1] ?? 'none'),
    },
  ])
  return (
    <div className="flex h-full flex-col bg-panel">
      <div className="flex flex-col gap-1 border-line border-b px-3 pt-2 pb-1">
        <div className="flex flex-wrap items-center gap-3">
          <FilterBox
            applied={rows.filterText}
            rows={fed.items}
            focusToken={focusToken}
            onApply={(filter) => places.go({ params: { q: filter } })}
          />
          <SamplingStatement searched={rows.searched} />
          <Segments
            label={text.group}
            value={by ?? 'none'}
            options={(['none', ...groupFields] as const).map((value) => ({
              value,
              title: text.groups[value],
            }))}
            onChange={group}
          />
          <ColumnChooser />
        </div>
        <ReasonsLine />
      </div>
      <GapNotice />
      {by ? (
        <GroupTable by={by} filter={rows.filter.ok ? rows.filterText : ''} />
      ) : (
        <List rows={rows} onFilter={() => setFocusToken((token) => token + 1)} />
      )}
      <PauseNotice />
      <Announcer />
    </div>
  )
}

function List({ rows, onFilter }: { readonly rows: Rows; onFilter(): void }) {
  const failure = rows.failure ? (
    <Failure what={text.failed} why={rows.failure.message} onRetry={rows.retry} />
  ) : null
  if (rows.rows.length > 0)
    return (
      <>
        {failure}
        <div className="min-h-0 flex-1">
          <Tail rows={rows.rows} onFilter={onFilter} />
        </div>
      </>
    )
  return (
    <div className="min-h-0 flex-1">
      {failure ?? (rows.loading ? <Loading waitingFor={text.waitingFor} /> : <NoRows rows={rows} />)}
    </div>
  )
}

/** Why there is nothing: nothing came yet, or which part of the filter lets nothing through. */
function NoRows({ rows: { searched, filter, filterText } }: { readonly rows: Rows }) {
  const { places } = usePage()
  const health = useHealth()
  const fed = useFeed('decisions', 1_000)
  const { params } = useStore(places.place)
  if (!searched && fed.items.length > 0 && params.from) return <Empty title={text.emptyRange} />
  if (!health && (!searched || !filter.ok)) return <Awaiting what={text.waitingFor} />
  if (!searched || !filter.ok)
    return (
      <Empty
        title={text.emptyWaiting}
        hint={health?.proxyUrl ? text.emptyTraffic(visible(health.proxyUrl)) : undefined}
      />
    )
  const facts = fed.items.map(factsOf)
  const barren = filter.value.clauses.find(({ matches }) => !facts.some(matches))
  const drop = (at: number, length: number) =>
    places.go({
      params: { q: `${filterText.slice(0, at)}${filterText.slice(at + length)}`.replace(/\s+/g, ' ').trim() },
    })
  return (
    <Empty
      title={text.emptyFiltered(count(searched.searched))}
      hint={barren ? text.emptyClause(visible(barren.text)) : undefined}
      action={
        <div className="flex gap-2">
          {barren && filter.value.clauses.length > 1 ? (
            <Button onClick={() => drop(barren.at, barren.text.length)}>
              {text.dropClause(visible(barren.text))}
            </Button>
          ) : null}
          <Button onClick={() => places.go({ params: { q: null } })}>{words.states.clearFilter}</Button>
        </div>
      }
    />
  )
}

function ColumnChooser() {
  const { preferences } = usePage()
  const chosen = useStore(preferences)
  const hidden = new Set(chosen.hiddenColumns)
  return (
    <Menu
      trigger={<IconButton icon={Columns3} label={text.columnsMenu} />}
      items={decisionColumns('utc').map(({ id, title }) => {
        const name = `decisions.${id}`
        return {
          id,
          title,
          checked: !hidden.has(name),
          run: () =>
            preferences.set({
              ...chosen,
              hiddenColumns: hidden.has(name)
                ? chosen.hiddenColumns.filter((each) => each !== name)
                : [...chosen.hiddenColumns, name],
            }),
        }
      })}
    />
  )
}
