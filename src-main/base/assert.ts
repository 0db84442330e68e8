/** Stops on a bug of ours. For failures that can happen on a bad day return a `Result` instead. */
export function assert(condition: boolean, why = 'assertion failed'): asserts condition {
  if (!condition) throw new Error(`bug: ${why}`)
}

/** The value, or a stop when it is missing although the code before has made sure that it is there. */
export function present<T>(value: T | null | undefined, why: string): T {
  if (value === null || value === undefined) throw new Error(`bug: missing ${why}`)
  return value
}
