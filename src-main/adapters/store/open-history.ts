import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { fail, ok, type Result } from '../../base/result'
import type { Bytes } from '../../base/units'
import type { Histories, History, HistoryError, OpenedHistory, Retention } from '../../ports/history'
import type { Clock } from '../../ports/seams/clock'
import type { Fs } from '../../ports/seams/fs'
import { checkMaxBytes, damageOf } from './integrity'
import {
  applicationId,
  busyTimeoutMs,
  configure,
  createTables,
  pragma,
  storeFile,
  storeFormat,
} from './schema'
import { attempt } from './sqlite-errors'
import { createSqliteHistory } from './sqlite-history'

/** Default retention (decision D17): 24 h or 2 GB, whichever comes first. */
export const defaultRetention: Retention = { maxAgeMs: 24 * 3_600_000, maxBytes: 2_000_000_000 }
/** Free space below which nothing more is written (security page 9.5). */
const freeMinBytes: Bytes = 96 * 1024 * 1024
/** How long opening waits for another program's lock, ms; the start must not hang on it. */
const openTimeoutMs = 250

/** What the store is opened with. */
export interface HistoriesOptions {
  readonly fs: Fs
  readonly clock: Clock
  readonly folder: string
  readonly boot: string
  /** Written into the file, so that an older program can name the one that wrote it: `signalbox 0.1.0`. */
  readonly writtenBy: string
  readonly retention?: Retention
  /** Hard limit in pages of 4 KiB; for tests of a full disk. */
  readonly pagesMax?: number
  /** Largest file that is looked through whole at the start. */
  readonly checkMaxBytes?: Bytes
}

/** The SQLite store of a folder, which is made when it is missing. */
export const createHistories = (options: HistoriesOptions): Histories => ({
  open(asked) {
    const { fs, folder } = options
    const made = fs.makeFolder(folder)
    if (!made.ok)
      return fail({
        kind: 'denied',
        message: `the folder of the store cannot be used: ${made.error.message}`,
      })
    const path = join(folder, storeFile)
    const moved = asked?.suspect ? setAside(options, path) : ok(null)
    if (!moved.ok) return moved
    const opened = openAt(options, path)
    if (opened.ok) return ok({ ...opened.value, moved: moved.value })
    if (opened.error.kind !== 'damaged' || moved.value !== null) return opened
    return openFresh(options, path)
  },
})

/** What cannot be read is kept under another name, for whoever wants to look at it. */
function openFresh(options: HistoriesOptions, path: string): Result<OpenedHistory, HistoryError> {
  const aside = setAside(options, path)
  if (!aside.ok) return aside
  const opened = openAt(options, path)
  return opened.ok ? ok({ ...opened.value, moved: aside.value }) : opened
}

function setAside(
  { fs, clock, folder }: HistoriesOptions,
  path: string,
): Result<string | null, HistoryError> {
  const time = new Date(clock.wallMs()).toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '')
  const name = `quarantine-${time}-${storeFile}`
  for (const suffix of ['-wal', '-shm', '']) {
    const there = fs.stat(path + suffix)
    if (!there.ok || there.value === null) continue
    const renamed = fs.rename(path + suffix, join(folder, name + suffix))
    if (!renamed.ok)
      return fail({
        kind: 'denied',
        message: `the damaged store cannot be moved aside: ${renamed.error.message}`,
      })
    if (suffix === '') return ok(name)
  }
  return ok(null)
}

type Opened = Omit<OpenedHistory, 'moved'>

const wasEmpty =
  "the store's file was empty: what it had held is lost, and a new store was begun in it; a disk that was full or a program that cut the file does this"

function openAt(options: HistoriesOptions, path: string): Result<Opened, HistoryError> {
  const file = prepareFile(options, path)
  if (!file.ok) return file
  const { fresh, size, emptied } = file.value
  const opened = attempt('opened', () => new DatabaseSync(path, { timeout: openTimeoutMs }))
  if (!opened.ok) return opened
  const database = opened.value
  const ready = attempt('opened', () => examine(options, database, fresh, size))
  const answer = !ready.ok ? ready : ready.value
  if (!answer.ok || answer.value !== null) attempt('closed', () => database.close())
  if (!answer.ok) return answer
  if (answer.value !== null) return openReadOnly(options, path, answer.value)
  const history = attempt('opened', () => historyOf(options, database, path, false))
  if (history.ok) return ok({ state: 'ok', why: emptied ? wasEmpty : null, history: history.value })
  attempt('closed', () => database.close())
  return fail({ kind: 'damaged', message: `the store's tables are not ours: ${history.error.message}` })
}

