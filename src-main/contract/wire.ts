// No schema library here: the page reads frames, too, and carries none. Parameters of calls are checked by zod in rpc.ts.

/** Version of everything in this folder. A breaking change is a new number; a server speaks this one and the last. */
export const protocol = 1

/** Limits of a frame from a screen or a script (security page, SR-005). */
export const frameMaxBytes = 262_144
/** Deepest nesting that a frame may have. */
export const frameMaxDepth = 16

/** What went wrong with a call: a stable code, and a sentence that says what to do. */
export interface CallError {
  readonly code: string
  readonly message: string
}

/** The frames. A note is one-way; a call is answered by exactly one reply or refusal of its id. */
export type Frame =
  | { readonly k: 'call'; readonly id: number; readonly name: string; readonly params: unknown }
  | { readonly k: 'reply'; readonly id: number; readonly value: unknown }
  | { readonly k: 'refusal'; readonly id: number; readonly code: string; readonly message: string }
  | { readonly k: 'note'; readonly name: string; readonly body: unknown }

/** Longest name of a call or note, and longest code, characters. */
const nameMax = 64
const isName = (value: unknown) => typeof value === 'string' && value.length <= nameMax
const isId = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

/** The members of each kind of frame besides `k`, with their checks; any other member makes it no frame. */
const members: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  call: { id: isId, name: isName, params: () => true },
  reply: { id: isId, value: () => true },
  refusal: { id: isId, code: isName, message: (value) => typeof value === 'string' },
  note: { name: isName, body: () => true },
}

/** The frame in a value that came in, or null when it is none. Looks at the outside only: what it carries stays unknown. */
export function readFrame(raw: unknown): Frame | null {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) return null
  const { k, ...rest } = raw as Record<string, unknown>
  const checks = typeof k === 'string' && Object.hasOwn(members, k) ? members[k] : undefined
  if (!checks) return null
  if (Object.keys(rest).some((name) => !Object.hasOwn(checks, name))) return null
  return Object.entries(checks).every(([name, check]) => check(rest[name])) ? (raw as Frame) : null
}

/** True when the value nests no deeper than the limit; looks at most `limit` levels down. */
export function withinDepth(value: unknown, limit = frameMaxDepth): boolean {
  if (value === null || typeof value !== 'object') return true
  if (limit === 0) return false
  return Object.values(value).every((member) => withinDepth(member, limit - 1))
}
