import type { Result } from '../base/result'

/** A small named value that outlives the process. */
export interface Document<T> {
  /** The value in force. */
  value(): T
  /** When it returns ok, the new value is on the disk and in force; on an error the old one stays in force. */
  save(value: T): Result<void, { readonly words: string }>
}
