import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNodeFs } from '../../src-main/adapters/node/fs'
import { createHistories, type HistoriesOptions } from '../../src-main/adapters/store/open-history'
import { applicationId, storeFile, storeFormat } from '../../src-main/adapters/store/schema'
import type { ClusterRecord } from '../../src-main/domain/journal/record'
import { factsOf } from '../../src-main/domain/journal/row-facts'
import type { History, OpenedHistory } from '../../src-main/ports/history'
import { aRow } from '../helpers/a-row'
import { createManualClock } from '../helpers/manual-clock'
import { aTempFolder } from '../helpers/temp-folder'

vi.setConfig({ testTimeout: 30_000 }) // the disk and the machine are shared

const clock = createManualClock()
const day = 86_400_000
const histories = (folder: string, own: Partial<HistoriesOptions> = {}) =>
  createHistories({ fs: createNodeFs(), clock, folder, boot: 'boot-1', writtenBy: 'signalbox 0.1.0', ...own })

function open(folder: string, own: Partial<HistoriesOptions> = {}): OpenedHistory {
  const opened = histories(folder, own).open()
  if (!opened.ok) throw new Error(opened.error.message)
  onTestFinished(() => opened.value.history.close())
  return opened.value
}
const fold = () => join(aTempFolder(), 'store')
const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => aRow({ id: `d${from + at}`, monoMs: 1_000 + from + at }))
const aRecord = (seq: number, wallMs: number): ClusterRecord => ({
  stamp: { stream: 'cluster', seq, wallMs, monoMs: seq, boot: 'boot-1' },
  body: { kind: 'replica.gone', replicaId: `r${seq}` },
})
const written = (history: History, ...batch: Parameters<typeof aRow>[0][]) =>
  history.write({ rows: batch.map((own) => aRow(own)), records: [] })
function value<T>(result: { ok: true; value: T } | { ok: false; error: { message: string } }): T {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}
const idsOf = (history: History) => value(history.page(null, 1_000)).map(({ facts }) => facts.id)

