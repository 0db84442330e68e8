/**
 * A text without anything a terminal would act on: control characters, C1 codes and bidirectional overrides become visible
 * escapes (SR-085), spelled so that JSON text stays the same JSON. Data from outside passes through here before it is
 * printed.
 */
export function plain(text: string): string {
  return text.replace(unsafe, escaped)
}

/** The same for text of several lines that we have put together: its line ends stay. */
export const plainLines = (text: string): string =>
  text.replace(unsafe, (character) => (character === '\n' ? character : escaped(character)))

const escaped = (character: string) =>
  `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this looks for
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
