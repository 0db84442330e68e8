import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { fail, ok, type Result } from '../../base/result'
import type { Bytes } from '../../base/units'
import type { ClusterRecord, DecisionRow } from '../../domain/journal/record'
import { factsOf, type RowFacts } from '../../domain/journal/row-facts'
import type { History, HistoryBatch, HistoryError, Retention, StoredRow } from '../../ports/history'
import { pruneStore } from './retention'
import { factColumns, pragma, textSum } from './schema'
import { attempt } from './sqlite-errors'

/** What a history over an open database needs besides it. */
export interface SqliteHistoryOptions {
  /** This run of the writing process. */
  readonly boot: string
  readonly retention: Retention
  /** True while the file still stands where it was opened. */
  readonly stillThere: () => boolean
  readonly readOnly: boolean
}

/** A history over an open database of our format. Every statement is prepared once. */
export function createSqliteHistory(database: DatabaseSyncInstance, options: SqliteHistoryOptions): History {
  const { boot, retention } = options
  const met = createDamageMet()
  const statements = prepareStatements(database, options.readOnly)
  const inTransaction = (run: () => void) => {
    database.exec('BEGIN IMMEDIATE')
    try {
      run()
      database.exec('COMMIT')
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
  const row = (raw: unknown) => storedRow(raw, met)
  const bytes = (): Bytes => pragma(database, 'page_count') * pragma(database, 'page_size')
  return {
    write: (batch) =>
      attempt('written', () => {
        inTransaction(() => writeBatch(statements, batch, boot))
        return null
      }),
    page: (before, count) =>
      met.reading(() => statements.page.all(before ?? Number.MAX_SAFE_INTEGER, count).map(row)),
    row: (id) =>
      met.reading(() => {
        const found: unknown = statements.row.get(id)
        return found === undefined || found === null ? null : row(found)
      }),
    session: (session, count) => met.reading(() => statements.session.all(session, count).map(row)),
    records: (fromWallMs, toWallMs, count) =>
      met.reading(() =>
        statements.records
          .all(fromWallMs, toWallMs, count)
          .reverse()
          .flatMap((raw) => storedRecord(raw, met)),
      ),
    met: met.now,
    prune: (now) => attempt('pruned', () => pruneStore(database, { ...now, boot, retention, inTransaction })),
    present: () =>
      options.stillThere()
        ? ok(null)
        : fail({ kind: 'gone', message: 'the store was deleted while Signalbox was running' }),
    bytes,
    close() {
      attempt('closed', () => {
        if (!options.readOnly) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      })
      attempt('closed', () => database.close())
    },
  }
}

type Statements = ReturnType<typeof prepareStatements>

function prepareStatements(database: DatabaseSyncInstance, readOnly: boolean) {
  const columns = [...factColumns, 'boot', 'monoMs', 'body', 'sum']
  const facts = ['place', ...factColumns, 'body', 'sum'].join(', ')
  const replaced = columns.slice(1).map((name) => `${name} = excluded.${name}`)
  const write = (sql: string) => database.prepare(readOnly ? 'SELECT 1 WHERE 0' : sql)
  return {
    decision: write(
      `INSERT INTO decisions (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT (id) DO UPDATE SET ${replaced.join(', ')}`,
    ),
    record: write('INSERT INTO records (wallMs, boot, monoMs, body, sum) VALUES (?, ?, ?, ?, ?)'),
    page: database.prepare(`SELECT ${facts} FROM decisions WHERE place < ? ORDER BY place DESC LIMIT ?`),
    row: database.prepare(`SELECT ${facts} FROM decisions WHERE id = ?`),
    session: database.prepare(`SELECT ${facts} FROM decisions WHERE session = ? ORDER BY place DESC LIMIT ?`),
    records: database.prepare(
      'SELECT place, body, sum FROM records WHERE wallMs BETWEEN ? AND ? ORDER BY place DESC LIMIT ?',
    ),
  }
}

function writeBatch(statements: Statements, { rows, records }: HistoryBatch, boot: string): void {
  for (const row of rows) {
    const facts = factsOf(row)
    const body = JSON.stringify(row)
    const values = factColumns.map((name) => columnValue(facts[name]))
    statements.decision.run(...values, boot, row.monoMs, body, textSum(body))
  }
  for (const record of records) {
    const body = JSON.stringify(record)
    const { wallMs, monoMs } = record.stamp
    statements.record.run(wallMs, record.stamp.boot, monoMs, body, textSum(body))
  }
}

/** A value that SQLite takes. One odd record must not keep the others of its batch from being written. */
function columnValue(value: unknown): string | number | null {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/** The two columns that hold yes and no. */
const flags: readonly string[] = ['truncated', 'demo']

type Columns = Readonly<Record<string, string | number | null>>

function storedRow(raw: unknown, met: DamageMet): StoredRow {
  const columns = raw as Columns
  const facts = Object.fromEntries(
    factColumns.map((name) => [name, flags.includes(name) ? columns[name] === 1 : columns[name]]),
  ) as unknown as RowFacts
  return {
    place: Number(columns.place),
    facts,
    open: () => met.parsed<DecisionRow>('decision', columns),
  }
}

function storedRecord(raw: unknown, met: DamageMet): ClusterRecord[] {
  const record = met.parsed<ClusterRecord>('record', raw as Columns)
  return record === null ? [] : [record]
}

/** Rows whose places are remembered, so that each is counted once; beyond it the count stands still. */
const unreadableMax = 100_000

/** What reading has met: texts that are not what was written, and what SQLite could not read at all. */
function createDamageMet() {
  const unreadable = new Set<string>()
  let failure: HistoryError | null = null
  return {
    reading<T>(read: () => T): Result<T, HistoryError> {
      const result = attempt('read', read)
      if (!result.ok) failure = result.error
      return result
    },
    /** A text that we wrote ourselves, or null when it is not what was written. */
    parsed<T>(table: 'decision' | 'record', { place, body, sum }: Columns): T | null {
      const value = parseSummed<T>(body, sum)
      if (value === null && unreadable.size < unreadableMax) unreadable.add(`${table} ${place}`)
      return value
    },
    now: (): ReturnType<History['met']> => ({ unreadable: unreadable.size, failure }),
  }
}

type DamageMet = ReturnType<typeof createDamageMet>

function parseSummed<T>(body: unknown, sum: unknown): T | null {
  if (typeof body !== 'string' || textSum(body) !== sum) return null
  try {
    return JSON.parse(body) as T
  } catch {
    return null
  }
}
