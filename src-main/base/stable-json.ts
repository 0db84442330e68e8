/** Any JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/**
 * One text for one value: keys sorted, no blanks, members that are undefined left out. Chains, digests, plan hashes
 * and goldens rest on it. Numbers must be finite.
 */
export function stableJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((entry: Json) => stableJson(entry)).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value as Record<string, Json | undefined>)
      .filter((entry): entry is [string, Json] => entry[1] !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => `${JSON.stringify(key)}:${stableJson(member)}`)
    return `{${members.join(',')}}`
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error('bug: a number that JSON cannot hold')
  return JSON.stringify(value)
}
