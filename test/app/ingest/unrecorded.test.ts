import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { createHistories } from '../../../src-main/adapters/store/open-history'
import { createDecisions, type RowEvent } from '../../../src-main/app/ingest/decisions'
import { createFolding } from '../../../src-main/app/ingest/folding'
import { createUnrecorded } from '../../../src-main/app/ingest/unrecorded'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { aDecision, anEnd, aRow } from '../../helpers/a-row'
import { createManualClock } from '../../helpers/manual-clock'
import { aTempFolder } from '../../helpers/temp-folder'

vi.setConfig({ testTimeout: 30_000 }) // the disk and the machine are shared

/** Ingest's join as it is after a restart over these rows, in the order in which they were stored. */
function restarted(rows: readonly DecisionRow[]) {
  const clock = createManualClock()
  const opened = createHistories({
    fs: createNodeFs(),
    clock,
    folder: join(aTempFolder(), 'store'),
    boot: 'b2',
    writtenBy: 'signalbox 0.1.0',
  }).open()
  if (!opened.ok) throw new Error(opened.error.message)
  const { history } = opened.value
  onTestFinished(() => history.close())
  history.write({ rows, records: [] })
  const events: RowEvent[] = []
  const folding = createFolding({ clock, fleet: () => null, decisions: () => decisions })
  const decisions = createDecisions({
    clock,
    onEvent(event) {
      events.push(event)
      folding.take(event)
      if (event.row) history.write({ rows: [event.row], records: [] })
    },
    stored(id) {
      const row = history.row(id)
      return row.ok ? (row.value?.open() ?? null) : null
    },
  })
  const unrecorded = createUnrecorded({ clock, timers: clock, decisions, past: () => history })
  onTestFinished(unrecorded.stop)
  const outcomes = () => {
    const page = history.page(null, 5_000)
    return Object.fromEntries(
      page.ok ? page.value.map(({ facts }) => [facts.id, facts.reason ?? facts.outcome]) : [],
    )
  }
  const figures = () =>
    folding.summary({ seenPerSecond: 0, shownPerSecond: 0, dropped: 0, rows: 0, oldestWallMs: null })
  return { clock, decisions, events, unrecorded, outcomes, figures }
}
const running = (id: string) => aRow({ id, outcome: null, monoMs: 0 })

test('decisions that were running when ingest was killed end as the router says, or as not recorded', () => {
  const { clock, decisions, unrecorded, outcomes, figures } = restarted([
    running('old-1'), // its router is gone
    aRow({ id: 'now-1' }),
    running('now-2'), // runs still
    running('now-3'), // ended while nobody listened, and the router held the record back
    running('now-4'), // ended, and the record was lost with the killed process
    aRow({ id: 'now-5', outcome: null, asked: 'http' }), // has no end
  ])
  unrecorded.linked('now', new Set(['now-2']))
  expect([...decisions.inFlight().values()], 'what runs still counts as under way').toEqual([1])
  decisions.ended(anEnd('now-3', 100))
  decisions.made(aDecision({ id: 'now-6', monoMs: 200 }), 'now')
  clock.advance(9_900)
  expect(outcomes()).toMatchObject({ 'old-1': 'open', 'now-4': 'open' })
  clock.advance(2_000)
  expect(outcomes()).toEqual({
    'old-1': 'outcome_not_recorded',
    'now-1': 'ok',
    'now-2': 'open',
    'now-3': 'ok',
    'now-4': 'outcome_not_recorded',
    'now-5': 'routed-only',
    'now-6': 'open',
  })
  expect(figures().errors, 'the unknown is no failure').toEqual({ part: 0, whole: 1 })
  decisions.ended(anEnd('now-2', 20_000))
  expect(outcomes()).toMatchObject({ 'now-2': 'ok' })
})

test('a link that broke and came back: an end that was lost on the way is given up, what runs goes on', () => {
  const { clock, decisions, unrecorded } = restarted([])
  decisions.made(aDecision({ id: 'a', monoMs: 0 }), 'now')
  decisions.made(aDecision({ id: 'b', monoMs: 0 }), 'now')
  decisions.made(aDecision({ id: 'c', monoMs: 0 }), 'other')
  clock.advance(1_000)
  unrecorded.linked('now', new Set(['b']))
  decisions.made(aDecision({ id: 'd', monoMs: clock.monoMs() }), 'now')
  clock.advance(11_000)
  const reasons = ['a', 'b', 'c', 'd'].map((id) => decisions.rows.find(id)?.outcome?.reason ?? null)
  expect(reasons).toEqual(['outcome_not_recorded', null, null, null])
})

test('a store full of them is worked off in portions that can be written', () => {
  const rows = Array.from({ length: 3_500 }, (_, at) => running(`old-${at}`))
  const { clock, events, unrecorded } = restarted(rows)
  unrecorded.linked('now', new Set())
  clock.advance(10_100)
  expect(events).toHaveLength(1_000)
  clock.advance(2_000)
  expect(events).toHaveLength(3_500)
})
