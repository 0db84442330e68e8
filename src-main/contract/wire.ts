import { z } from 'zod'

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

/** The frames. A note is one-way; a call is answered by exactly one reply of its id. */
export const frame = z.discriminatedUnion('k', [
  z.strictObject({
    k: z.literal('call'),
    id: z.int().nonnegative(),
    name: z.string().max(64),
    params: z.unknown(),
  }),
  z.strictObject({
    k: z.literal('reply'),
    id: z.int().nonnegative(),
    value: z.unknown(),
  }),
  z.strictObject({
    k: z.literal('refusal'),
    id: z.int().nonnegative(),
    code: z.string().max(64),
    message: z.string(),
  }),
  z.strictObject({
    k: z.literal('note'),
    name: z.string().max(64),
    body: z.unknown(),
  }),
])
/** One frame. */
export type Frame = z.infer<typeof frame>

/** True when the value nests no deeper than the limit; looks at most `limit` levels down. */
export function withinDepth(value: unknown, limit = frameMaxDepth): boolean {
  if (value === null || typeof value !== 'object') return true
  if (limit === 0) return false
  return Object.values(value).every((member) => withinDepth(member, limit - 1))
}
