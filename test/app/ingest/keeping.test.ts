import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { createHistories, type HistoriesOptions } from '../../../src-main/adapters/store/open-history'
import { storeFile, storeFormat } from '../../../src-main/adapters/store/schema'
import { createKeeper, type Keeper, type StoreState } from '../../../src-main/app/ingest/keeping'
import { waitingRowsMax } from '../../../src-main/app/ingest/waiting'
import { fail } from '../../../src-main/base/result'
import type { Histories, History, HistoryError } from '../../../src-main/ports/history'
import { aRow } from '../../helpers/a-row'
import { createManualClock, type ManualClock } from '../../helpers/manual-clock'
import { aTempFolder } from '../../helpers/temp-folder'

vi.setConfig({ testTimeout: 30_000 }) // the disk and the machine are shared

interface Kept {
  readonly clock: ManualClock
  readonly keeper: Keeper
  readonly turns: StoreState[]
}
function keep(histories: Histories | null): Kept {
  const clock = createManualClock()
  const turns: StoreState[] = []
  const keeper = createKeeper({ clock, timers: clock, histories, onTurn: (state) => turns.push(state) })
  onTestFinished(() => keeper.stop())
  return { clock, keeper, turns }
}
const real = (folder: string, own: Partial<HistoriesOptions> = {}) =>
  createHistories({
    fs: createNodeFs(),
    clock: createManualClock(),
    folder,
    boot: 'b',
    writtenBy: 'signalbox 0.1.0',
    ...own,
  })
const fold = () => join(aTempFolder(), 'store')
const ids = (keeper: Keeper) => {
  const page = keeper.past?.page(null, 1_000)
  return page?.ok ? page.value.map(({ facts }) => facts.id) : []
}

/** The real store, whose writes fail while the test says so. */
function failing(inner: Histories) {
  const disk: { error: HistoryError | null; met: HistoryError | null; opens: (boolean | undefined)[] } = {
    error: null,
    met: null,
    opens: [],
  }
  const histories: Histories = {
    open(options) {
      disk.opens.push(options?.suspect)
      disk.met = null
      const opened = inner.open(options)
      if (!opened.ok) return opened
      const { history } = opened.value
      const guarded: History = {
        ...history,
        met: () => ({ unreadable: 0, failure: disk.met }),
        write: (batch) => (disk.error ? fail(disk.error) : history.write(batch)),
      }
      return { ok: true, value: { ...opened.value, history: guarded } }
    },
  }
  return { disk, histories }
}

describe('writing behind', () => {
  test('what is handed over is stored within a second; an end replaces its beginning before either is written', () => {
    const { clock, keeper } = keep(real(fold()))
    expect(keeper.state).toEqual({ store: 'ok', why: null })
    keeper.row(aRow({ id: 'a', outcome: null }))
    keeper.row(aRow({ id: 'b' }))
    keeper.row(aRow({ id: 'a' }))
    expect(ids(keeper)).toEqual([])
    clock.advance(1_000)
    expect(ids(keeper).sort()).toEqual(['a', 'b'])
    const found = keeper.past?.row('a')
    expect(found?.ok && found.value?.open()?.outcome?.status).toBe(200)
  })

  test('a flood is written over several turns, and all of it when the keeper stops', () => {
    const folder = fold()
    const { clock, keeper } = keep(real(folder))
    for (let at = 0; at < 5_000; at++) keeper.row(aRow({ id: `d${at}` }))
    clock.advance(500)
    const page = keeper.past?.page(null, 10_000)
    expect(page?.ok && page.value.length).toBe(2_000)
    keeper.stop()
    const { keeper: again } = keep(real(folder, { boot: 'c' }))
    const all = again.past?.page(null, 10_000)
    expect(all?.ok && all.value.length).toBe(5_000)
  })

  test('nothing is opened when everything shall stay in memory', () => {
    const { clock, keeper, turns } = keep(null)
    keeper.row(aRow())
    clock.advance(60_000)
    expect(keeper.state).toEqual({ store: 'memory', why: null })
    expect(keeper.past).toBeNull()
    expect(turns).toEqual([])
  })
})

describe('[F70] [F91] a store that cannot be written', () => {
  const full: HistoryError = { kind: 'full', message: 'the store cannot be written: the disk is full' }

  test('full: memory, with the reason; what was acknowledged can still be read; it goes on when there is room', () => {
    const { disk, histories } = failing(real(fold()))
    const { clock, keeper, turns } = keep(histories)
    keeper.row(aRow({ id: 'before' }))
    clock.advance(500)
    disk.error = full
    keeper.row(aRow({ id: 'while' }))
    clock.advance(500)
    expect(turns).toEqual([{ store: 'memory', why: full.message }])
    expect(ids(keeper)).toEqual(['before'])
    clock.advance(60_000)
    expect(turns).toHaveLength(1)
    disk.error = null
    clock.advance(16_000)
    expect(turns.at(-1)).toEqual({ store: 'ok', why: null })
    expect(ids(keeper)).toEqual(['while', 'before'])
  })

  test('what waits is bounded; what was let go is counted and said', () => {
    const { disk, histories } = failing(real(fold()))
    disk.error = full
    const { clock, keeper, turns } = keep(histories)
    const row = aRow()
    for (let at = 0; at < waitingRowsMax + 123; at++) keeper.row({ ...row, id: `d${at}` })
    clock.advance(500)
    disk.error = null
    clock.advance(16_000)
    expect(turns.at(-1)).toEqual({ store: 'ok', why: '123 decisions of the time in between were not stored' })
  })

  test('a really full store (SQLITE_FULL) does the same', () => {
    const { clock, keeper, turns } = keep(real(fold(), { pagesMax: 40 }))
    for (let at = 0; at < 400; at++) keeper.row(aRow({ id: `d${at}` }))
    clock.advance(500)
    expect(turns).toEqual([{ store: 'memory', why: expect.stringContaining('the disk is full') }])
    expect(ids(keeper)).toEqual([])
  })
})

