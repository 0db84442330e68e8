import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { nodeTimers } from '../../../src-main/adapters/node/timers'
import { createHistories } from '../../../src-main/adapters/store/open-history'
import { createJournal, recordsInMemory } from '../../../src-main/app/ingest/journal'
import { createRecentRows } from '../../../src-main/app/ingest/recent-rows'
import { createSearch } from '../../../src-main/app/ingest/search'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import type { History } from '../../../src-main/ports/history'
import { aRow } from '../../helpers/a-row'
import { createManualClock } from '../../helpers/manual-clock'
import { aTempFolder } from '../../helpers/temp-folder'

vi.setConfig({ testTimeout: 30_000 }) // the disk and the machine are shared

const wall = Date.UTC(2026, 0, 1)
const rowAt = (at: number, own: Parameters<typeof aRow>[0] = {}): DecisionRow =>
  aRow({
    id: `d${at}`,
    wallMs: wall + at,
    session: at % 3 === 0 ? 's1' : `x${at}`,
    turn: Math.floor(at / 3),
    ...own,
  })

/** A store with the first rows, and a memory with the last ones; both hold what lies between. */
function aPast({
  stored = 0,
  remembered = 0,
  total = 0,
  own = (_: number) => ({}) as Parameters<typeof aRow>[0],
}) {
  const clock = createManualClock()
  const opened = createHistories({
    fs: createNodeFs(),
    clock,
    folder: join(aTempFolder(), 'store'),
    boot: 'old',
    writtenBy: 'signalbox 0.1.0',
  }).open()
  if (!opened.ok) throw new Error(opened.error.message)
  const { history } = opened.value
  onTestFinished(() => history.close())
  const all = Array.from({ length: total }, (_, at) => rowAt(at, own(at)))
  history.write({ rows: all.slice(0, stored), records: [] })
  const rows = createRecentRows()
  for (const row of all.slice(total - remembered)) rows.add(row)
  const journal = createJournal({ clock, boot: 'now', onRecords: () => {} })
  const search = createSearch({ rows, journal, past: () => history as History | null, timers: nodeTimers })
  return { search, journal, clock, history, rows, all }
}
function value<T>(result: { ok: true; value: T } | { ok: false; error: { message: string } }): T {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe('the last decisions', () => {
  test('come from memory, newest first, whole with their reasons', async () => {
    const { search } = aPast({ remembered: 10, total: 10 })
    const page = value(await search.last(3, ''))
    expect(page).toMatchObject({ matched: 10, searched: 10, fromWallMs: wall })
    expect(page.rows.map(({ id }) => id)).toEqual(['d9', 'd8', 'd7'])
    expect(page.rows[0]?.reasons).toHaveLength(2)
  })

  test('after a restart come from the store, too, each once, the newer one of two', async () => {
    const { search, rows } = aPast({ stored: 20, remembered: 8, total: 25 })
    rows.replace(rowAt(18, { outcome: { status: 418 } }))
    const page = value(await search.last(25, ''))
    expect(page.rows.map(({ id }) => id)).toEqual(Array.from({ length: 25 }, (_, at) => `d${24 - at}`))
    expect(page.rows.find(({ id }) => id === 'd18')?.outcome?.status).toBe(418)
    expect(page).toMatchObject({ matched: 25, searched: 25, fromWallMs: wall })
  })

  test('a filter looks through all of it and says through how much', async () => {
    const { search } = aPast({
      stored: 3_000,
      remembered: 100,
      total: 3_050,
      own: (at) =>
        at % 500 === 7 ? { outcome: { end: 'refused', status: 503, reason: 'router_unreachable' } } : {},
    })
    const page = value(await search.last(10, 'reason:router_unreachable'))
    expect(page.rows.map(({ id }) => id)).toEqual(['d3007', 'd2507', 'd2007', 'd1507', 'd1007', 'd507', 'd7'])
    expect(page).toMatchObject({ matched: 7, searched: 3_050, fromWallMs: wall })
  })

  test('a rare match in memory is found in the whole of it, however few are wanted', async () => {
    const { search } = aPast({ remembered: 2_000, total: 2_000 })
    expect(value(await search.last(1, 'session:s1'))).toMatchObject({ matched: 667, searched: 2_000 })
  })

  test('a filter that is not understood says where and what was meant', async () => {
    const { search } = aPast({})
    expect(await search.last(1, 'outcome:okk')).toMatchObject({
      ok: false,
      error: { code: 'bad_filter', message: expect.stringMatching(/at character 9: outcome is never okk/) },
    })
    expect(await search.groups('reason', 'x:')).toMatchObject({ ok: false, error: { code: 'bad_filter' } })
  })
})

describe('groups', () => {
  test('count the full population by a field, most frequent first', async () => {
    const { search } = aPast({
      stored: 300,
      remembered: 50,
      total: 320,
      own: (at) => ({
        pick: at % 4 === 0 ? 'r2' : 'r1',
        outcome: {
          served: at % 4 === 0 ? 'r2' : 'r1',
          ttftMs: at % 4 === 0 ? 500 : 100,
          status: at % 8 === 0 ? 500 : 200,
        },
      }),
    })
    const { groups, searched, by } = value(await search.groups('replica', ''))
    expect({ searched, by }).toEqual({ searched: 320, by: 'replica' })
    expect(groups.map(({ key, count, failed }) => [key, count, failed])).toEqual([
      ['r1', 240, 0],
      ['r2', 80, 40],
    ])
    expect(groups[1]?.ttftMsP50).toBeCloseTo(500, -1)
  })

  test.each([
    [
      'outcome',
      [
        ['ok', 9],
        ['refused', 1],
      ],
    ],
    [
      'reason',
      [
        ['ok', 9],
        ['no_replica', 1],
      ],
    ],
    ['policy', [['consistent-hash', 10]]],
  ] as const)('by %s', async (by, expected) => {
    const { search } = aPast({
      remembered: 10,
      total: 10,
      own: (at) =>
        at === 0 ? { outcome: { end: 'refused', status: 503, reason: 'no_replica', served: null } } : {},
    })
    const { groups } = value(await search.groups(by, ''))
    expect(groups.map(({ key, count }) => [key, count])).toEqual(expected)
  })
})

describe('an explanation', () => {
  test('is the row with its reasons and the last turns of its session up to it, from memory and store', () => {
    const { search } = aPast({ stored: 80, remembered: 30, total: 90 })
    const { row, session } = value(search.explain('d84'))
    expect(row.reasons).toHaveLength(2)
    expect(session.map(({ id }) => id)).toEqual(
      Array.from({ length: 20 }, (_, at) => `d${84 - (19 - at) * 3}`),
    )
  })

  test('of a stored row, of one without a session, of one that is not kept', () => {
    const { search } = aPast({
      stored: 10,
      remembered: 2,
      total: 12,
      own: (at) => (at === 11 ? { session: null } : {}),
    })
    expect(value(search.explain('d0')).session.map(({ id }) => id)).toEqual(['d0'])
    expect(value(search.explain('d11')).session.map(({ id }) => id)).toEqual(['d11'])
    expect(search.explain('zzz')).toMatchObject({ ok: false, error: { code: 'not_found' } })
  })
})

describe('the timeline', () => {
  test('joins memory and store, each record once, in order of time', () => {
    const { search, journal, history, clock } = aPast({})
    const before = createJournal({
      clock,
      boot: 'old',
      onRecords: (records) => void history.write({ rows: [], records }),
    })
    before.append({ kind: 'replica.gone', replicaId: 'r1' })
    clock.advance(1_000)
    journal.append({ kind: 'replica.gone', replicaId: 'r2' }, { kind: 'replica.gone', replicaId: 'r3' })
    history.write({ rows: [], records: journal.between(0, Number.MAX_SAFE_INTEGER).slice(0, 1) })
    const all = search.timeline(0, clock.wallMs())
    expect(
      all.map(({ body, stamp }) => [body.kind === 'replica.gone' && body.replicaId, stamp.boot, stamp.seq]),
    ).toEqual([
      ['r1', 'old', 1],
      ['r2', 'now', 1],
      ['r3', 'now', 2],
    ])
    expect(search.timeline(clock.wallMs(), clock.wallMs())).toHaveLength(2)
  })

  test('memory holds the newest records, and sequence numbers have no holes', () => {
    const { journal } = aPast({})
    for (let at = 0; at < recordsInMemory + 10; at++) journal.append({ kind: 'clock.jumped', byMs: at })
    const kept = journal.between(0, Number.MAX_SAFE_INTEGER)
    expect(kept.map(({ stamp }) => stamp.seq)).toEqual(
      Array.from({ length: recordsInMemory }, (_, at) => at + 11),
    )
  })
})
