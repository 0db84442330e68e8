/**
 * A text without anything a terminal would act on: control characters, C1 codes and bidirectional overrides become visible
 * escapes (SR-085). Data from outside passes through here before it is printed.
 */
export function plain(text: string): string {
  return text.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this looks for
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

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
