import { fail, ok, type Result } from '../../base/result'

/** Deepest nesting that is taken from outside (security page, SR-082). */
export const jsonMaxDepth = 64

/**
 * Parses JSON from outside. The depth is looked at before parsing: the built-in parser takes a million levels, and what
 * is done with its result later does not. The size has been limited by whoever read the bytes.
 */
export function parseGuarded(text: string): Result<unknown, string> {
  if (depthOf(text) > jsonMaxDepth) return fail(`nested deeper than ${jsonMaxDepth} levels`)
  try {
    return ok(JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value)))
  } catch {
    return fail('not JSON')
  }
}

function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth--
  }
  return deepest
}
