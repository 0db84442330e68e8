// biome-ignore-all lint/a11y/useSemanticElements: rows stand at computed places, which a table element cannot do
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { type Column, tracks } from './columns'
import { HeadCell } from './head'

/** What a table of many rows needs. */
export interface VirtualTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
  readonly selected: string | null
  onOpen(row: Row): void
  readonly rowLook?: (row: Row) => string
  /** Goes up when the first row should come into sight. */
  readonly topToken?: number
  /** Called with true when the first row is in sight, with false when it no longer is. */
  onAtTop?(atTop: boolean): void
  readonly comfortable?: boolean
  /** Stands at the end of each row. */
  readonly rowEnd?: (row: Row) => ReactNode
}

const rowHeights = { compact: 28, comfortable: 36 } as const

/**
 * A grid of which only the rows in sight are drawn. The roles are written out, because rows stand at computed places
 * and a `<table>` cannot do that; counts are those of all rows.
 */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { rows, columns, keyOf, selected } = props
  const box = useRef<HTMLDivElement>(null)
  const height = rowHeights[props.comfortable ? 'comfortable' : 'compact']
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    getItemKey: (index) => keyOf(rows[index] as Row),
    overscan: 8,
  })
  useScrollToSelected(virtual, rows, keyOf, selected)
  useAtTop(box, props.onAtTop)
  useTop(box, props.topToken ?? 0)
  const grid = { gridTemplateColumns: `${tracks(columns)}${props.rowEnd ? ' 1.75rem' : ''}` }
  return (
    <div
      ref={box}
      role="grid"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      tabIndex={0}
      className="clear-of-header h-full overflow-auto focus-visible:outline-offset-[-2px]"
    >
      <div role="rowgroup" className="sticky top-0 z-1 min-w-max border-line border-b bg-panel">
        <div
          role="row"
          tabIndex={-1}
          aria-rowindex={1}
          className="grid text-12 font-strong text-muted"
          style={grid}
        >
          {columns.map((column) => (
            <div key={column.id} role="columnheader" tabIndex={-1} className="min-w-0 px-2">
              <HeadCell column={column} sort={null} />
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="relative min-w-max" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => (
          <GridRow
            key={item.key}
            {...props}
            row={rows[item.index] as Row}
            at={item.index}
            style={{ ...grid, height, transform: `translateY(${item.start}px)` }}
          />
        ))}
      </div>
    </div>
  )
}

function GridRow<Row>({
  columns,
  row,
  at,
  style,
  keyOf,
  selected,
  onOpen,
  rowLook,
  rowEnd,
}: VirtualTableProps<Row> & {
  readonly row: Row
  readonly at: number
  readonly style: { readonly [name: string]: string | number }
}) {
  const isSelected = keyOf(row) === selected
  const look = isSelected ? 'selected-row' : (rowLook?.(row) ?? '')
  return (
    <div
      role="row"
      aria-rowindex={at + 2}
      aria-selected={isSelected}
      tabIndex={-1}
      onClick={() => onOpen(row)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row)
      }}
      className={`absolute inset-x-0 top-0 grid cursor-pointer items-center border-line border-b text-13 hover:bg-hover focus-visible:outline-offset-[-2px] ${look}`}
      style={style}
    >
      {columns.map((column) => (
        <div
          key={column.id}
          role="gridcell"
          tabIndex={-1}
          className={`min-w-0 truncate px-2 ${column.align === 'right' ? 'text-right' : ''}`}
        >
          {column.cell(row)}
        </div>
      ))}
      {rowEnd ? (
        <div role="gridcell" tabIndex={-1}>
          {rowEnd(row)}
        </div>
      ) : null}
    </div>
  )
}

/** Keeps the selected row in sight when the selection moves, not when rows come in. */
function useScrollToSelected<Row>(
  virtual: { scrollToIndex(index: number, options?: { align: 'auto' }): void },
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  selected: string | null,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come in must not yank the scroll
  useEffect(() => {
    const at = selected === null ? -1 : rows.findIndex((row) => keyOf(row) === selected)
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [selected])
}

/** Scrolls to the first row when the token goes up. */
function useTop(box: RefObject<HTMLDivElement | null>, token: number): void {
  useEffect(() => {
    if (token > 0) box.current?.scrollTo({ top: 0 })
  }, [box, token])
}

function useAtTop(box: RefObject<HTMLDivElement | null>, onAtTop?: (atTop: boolean) => void): void {
  useEffect(() => {
    const element = box.current
    if (!element || !onAtTop) return
    let was = true
    const look = () => {
      const is = element.scrollTop < 8
      if (is !== was) onAtTop(is)
      was = is
    }
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
  }, [box, onAtTop])
}
