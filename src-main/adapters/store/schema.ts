import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { RowFacts } from '../../domain/journal/row-facts'

/** Format of the store: a change of the tables is a new number and a step in a migration. */
export const storeFormat = 1
/** Marks our files among SQLite databases: "SgBx". */
export const applicationId = 0x53674278
/** Name of the file in the store's folder. */
export const storeFile = 'history.sqlite'

/** Columns that filters and groups read, in the order in which they are bound; the rest of a row is in `body`. */
export const factColumns = [
  'id',
  'requestId',
  'wallMs',
  'outcome',
  'status',
  'reason',
  'serveReason',
  'session',
  'model',
  'path',
  'policy',
  'pick',
  'served',
  'rank',
  'consultUs',
  'ttftMs',
  'durationMs',
  'promptTokens',
  'outputTokens',
  'cachedTokens',
  'finish',
  'movedFrom',
  'turn',
  'truncated',
  'attempts',
  'asked',
  'demo',
] as const satisfies readonly (keyof RowFacts)[]

/** Longest text of a row; a longer one is a bug of ours and is refused by the table. */
const bodyMaxCharacters = 1_000_000

/** Makes the tables of format 1 in an empty database. */
export function createTables(database: DatabaseSyncInstance): void {
  database.exec(`
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA application_id = ${applicationId};
    BEGIN;
    CREATE TABLE decisions (
      place INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE CHECK (length(id) <= 128),
      ${factColumns
        .slice(1)
        .map((name) => `${name} ANY`)
        .join(',\n      ')},
      boot TEXT NOT NULL,
      monoMs REAL NOT NULL,
      body TEXT NOT NULL CHECK (length(body) <= ${bodyMaxCharacters}),
      sum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX decisions_by_session ON decisions (session, place) WHERE session IS NOT NULL;
    CREATE TABLE records (
      place INTEGER PRIMARY KEY,
      wallMs REAL NOT NULL,
      boot TEXT NOT NULL,
      monoMs REAL NOT NULL,
      body TEXT NOT NULL CHECK (length(body) <= ${bodyMaxCharacters}),
      sum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX records_by_time ON records (wallMs);
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    PRAGMA user_version = ${storeFormat};
    COMMIT;
  `)
}

/** Settings of every connection (security page 9.4). NORMAL: what is written here is write-behind data. */
export function configure(database: DatabaseSyncInstance, pagesMax: number | null): void {
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA journal_size_limit = 16777216;
    ${pagesMax === null ? '' : `PRAGMA max_page_count = ${pagesMax};`}
  `)
}

/** How long a statement waits for another program's lock, ms (security page 9.4). */
export const busyTimeoutMs = 2_000

/** One number of a pragma. */
export function pragma(database: DatabaseSyncInstance, name: string): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, unknown> | undefined
  return Number(Object.values(row ?? {})[0] ?? Number.NaN)
}

/** Checksum of a text (FNV-1a, 32 bits): a flipped bit inside a cell is no error to SQLite, but one to us. */
export function textSum(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