describe('the store', () => {
  test('is made with its folder, for the owner alone, and marked as ours', () => {
    const folder = fold()
    open(folder).history.close()
    const path = join(folder, storeFile)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const raw = new DatabaseSync(path)
    expect(raw.prepare('PRAGMA application_id').get()).toEqual({ application_id: applicationId })
    expect(raw.prepare('PRAGMA user_version').get()).toEqual({ user_version: storeFormat })
    expect(raw.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    raw.close()
  })

  test('gives back rows whole, newest first, with facts to search by', () => {
    const { history } = open(fold())
    const open1 = aRow({ id: 'a', outcome: null, truncated: { have: 1, full: 2 }, demo: true })
    const done = aRow({ id: 'b', session: null })
    value(history.write({ rows: [open1, done], records: [] }))
    const found = value(history.page(null, 10))
    expect(found.map((row) => row.open())).toEqual([done, open1])
    expect(found.map(({ facts }) => facts)).toEqual([factsOf(done), factsOf(open1)])
  })

  test('a row that ended replaces the one that began, and keeps its place', () => {
    const { history } = open(fold())
    value(written(history, { id: 'a', outcome: null }, { id: 'b' }))
    value(written(history, { id: 'a', outcome: { status: 503, end: 'refused' } }))
    expect(idsOf(history)).toEqual(['b', 'a'])
    expect(value(history.row('a'))?.open()?.outcome?.status).toBe(503)
    expect(value(history.row('zzz'))).toBeNull()
  })

  test('pages backwards without holes or doubles', () => {
    const { history } = open(fold())
    value(history.write({ rows: rows(25), records: [] }))
    const seen: string[] = []
    for (let before: number | null = null; ; ) {
      const page: ReturnType<typeof value<readonly { place: number; facts: { id: string } }[]>> = value(
        history.page(before, 10),
      )
      if (page.length === 0) break
      seen.push(...page.map(({ facts }) => facts.id))
      before = page.at(-1)?.place ?? null
    }
    expect(seen).toEqual(
      rows(25)
        .map(({ id }) => id)
        .reverse(),
    )
  })

  test('finds the turns of a session, and cluster records of a span', () => {
    const { history } = open(fold())
    value(
      written(history, { id: 'a', session: 's1' }, { id: 'b', session: 's2' }, { id: 'c', session: 's1' }),
    )
    value(history.write({ rows: [], records: [aRecord(1, 100), aRecord(2, 200), aRecord(3, 300)] }))
    expect(value(history.session('s1', 10)).map(({ facts }) => facts.id)).toEqual(['c', 'a'])
    expect(value(history.records(150, 300, 10)).map(({ stamp }) => stamp.seq)).toEqual([2, 3])
    expect(value(history.records(0, 999, 2)).map(({ stamp }) => stamp.seq)).toEqual([2, 3])
  })

  test('keeps its content over a restart', () => {
    const folder = fold()
    const first = open(folder).history
    value(first.write({ rows: rows(3), records: [aRecord(1, 100)] }))
    first.close()
    const again = open(folder, { boot: 'boot-2' })
    expect(again).toMatchObject({ state: 'ok', why: null, moved: null })
    expect(idsOf(again.history)).toEqual(['d2', 'd1', 'd0'])
    expect(value(again.history.records(0, 999, 9))).toEqual([aRecord(1, 100)])
  })

  test('takes all of a batch or nothing', () => {
    const { history } = open(fold())
    const broken = aRow({ id: 'x'.repeat(200) }) // longer than the table takes
    expect(history.write({ rows: [aRow({ id: 'a' }), broken], records: [] }).ok).toBe(false)
    expect(idsOf(history)).toEqual([])
    value(written(history, { id: 'b' }))
    expect(idsOf(history)).toEqual(['b'])
  })

  test('takes awkward text as it is', () => {
    const names = JSON.parse(
      readFileSync('test/fixtures/corpora/naughty-strings/blns.json', 'utf8'),
    ) as string[]
    const { history } = open(fold())
    const awkward = names.map((name, at) =>
      aRow({ id: `n${at}`, model: name, requestId: name.slice(0, 128) }),
    )
    value(history.write({ rows: awkward, records: [] }))
    const found = value(history.page(null, 1_000)).map((row) => row.open()?.model)
    expect(found.reverse().map((each) => JSON.stringify(each))).toEqual(
      names.map((each) => JSON.stringify(each)),
    )
  })

  test('100,000 rows are written in batches without the process growing', () => {
    const { history } = open(fold())
    const before = process.memoryUsage().rss
    for (let at = 0; at < 100_000; at += 1_000) value(history.write({ rows: rows(1_000, at), records: [] }))
    expect(value(history.page(null, 1))[0]?.facts.id).toBe('d99999')
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000)
  }, 60_000)
})

describe('[SR-107] retention', () => {
  const retention = { maxAgeMs: day, maxBytes: 2_000_000_000 }
  test('own rows go by the monotonic clock, whatever the wall clock says', () => {
    const { history } = open(fold(), { retention })
    value(written(history, { id: 'old', monoMs: 1_000 }, { id: 'new', monoMs: 2 * day }))
    value(history.prune({ monoMs: 2 * day + 1, wallMs: Date.UTC(1970, 0, 1), earlierRuns: true }))
    expect(idsOf(history)).toEqual(['new'])
  })

  test('of earlier runs at most a quarter goes at a time, since one wrong clock must not empty the store', () => {
    const folder = fold()
    const first = open(folder).history
    value(first.write({ rows: rows(8_000), records: [] }))
    first.close()
    const { history } = open(folder, { boot: 'boot-2', retention })
    const now = { monoMs: 0, wallMs: Date.UTC(2100, 0, 1) }
    expect(value(history.prune({ ...now, earlierRuns: false })).removed).toBe(0)
    expect(value(history.prune({ ...now, earlierRuns: true })).removed).toBe(2_000)
    expect(value(history.page(null, 1))[0]?.facts.id).toBe('d7999')
  })

  test('filled to 1.2 times its size, it is within its limit again, the oldest gone first', () => {
    const folder = fold()
    const limit = 2_000_000
    const { history } = open(folder, { retention: { maxAgeMs: day, maxBytes: limit } })
    let at = 0
    for (; history.bytes() < limit * 1.2; at += 200)
      value(history.write({ rows: rows(200, at), records: [] }))
    value(history.prune({ monoMs: 1_000, wallMs: clock.wallMs(), earlierRuns: false }))
    expect(history.bytes()).toBeLessThanOrEqual(limit)
    const left = idsOf(history)
    expect(left[0]).toBe(`d${at - 1}`)
    expect(left.length).toBeGreaterThan(200)
    history.close()
    expect(statSync(join(folder, storeFile)).size).toBeLessThanOrEqual(limit)
  })
})

