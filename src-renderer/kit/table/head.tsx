import { ArrowDown, ArrowUp } from 'lucide-react'
import { Hint } from '../hint'
import type { Column, Sort } from './columns'

/** The content of one heading: title and unit, a button where the column can be sorted. */
export function HeadCell<Row>({
  column,
  sort,
  onSort,
}: {
  readonly column: Column<Row>
  readonly sort: Sort | null
  readonly onSort?: ((id: string) => void) | undefined
}) {
  const Arrow = sort?.descending ? ArrowDown : ArrowUp
  const label = (
    <span className="inline-flex min-w-0 items-baseline gap-1">
      <span className="truncate">{column.title}</span>
      {column.unit ? <span className="font-normal text-faint">{column.unit}</span> : null}
      {sort?.id === column.id ? <Arrow aria-hidden="true" className="size-3 shrink-0 self-center" /> : null}
    </span>
  )
  const cell =
    column.sortBy && onSort ? (
      <button
        type="button"
        onClick={() => onSort(column.id)}
        className={`flex min-h-6 w-full min-w-0 items-center rounded-control hover:text-ink ${column.align === 'right' ? 'justify-end' : ''}`}
      >
        {label}
      </button>
    ) : (
      <span className={`flex min-h-6 items-center ${column.align === 'right' ? 'justify-end' : ''}`}>
        {label}
      </span>
    )
  return column.help ? <Hint text={column.help}>{cell}</Hint> : cell
}

/** How a heading tells assistive tools its order. */
export const ariaSort = (sort: Sort | null, id: string): 'ascending' | 'descending' | 'none' =>
  sort?.id === id ? (sort.descending ? 'descending' : 'ascending') : 'none'
