import { fail, ok, type Result } from '../../base/result'
import type { HistoryError } from '../../ports/history'

interface Known {
  readonly kind: HistoryError['kind']
  readonly words: string
  /** How SQLite itself says it: some calls of the driver pass that on without the code. */
  readonly said: RegExp
}

/** SQLite's primary result codes (sqlite.org/rescode.html) that mean something to us. */
const kinds: Readonly<Record<number, Known>> = {
  5: { kind: 'locked', words: 'another program holds it locked', said: /^database is locked/ },
  6: { kind: 'locked', words: 'another program holds it locked', said: /^database table is locked/ },
  7: { kind: 'failed', words: 'there is not enough memory for it', said: /^out of memory/ },
  8: { kind: 'denied', words: 'it must not be written', said: /^attempt to write a readonly database/ },
  10: { kind: 'failed', words: 'the disk reports an error', said: /^disk I\/O error/ },
  // The driver's own words are for a whole number beyond 2^53: no value of ours.
  11: {
    kind: 'damaged',
    words: 'its content is damaged',
    said: /^database disk image is malformed|too large to be represented/,
  },
  13: {
    kind: 'full',
    words: 'the disk is full, or the store has reached its limit',
    said: /^database or disk is full/,
  },
  14: { kind: 'denied', words: 'it cannot be opened', said: /^unable to open database file/ },
  23: { kind: 'denied', words: 'it must not be opened', said: /^authorization denied/ },
  26: { kind: 'damaged', words: 'the file is not a database', said: /^file is not a database/ },
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
  const raw = thrown instanceof Error ? thrown.message.slice(0, 200) : String(thrown)
  const known = kinds[code] ?? Object.values(kinds).find(({ said }) => said.test(raw))
  return {
    kind: known?.kind ?? 'failed',
    message: `the store cannot be ${doing}: ${known?.words ?? raw}`,
  }
}
