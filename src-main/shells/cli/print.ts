import { plain } from '../plain'

/** Rows as aligned columns under their titles; figures stand to the right. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '—' : plain(String(cell)))))
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)),
  )
  const right = titles.map(
    (_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number' || row[at] === null),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (right[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(titles), ...cells.map(line)].join('\n')
}
