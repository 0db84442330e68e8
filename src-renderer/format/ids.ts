import { visible } from './visible'

/** An id in a cell: the first four and last two characters; copies carry the whole. Short ids stay as they are. */
export function shortId(id: string): string {
  const shown = visible(id)
  return shown.length <= 8 ? shown : `${shown.slice(0, 4)}…${shown.slice(-2)}`
}
