import { EllipsisVertical } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { outcomeClause } from '../../field/clause'
import { rowTint } from '../../field/outcome'
import { Menu, type MenuItem } from '../../kit/menu'
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
  const [menu, setMenu] = useState<{ readonly id: string; readonly open: boolean } | null>(null)
  const [topToken, setTopToken] = useState(0)
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
    setAt(null)
    setTopToken((token) => token + 1)
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
    { keys: '.', title: keys.menu, run: withCurrent((row) => setMenu({ id: row.id, open: true })) },
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
  const columns = useMemo(() => {
    const hidden = new Set(chosen.hiddenColumns)
    return decisionColumns(chosen.zone).filter(({ id }) => !hidden.has(`decisions.${id}`))
  }, [chosen])
  return (
    <VirtualTable
      label={words.decisions.table}
      columns={columns}
      rows={rows}
      keyOf={keyOf}
      selected={shown}
      onOpen={(row) => {
        hold()
        setAt(row.id)
        actions.why(row)
      }}
      topToken={topToken}
      rowLook={rowTint}
      onAtTop={(atTop) => (atTop ? undefined : hold())}
      comfortable={chosen.density === 'comfortable'}
      rowEnd={(row) => (
        <RowMenu
          items={() => actions.menu(row)}
          used={menu?.id === row.id}
          open={menu?.id === row.id && menu.open}
          onOpen={(open) => {
            if (open) hold()
            setMenu({ id: row.id, open })
          }}
        />
      )}
    />
  )
}

/** The menu of a row. Only the one that was used last is a real menu: dozens of closed ones would cost each redraw. */
function RowMenu({
  items,
  used,
  open,
  onOpen,
}: {
  items(): readonly MenuItem[]
  readonly used: boolean
  readonly open: boolean
  onOpen(open: boolean): void
}) {
  const box = useRef<HTMLSpanElement>(null)
  // The list, not the button: Space and the other keys of the list are the list's again.
  const list = () => box.current?.closest<HTMLElement>('[role="grid"]') ?? null
  const button = (
    <button
      type="button"
      aria-label={words.decisions.rowMenu}
      aria-haspopup="menu"
      title={words.decisions.rowMenu}
      onClick={used ? undefined : () => onOpen(true)}
      className="flex size-6 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
    >
      <EllipsisVertical aria-hidden="true" className="size-4" />
    </button>
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: presses in the menu are not presses on the row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the row takes keys only when it has the focus itself
    <span ref={box} onClick={(event) => event.stopPropagation()}>
      {used ? (
        <Menu trigger={button} items={items()} open={open} onOpenChange={onOpen} focusAfter={list} />
      ) : (
        button
      )}
    </span>
  )
}
