// Text from data is drawn as text, and what would not show, or would turn the text around it, is written out.

/**
 * Controls (a tab and a line end have no place in a cell either), formats (zero-width and bidirectional ones, tags),
 * line and paragraph separators, halves of a pair, private use; besides, letters and selectors that are drawn as nothing.
 */
const unseen =
  /^(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\u115F\u1160\u180E\u3164\uFFA0]|\u034F|[\u17B4\u17B5]|[\u180B-\u180F]|[\uFE00-\uFE0F])$/u

/** Marks that pile on one letter: more than this many are not drawn, so that no text leaves its row. */
const marksMax = 4
const mark = /^\p{M}$/u

/** Longest text that goes into a cell, UTF-16 units; the rest is cut with an ellipsis. Copies carry the whole. */
const lengthMax = 512

/** A text from data as it may be drawn: `\u{202E}` for what is unseen, piles of marks cut, length capped. */
export function visible(text: string): string {
  let shown = ''
  let marks = 0
  for (const character of text) {
    marks = mark.test(character) ? marks + 1 : 0
    if (marks > marksMax) {
      if (marks === marksMax + 1) shown += '…'
      continue
    }
    shown += unseen.test(character) ? escaped(character) : character
    if (shown.length > lengthMax) return `${shown}…`
  }
  return shown
}

/** True when a text can be drawn as it is. */
export const isPlain = (text: string): boolean => visible(text) === text

const escaped = (character: string) =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0')}}`
