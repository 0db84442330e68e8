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
  if (value === null || typeof value !== 'object') return scalar(value)
  if (isList(value)) return `[${value.map(stableJson).join(',')}]`
  // Built by hand: a whole audit log passes through here when it is verified.
  let text = ''
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${stableJson(member)}`
  }
  return `{${text}}`
}

/** Whether a JSON value that is no scalar is a list. (`Array.isArray` alone does not narrow a readonly list.) */
export const isList = (value: object): value is readonly Json[] => Array.isArray(value)

function scalar(value: null | boolean | number | string): string {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error('bug: a number that JSON cannot hold')
  return JSON.stringify(value)
}