describe('[F89] a store that cannot be opened', () => {
  test('locked: memory and the reason; tried again, and kept from then on', () => {
    const folder = fold()
    keep(real(folder)).keeper.stop()
    const other = new DatabaseSync(join(folder, storeFile))
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const { clock, keeper, turns } = keep(real(folder))
    expect(keeper.state).toEqual({
      store: 'memory',
      why: expect.stringContaining('another program holds it locked'),
    })
    expect(keeper.past).toBeNull()
    keeper.row(aRow({ id: 'while' }))
    clock.advance(10_000)
    other.exec('ROLLBACK')
    clock.advance(10_000)
    expect(turns).toEqual([{ store: 'ok', why: null }])
    clock.advance(500)
    expect(ids(keeper)).toEqual(['while'])
  })

  test('written by a newer version: read-only, nothing is written, its history is there', () => {
    const folder = fold()
    const first = keep(real(folder))
    first.keeper.row(aRow({ id: 'old' }))
    first.keeper.stop()
    const raw = new DatabaseSync(join(folder, storeFile))
    raw.exec(`PRAGMA user_version = ${storeFormat + 1}`)
    raw.close()
    const { clock, keeper } = keep(real(folder))
    expect(keeper.state.store).toBe('read-only')
    keeper.row(aRow({ id: 'new' }))
    clock.advance(60_000)
    expect(ids(keeper)).toEqual(['old'])
  })

  test('damage that is met while running: moved aside, a fresh one, said', () => {
    const folder = fold()
    const { disk, histories } = failing(real(folder))
    const { clock, keeper, turns } = keep(histories)
    disk.error = { kind: 'damaged', message: 'the store cannot be written: its content is damaged' }
    keeper.row(aRow({ id: 'a' }))
    clock.advance(500)
    disk.error = null
    expect(disk.opens).toEqual([false, true])
    expect(turns).toEqual([
      { store: 'ok', why: expect.stringMatching(/the store was damaged; a new one was begun.*quarantine-/) },
    ])
    expect(readdirSync(folder).some((name) => name.startsWith('quarantine-'))).toBe(true)
    clock.advance(500)
    expect(ids(keeper)).toEqual(['a'])
  })

  test('what cannot be read is counted, and said once it is met', () => {
    const folder = fold()
    const first = keep(real(folder))
    for (const id of ['a', 'b', 'c']) first.keeper.row(aRow({ id }))
    first.keeper.stop()
    const raw = new DatabaseSync(join(folder, storeFile))
    raw.exec("UPDATE decisions SET sum = sum + 1 WHERE id <> 'b'")
    raw.close()
    const { clock, keeper, turns } = keep(real(folder))
    clock.advance(1_000)
    expect(turns).toEqual([])
    const page = keeper.past?.page(null, 10)
    expect(page?.ok && page.value.flatMap((row) => row.open()?.id ?? [])).toEqual(['b'])
    clock.advance(1_000)
    expect(turns).toEqual([
      { store: 'ok', why: expect.stringMatching(/^2 stored decisions or records are not/) },
    ])
    clock.advance(60_000)
    expect(turns).toHaveLength(1)
  })

  test('damage that is met in reading: moved aside like damage met in writing', () => {
    const { disk, histories } = failing(real(fold()))
    const { clock, turns } = keep(histories)
    disk.met = { kind: 'damaged', message: 'the store cannot be read: its content is damaged' }
    clock.advance(500)
    expect(disk.opens).toEqual([false, true])
    expect(turns).toEqual([{ store: 'ok', why: expect.stringMatching(/^the store was damaged; a new one/) }])
  })

  test('what was found when a store could be opened late is said, too', () => {
    const folder = aTempFolder()
    const inner = real(folder)
    let locked = true
    const { clock, turns } = keep({
      open: (asked) => (locked ? fail({ kind: 'locked', message: 'locked' }) : inner.open(asked)),
    })
    writeFileSync(join(folder, storeFile), '')
    locked = false
    clock.advance(20_000)
    expect(turns).toEqual([{ store: 'ok', why: expect.stringContaining('was empty') }])
  })

  test('[F91] the folder is deleted while running: made anew within a second, said, and kept from then on', () => {
    const folder = fold()
    const { clock, keeper, turns } = keep(real(folder))
    keeper.row(aRow({ id: 'lost' }))
    clock.advance(500)
    rmSync(folder, { recursive: true })
    keeper.row(aRow({ id: 'kept' }))
    clock.advance(1_000)
    expect(turns).toEqual([
      { store: 'ok', why: expect.stringMatching(/deleted while Signalbox was running; a new one was begun/) },
    ])
    expect(existsSync(join(folder, storeFile))).toBe(true)
    expect(ids(keeper)).toEqual(['kept'])
  })
})