describe('[F89] a store that cannot be used as it is', () => {
  const refused = (folder: string, own: Partial<HistoriesOptions> = {}) => {
    const opened = histories(folder, own).open()
    if (opened.ok) opened.value.history.close()
    return opened
  }
  const seeded = (count = 3) => {
    const folder = fold()
    const { history } = open(folder)
    value(history.write({ rows: rows(count), records: [] }))
    history.close()
    return folder
  }

  test('locked by another program: refused in words, within a second', () => {
    const folder = seeded()
    const other = new DatabaseSync(join(folder, storeFile))
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const started = performance.now()
    expect(refused(folder)).toMatchObject({
      ok: false,
      error: { kind: 'locked', message: expect.stringContaining('another program holds it locked') },
    })
    expect(performance.now() - started).toBeLessThan(1_800)
    other.exec('ROLLBACK')
    expect(idsOf(open(folder).history)).toHaveLength(3)
  })

  test('not a database: moved aside whole, a fresh one begun, reported', () => {
    const folder = seeded()
    const text = 'this is somebody else’s file\n'.repeat(500)
    writeFileSync(join(folder, storeFile), text)
    const opened = open(folder)
    expect(opened).toMatchObject({
      state: 'ok',
      moved: expect.stringMatching(/^quarantine-\d{8}T\d{6}Z-history\.sqlite$/),
    })
    expect(readFileSync(join(folder, opened.moved ?? ''), 'utf8')).toBe(text)
    expect(idsOf(opened.history)).toEqual([])
    value(written(opened.history, { id: 'fresh' }))
  })

  test.each([
    ['a column less, as an earlier build made it', 'ALTER TABLE decisions DROP COLUMN serveReason'],
    ['a table less', 'DROP TABLE records'],
  ])('ours, but with %s: moved aside, a fresh one begun, reported', (_name, change) => {
    const folder = seeded()
    const database = new DatabaseSync(join(folder, storeFile))
    database.exec(change)
    database.close()
    const opened = open(folder)
    expect(opened).toMatchObject({ state: 'ok', moved: expect.stringMatching(/^quarantine-/) })
    value(written(opened.history, { id: 'fresh' }))
    expect(idsOf(opened.history)).toEqual(['fresh'])
  })

  test("another program's database: moved aside, not touched", () => {
    const folder = seeded()
    rmSync(join(folder, storeFile))
    const other = new DatabaseSync(join(folder, storeFile))
    other.exec('CREATE TABLE theirs (a TEXT); INSERT INTO theirs VALUES (1)')
    other.close()
    const opened = open(folder)
    const kept = new DatabaseSync(join(folder, opened.moved ?? ''))
    onTestFinished(() => kept.close())
    expect(kept.prepare('SELECT a FROM theirs').all()).toEqual([{ a: '1' }])
  })

  const damagedPages = (path: string) => {
    const handle = openSync(path, 'r+')
    for (let page = 4; page < 60; page += 3) writeSync(handle, Buffer.alloc(64, 0xa5), 0, 64, page * 4_096)
    closeSync(handle)
  }
  test.each([
    ['looked through whole', {}],
    ['large, and only probed', { checkMaxBytes: 0 }],
  ])('corrupt after a clean stop, %s: found at start, moved aside, a fresh one begun', (_name, own) => {
    const folder = seeded(2_000)
    damagedPages(join(folder, storeFile))
    const opened = open(folder, own)
    expect(opened.moved).toMatch(/^quarantine-/)
    expect(opened.history.write({ rows: rows(1), records: [] }).ok).toBe(true)
  })

  test('a large one that is whole passes the probes, with or without content', () => {
    expect(open(seeded(300), { checkMaxBytes: 0 })).toMatchObject({ state: 'ok', why: null, moved: null })
    expect(open(seeded(0), { checkMaxBytes: 0 })).toMatchObject({ state: 'ok', why: null, moved: null })
  })

  test('damage that the probes did not meet is met in reading, and known from then on', () => {
    const folder = seeded(2_000)
    const { history } = open(folder, { checkMaxBytes: 0 })
    expect(history.met()).toEqual({ unreadable: 0, failure: null })
    damagedPages(join(folder, storeFile)) // the pages in memory are few
    for (let before = 2_001; before > 0; before -= 100) history.page(before, 100)
    expect(history.met()).toMatchObject({ failure: { kind: 'damaged' } })
  })

  test('a number that nobody can have written is damage', () => {
    const folder = seeded(5)
    const raw = new DatabaseSync(join(folder, storeFile))
    raw.exec('UPDATE decisions SET status = 9007199254740993 WHERE place = 3')
    raw.close()
    expect(open(folder).history.page(null, 10)).toMatchObject({ ok: false, error: { kind: 'damaged' } })
  })

  test('text that is not what was written is left out and counted, each once', () => {
    const folder = seeded(5)
    const raw = new DatabaseSync(join(folder, storeFile))
    raw.exec("UPDATE decisions SET body = replace(body, 'chat', 'chad') WHERE place IN (2, 4)")
    raw.close()
    const { history } = open(folder)
    for (let times = 0; times < 2; times++)
      expect(value(history.page(null, 10)).map((row) => row.open()?.id ?? null)).toEqual([
        'd4',
        null,
        'd2',
        null,
        'd0',
      ])
    expect(history.met()).toEqual({ unreadable: 2, failure: null })
  })

  test('a newer format: opened for reading, and says which version wrote it', () => {
    const folder = seeded()
    const raw = new DatabaseSync(join(folder, storeFile))
    raw.exec(
      `PRAGMA user_version = ${storeFormat + 6}; UPDATE about SET value = 'signalbox 9.1.0' WHERE name = 'writtenBy'`,
    )
    raw.close()
    const opened = open(folder)
    expect(opened).toMatchObject({
      state: 'read-only',
      moved: null,
      why: expect.stringMatching(/signalbox 9\.1\.0 in format 7, and this version knows format 1/),
    })
    expect(idsOf(opened.history)).toEqual(['d2', 'd1', 'd0'])
    expect(opened.history.write({ rows: rows(1), records: [] })).toMatchObject({ ok: false })
  })

  test('a link in its place is refused', () => {
    const folder = seeded()
    const path = join(folder, storeFile)
    renameSync(path, `${path}.real`)
    symlinkSync(`${path}.real`, path)
    expect(refused(folder)).toMatchObject({
      ok: false,
      error: { kind: 'denied', message: expect.stringContaining('links are refused') },
    })
  })

  test('a folder in its place, a file instead of the folder', () => {
    const blocked = join(aTempFolder(), 'store')
    writeFileSync(blocked, '')
    expect(refused(blocked)).toMatchObject({ ok: false, error: { kind: 'denied' } })
    expect(refused(join(blocked, 'below'))).toMatchObject({ ok: false, error: { kind: 'denied' } })
  })

  test('full: the batch is refused whole, and what was acknowledged can still be read', () => {
    const { history } = open(fold(), { pagesMax: 40 })
    let kept = 0
    let refusal = history.write({ rows: [], records: [] })
    for (; refusal.ok; kept += 10) refusal = history.write({ rows: rows(10, kept), records: [] })
    expect(refusal).toMatchObject({
      ok: false,
      error: { kind: 'full', message: expect.stringContaining('disk is full') },
    })
    expect(idsOf(history)).toHaveLength(kept - 10)
  })

  test('too little disk space: read-only, with the figure', () => {
    const folder = seeded()
    const fs = { ...createNodeFs(), freeBytes: () => ({ ok: true, value: 40 * 1_048_576 }) as const }
    expect(open(folder, { fs })).toMatchObject({
      state: 'read-only',
      why: expect.stringContaining('only 40 MiB'),
    })
  })
})

