import type { ReactNode } from 'react'

/** One column of a table. */
export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** Stands in the heading, so that the cells are figures alone. */
  readonly unit?: string
  /** What the column means, and where it comes from. */
  readonly help?: string
  /** A track of a CSS grid: `4.5rem`, `minmax(6rem, 1fr)`. */
  readonly width: string
  readonly align?: 'right'
  /** A sentence that must be read whole: the row grows with it, where rows may be of different heights. */
  readonly wraps?: true
  /** What rows are ordered by; null goes last whichever way. A column without it is not sortable. */
  readonly sortBy?: (row: Row) => number | string | null
  cell(row: Row): ReactNode
}

/** By which column rows are ordered, and which way; `id` may name an order that is no column. */
export interface Sort {
  readonly id: string
  readonly descending: boolean
}

/** The rows in order, as a new array. Rows that are equal keep the order in which they came. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === sort?.id)?.sortBy
  if (!sortBy || !sort) return rows
  const sign = sort.descending ? -1 : 1
  return rows
    .map((row) => ({ row, by: sortBy(row) }))
    .sort((a, b) => {
      if (a.by === null || b.by === null) return (a.by === null ? 1 : 0) - (b.by === null ? 1 : 0)
      if (typeof a.by === 'string' || typeof b.by === 'string')
        return sign * String(a.by).localeCompare(String(b.by), 'en', { numeric: true })
      return sign * (a.by - b.by)
    })
    .map(({ row }) => row)
}

/** The order after a click on a heading: first falling, then rising, then the table's own again. */
export function nextSort(sort: Sort | null, id: string): Sort | null {
  if (sort?.id !== id) return { id, descending: true }
  return sort.descending ? { id, descending: false } : null
}

/** The grid tracks of some columns. */
export const tracks = <Row>(columns: readonly Column<Row>[]): string =>
  columns.map(({ width }) => width).join(' ')
