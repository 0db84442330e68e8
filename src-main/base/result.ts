/** What an operation that can fail on a normal bad day returns; bugs throw instead. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

/** A success. */
export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({
  ok: true,
  value,
})

/** An expected failure, with the facts that are needed to act on it. */
export const fail = <E>(error: E): { readonly ok: false; readonly error: E } => ({ ok: false, error })
