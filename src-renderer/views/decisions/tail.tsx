import { EllipsisVertical } from 'lucide-react'
import { useState } from 'react'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { outcomeClause } from '../../field/clause'
import { rowTint } from '../../field/outcome'
import { IconButton } from '../../kit/button'
import { Menu } from '../../kit/menu'
import { VirtualTable } from '../../kit/table/virtual-table'
import { togglePause } from '../../state/page'
import { selectionOf } from '../../state/place'
import { moveSelection, useKeys } from '../../state/use-keys'
import { usePage } from '../../state/use-page'
import { useStore } from '../../state/use-store'
import { words } from '../../words/en'
import { decisionColumns } from './columns'
import { useRowActions } from './row-actions'

const keyOf = (row: DecisionRow) => row.id

/** The list: moving in it, or scrolling away from its top, pauses it; Space and G let it go on. */
export function Tail({ rows, onFilter }: { readonly rows: readonly DecisionRow[]; onFilter(): void }) {
  const page = usePage()
  const { places, preferences } = page
  const chosen = useStore(preferences)
  const selection = selectionOf(useStore(places.place))
  const [at, setAt] = useState<string | null>(null)
  const [menuOf, setMenuOf] = useState<string | null>(null)
  const actions = useRowActions()
  const shown = selection?.kind === 'decision' ? selection.id : at
  const current = rows.find((row) => row.id === shown) ?? null
  const hold = () => {
    if (!page.paused.get()) togglePause(page)
  }
  const move = (step: 1 | -1) => {
    hold()
    const next = moveSelection(rows, keyOf, shown, step)
    if (!next) return
    setAt(next.id)
    if (selection?.kind === 'decision') places.replace({ params: { sel: `decision:${next.id}` } })
  }
  const newest = () => {
    page.paused.set(null)
    setAt(rows[0]?.id ?? null)
  }
  const withCurrent = (run: (row: DecisionRow) => void) => () => {
    if (current) run(current)
  }
  const { keys } = words.decisions
  useKeys(keys.title, [
    { keys: 'j', title: keys.next, run: () => move(1) },
    { keys: 'ArrowDown', title: keys.next, run: () => move(1) },
    { keys: 'k', title: keys.previous, run: () => move(-1) },
    { keys: 'ArrowUp', title: keys.previous, run: () => move(-1) },
    { keys: 'Enter', title: keys.open, run: withCurrent(actions.why) },
    { keys: 'G', title: keys.newest, run: newest },
    { keys: 'g g', title: keys.newest, run: newest },
    { keys: '/', title: keys.filter, run: onFilter },
    { keys: '.', title: keys.menu, run: withCurrent((row) => setMenuOf(row.id)) },
    { keys: 'f', title: keys.filterCell, run: withCurrent((row) => actions.filterTo(outcomeClause(row))) },
    {
      keys: 'F',
      title: keys.excludeCell,
      run: withCurrent((row) => actions.filterTo(`-${outcomeClause(row)}`)),
    },
    { keys: 'c i', title: keys.copyId, run: withCurrent(actions.copyId) },
    { keys: 'c j', title: keys.copyJson, run: withCurrent(actions.copyJson) },
    { keys: 'c c', title: keys.copyCurl, run: withCurrent(actions.copyCurl) },
  ])
  const hidden = new Set(chosen.hiddenColumns)
  return (
    <VirtualTable
      label={words.decisions.table}
      columns={decisionColumns(chosen.zone).filter(({ id }) => !hidden.has(`decisions.${id}`))}
      rows={rows}
      keyOf={keyOf}
      selected={shown}
      onOpen={(row) => {
        hold()
        setAt(row.id)
        actions.why(row)
      }}
      rowLook={rowTint}
      onAtTop={(atTop) => (atTop ? undefined : hold())}
      comfortable={chosen.density === 'comfortable'}
      rowEnd={(row) => (
        // Presses in the menu are not presses on the row.
        // biome-ignore lint/a11y/noStaticElementInteractions: it only stops what the menu within has handled
        <span onClick={(event) => event.stopPropagation()} onKeyDown={(event) => event.stopPropagation()}>
          <Menu
            trigger={<IconButton icon={EllipsisVertical} label={words.decisions.rowMenu} />}
            items={actions.menu(row)}
            open={menuOf === row.id}
            onOpenChange={(open) => setMenuOf(open ? row.id : null)}
          />
        </span>
      )}
    />
  )
}