describe('[F91] a folder that goes away while the store is open', () => {
  test('is noticed', () => {
    const folder = fold()
    const { history } = open(folder)
    expect(history.present()).toEqual({ ok: true, value: null })
    rmSync(folder, { recursive: true })
    expect(history.present()).toMatchObject({ ok: false, error: { kind: 'gone' } })
    const again = open(folder)
    expect(again.state).toBe('ok')
    expect(existsSync(join(folder, storeFile))).toBe(true)
  })
})

describe('[F87] damage of the file at any place', () => {
  const seeded = () => {
    const folder = fold()
    const { history } = open(folder)
    value(history.write({ rows: rows(40), records: [aRecord(1, 100)] }))
    history.close()
    return { folder, whole: readFileSync(join(folder, storeFile)) }
  }

  test('a flipped byte: it starts, and what it still shows is what was written', () => {
    const { folder, whole } = seeded()
    const path = join(folder, storeFile)
    const wanted = new Map(rows(40).map((row) => [row.id, JSON.stringify(row)]))
    for (let step = 0; step < 120; step++) {
      const at = Math.floor((step * whole.length) / 120) + (step % 7)
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 0x41
      for (const name of readdirSync(folder)) rmSync(join(folder, name))
      writeFileSync(path, bytes, { mode: 0o600 })
      const opened = histories(folder).open()
      expect(opened.ok, opened.ok ? '' : `byte ${at}: ${opened.error.message}`).toBe(true)
      if (!opened.ok) continue
      const page = opened.value.history.page(null, 100)
      for (const stored of page.ok ? page.value : []) {
        const row = stored.open()
        if (row !== null) expect(JSON.stringify(row), `byte ${at}`).toBe(wanted.get(row.id))
      }
      opened.value.history.close()
    }
  })

  test.each([0, 1, 100, 4_095, 4_096, 10_000])('cut after %i bytes: it starts, and says so', (length) => {
    const { folder, whole } = seeded()
    const path = join(folder, storeFile)
    rmSync(path)
    writeFileSync(path, whole.subarray(0, length), { mode: 0o600 })
    const opened = open(folder)
    if (length === 0) expect(opened).toMatchObject({ moved: null, why: expect.stringContaining('was empty') })
    else expect(opened.moved).toMatch(/^quarantine-/)
    value(written(opened.history, { id: 'after' }))
    expect(value(opened.history.row('after'))?.open()?.id).toBe('after')
    const handle = openSync(path, 'r')
    const head = Buffer.alloc(15)
    readSync(handle, head, 0, 15, 0)
    closeSync(handle)
    expect(head.toString()).toBe('SQLite format 3')
  })

  test('cut to nothing while changes wait in its log: both are kept aside', () => {
    const { folder } = seeded()
    const path = join(folder, storeFile)
    writeFileSync(path, '')
    writeFileSync(`${path}-wal`, 'what was not yet in the file')
    const { moved } = open(folder)
    expect(readFileSync(join(folder, `${moved}-wal`), 'utf8')).toBe('what was not yet in the file')
  })
})
