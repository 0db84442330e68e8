// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls, and a row that opens, must be in reach of the keyboard
import { type ReactNode, useState } from 'react'
import { words } from '../../words/en'
import { type Column, nextSort, type Sort, sorted } from './columns'
import { ariaSort, HeadCell } from './head'

/** What a table of few rows needs. */
export interface DataTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** In the table's own order, which holds until a heading is pressed. */
  readonly rows: readonly Row[]
  keyOf(row: Row): string
  readonly selected?: string | null
  readonly onOpen?: (row: Row) => void
  /** A tint behind a row. */
  readonly rowLook?: (row: Row) => string
  /** When there are no rows. */
  readonly empty?: ReactNode
  readonly comfortable?: boolean
  /** Name of the table's own order, shown while it holds: the sort key is always visible. */
  readonly ownOrder?: string
  /** Below this width the table scrolls sideways instead of squeezing its columns. */
  readonly minWidth?: string
  /** For many columns: less room between them. */
  readonly tight?: boolean
}

/** A real table: sticky heading, sortable, figures right-aligned, whole rows to press. For up to a few hundred rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, rows, empty } = props
  const [sort, setSort] = useState<Sort | null>(null)
  if (rows.length === 0 && empty) return empty
  return (
    <section
      aria-label={props.label}
      tabIndex={0}
      className="clear-of-header max-h-full overflow-auto focus-visible:outline-offset-[-2px]"
    >
      {props.ownOrder ? (
        <p className="sticky left-0 px-2 pt-1 text-12 text-faint">
          {words.kit.sortedBy(columns.find(({ id }) => id === sort?.id)?.title ?? props.ownOrder)}
        </p>
      ) : null}
      <table
        className="w-full table-fixed border-collapse text-13"
        style={props.minWidth ? { minWidth: props.minWidth } : undefined}
      >
        <colgroup>
          {columns.map(({ id, width }) => (
            <col key={id} style={{ width: width.startsWith('minmax') ? 'auto' : width }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 bg-panel">
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                aria-sort={ariaSort(sort, column.id)}
                className={`border-line border-b ${props.tight ? 'px-1.5' : 'px-2'} text-12 font-strong text-muted ${column.align === 'right' ? 'text-right' : 'text-left'}`}
              >
                <HeadCell column={column} sort={sort} onSort={(id) => setSort(nextSort(sort, id))} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(rows, columns, sort).map((row) => (
            <BodyRow key={props.keyOf(row)} {...props} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function BodyRow<Row>({
  columns,
  row,
  keyOf,
  selected,
  onOpen,
  rowLook,
  comfortable,
  tight,
}: DataTableProps<Row> & { readonly row: Row }) {
  const isSelected = selected === keyOf(row)
  const look = isSelected ? 'selected-row' : (rowLook?.(row) ?? '')
  return (
    <tr
      aria-selected={onOpen ? isSelected : undefined}
      tabIndex={onOpen ? 0 : undefined}
      onClick={() => onOpen?.(row)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) onOpen?.(row)
      }}
      className={`${comfortable ? 'h-9' : 'h-7'} border-line border-b last:border-b-0 ${look} ${onOpen ? 'cursor-pointer hover:bg-hover focus-visible:outline-offset-[-2px]' : ''}`}
    >
      {columns.map((column) => (
        <td
          key={column.id}
          className={`${column.wraps ? '' : 'truncate'} ${tight ? 'px-1.5' : 'px-2'} ${column.align === 'right' ? 'text-right' : ''}`}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}
