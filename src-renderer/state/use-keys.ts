import { useEffect, useRef } from 'react'
import type { Shortcut } from './keys'
import { usePage } from './use-page'

/** Shortcuts that hold while the component is there. The group is made anew only when the keys themselves change. */
export function useKeys(title: string, shortcuts: readonly Shortcut[]): void {
  const { keys } = usePage()
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  const names = shortcuts.map(({ keys: pressed }) => pressed).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a key does is read when it is pressed
  useEffect(
    () =>
      keys.add({
        title,
        shortcuts: latest.current.map((shortcut, at) => ({
          ...shortcut,
          run: () => latest.current[at]?.run(),
        })),
      }),
    [keys, title, names],
  )
}

/** `j` and `k` over rows, `Enter` to open: the same in every list. Moving the selection is what `select` is told. */
export function moveSelection<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  selected: string | null,
  step: 1 | -1,
): Row | null {
  if (rows.length === 0) return null
  const at = rows.findIndex((row) => keyOf(row) === selected)
  if (at < 0) return rows[step > 0 ? 0 : rows.length - 1] ?? null
  return rows[Math.min(Math.max(at + step, 0), rows.length - 1)] ?? null
}