interface Prepared {
  /** There is nothing in it yet. */
  readonly fresh: boolean
  readonly size: Bytes
  /** It was there, and there was nothing in it. */
  readonly emptied: boolean
}

/**
 * Makes the file with an explicit mode before SQLite does; a link in its place is refused. An empty file beside a log of
 * changes was cut: SQLite would throw that log away.
 */
function prepareFile({ fs }: HistoriesOptions, path: string): Result<Prepared, HistoryError> {
  const there = fs.stat(path)
  if (!there.ok) return fail({ kind: 'denied', message: there.error.message })
  if (there.value === null) {
    const created = fs.open(path, 'create')
    if (!created.ok) {
      const kind = created.error.code === 'ENOSPC' ? 'full' : 'denied'
      return fail({ kind, message: `the store cannot be made: ${created.error.message}` })
    }
    created.value.close()
    return ok({ fresh: true, size: 0, emptied: false })
  }
  const { kind, size } = there.value
  if (kind === 'link')
    return fail({ kind: 'denied', message: `${path} is a link, and links are refused here` })
  if (kind !== 'file') return fail({ kind: 'denied', message: `${path} is not a file` })
  const log = size === 0 ? fs.stat(`${path}-wal`) : null
  if (log?.ok && log.value !== null && log.value.size > 0)
    return fail({
      kind: 'damaged',
      message: "the store's file was cut: it is empty, and changes wait for it",
    })
  return ok({ fresh: size === 0, size, emptied: size === 0 })
}

/**
 * Looks at an open database and makes it ours when it is empty. Answers null when it can be used, or why it can only be
 * read. A lock is asked for at once: better to know now than at the first write.
 */
function examine(
  options: HistoriesOptions,
  database: DatabaseSyncInstance,
  fresh: boolean,
  size: Bytes,
): Result<string | null, HistoryError> {
  const format = pragma(database, 'user_version')
  if (format > storeFormat) return ok(newerFormat(database, format))
  if (!fresh && pragma(database, 'application_id') !== applicationId)
    return fail({ kind: 'damaged', message: "the store's file is another program's database" })
  const space = options.fs.freeBytes(options.folder)
  if (space.ok && space.value < freeMinBytes && !fresh)
    return ok(`only ${Math.floor(space.value / 1_048_576)} MiB of disk space are free; make room and restart`)
  if (fresh) createTables(database)
  configure(database, options.pagesMax ?? null)
  const damage = fresh ? null : damageOf(database, size <= (options.checkMaxBytes ?? checkMaxBytes))
  if (damage !== null) return fail({ kind: 'damaged', message: `the store is damaged: ${damage}` })
  const about = database.prepare(
    'INSERT INTO about (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  database.exec('BEGIN IMMEDIATE')
  about.run('writtenBy', options.writtenBy)
  database.exec('COMMIT')
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  return ok(null)
}

function newerFormat(database: DatabaseSyncInstance, format: number): string {
  const row = attempt('read', () =>
    database.prepare("SELECT value FROM about WHERE name = 'writtenBy'").get(),
  )
  const by =
    row.ok && row.value ? String((row.value as { readonly value: unknown }).value) : 'a newer Signalbox'
  return `it was written by ${by.slice(0, 64)} in format ${format}, and this version knows format ${storeFormat}; use the newer program, or move the store away`
}

function openReadOnly(options: HistoriesOptions, path: string, why: string): Result<Opened, HistoryError> {
  const opened = attempt('opened', () => new DatabaseSync(path, { timeout: openTimeoutMs, readOnly: true }))
  if (!opened.ok) return opened
  const history = attempt('opened', () => historyOf(options, opened.value, path, true))
  if (history.ok) return ok({ state: 'read-only', why, history: history.value })
  attempt('closed', () => opened.value.close())
  return history
}

const historyOf = (
  { boot, fs, retention = defaultRetention }: HistoriesOptions,
  database: DatabaseSyncInstance,
  path: string,
  readOnly: boolean,
): History =>
  createSqliteHistory(database, {
    boot,
    retention,
    readOnly,
    stillThere() {
      const there = fs.stat(path)
      return there.ok && there.value !== null
    },
  })
