import { fail, ok, type Result } from '../../base/result'
import type { HistoryError } from '../../ports/history'

/** SQLite's primary result codes (sqlite.org/rescode.html) that mean something to us. */
const kinds: Readonly<Record<number, { readonly kind: HistoryError['kind']; readonly words: string }>> = {
  5: { kind: 'locked', words: 'another program holds it locked' },
  6: { kind: 'locked', words: 'another program holds it locked' },
  7: { kind: 'failed', words: 'there is not enough memory for it' },
  8: { kind: 'denied', words: 'it must not be written' },
  10: { kind: 'failed', words: 'the disk reports an error' },
  11: { kind: 'damaged', words: 'its content is damaged' },
  13: { kind: 'full', words: 'the disk is full, or the store has reached its limit' },
  14: { kind: 'denied', words: 'it cannot be opened' },
  23: { kind: 'denied', words: 'it must not be opened' },
  26: { kind: 'damaged', words: 'the file is not a database' },
}

/** Runs something on the database; what it throws becomes a value with the name of what was done. */
export function attempt<T>(doing: string, run: () => T): Result<T, HistoryError> {
  try {
    return ok(run())
  } catch (thrown) {
    return fail(historyError(doing, thrown))
  }
}

/** An error of SQLite in our words. */
export function historyError(doing: string, thrown: unknown): HistoryError {
  const code = thrown instanceof Error && 'errcode' in thrown ? Number(thrown.errcode) & 0xff : Number.NaN
  const known = kinds[code]
  const raw = thrown instanceof Error ? thrown.message.slice(0, 200) : String(thrown)
  return {
    kind: known?.kind ?? 'failed',
    message: `the store cannot be ${doing}: ${known?.words ?? raw}`,
  }
}
