import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDecisions, type RowEvent } from '../../../src-main/app/ingest/decisions'
import { createRecentRows } from '../../../src-main/app/ingest/recent-rows'
import { activeForMs, createSessionTurns } from '../../../src-main/app/ingest/session-turns'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { aDecision, anEnd, aRow } from '../../helpers/a-row'
import { createManualClock } from '../../helpers/manual-clock'

function aJoin(stored: Readonly<Record<string, DecisionRow>> = {}) {
  const clock = createManualClock()
  const events: RowEvent[] = []
  const decisions = createDecisions({
    clock,
    onEvent: (event) => events.push(event),
    stored: (id) => stored[id] ?? null,
  })
  return { clock, events, decisions }
}

describe('joining decisions with their ends', () => {
  test('a request is one row: it begins without an outcome and ends with one', () => {
    const { decisions, events } = aJoin()
    decisions.made(aDecision({ id: 'a' }), 'router-1')
    expect(decisions.rows.find('a')).toMatchObject({ outcome: null, endedWallMs: null })
    const end = anEnd('a', 2_000)
    decisions.ended(end)
    expect(decisions.rows.find('a')).toMatchObject({ outcome: end.outcome, endedWallMs: end.wallMs })
    expect(events.map(({ kind }) => kind)).toEqual(['began', 'ended'])
  })

  test.each([
    { name: 'a first turn', turns: [{ pick: 'r1', served: 'r1' }], moved: [null], previous: [null] },
    {
      name: 'a session that stays',
      turns: [
        { pick: 'r1', served: 'r1' },
        { pick: 'r1', served: 'r1' },
      ],
      moved: [null, null],
      previous: [null, 'r1'],
    },
    {
      name: 'a session that is picked elsewhere',
      turns: [
        { pick: 'r1', served: 'r1' },
        { pick: 'r2', served: 'r2' },
        { pick: 'r2', served: 'r2' },
      ],
      moved: [null, 'r1', null],
      previous: [null, 'r1', 'r2'],
    },
    {
      name: 'a fallback counts as where the session was last',
      turns: [
        { pick: 'r1', served: 'r3' },
        { pick: 'r1', served: 'r1' },
      ],
      moved: [null, 'r3'],
      previous: [null, 'r3'],
    },
    {
      name: 'a refused turn leaves no trace of a place',
      turns: [
        { pick: null, served: null },
        { pick: 'r1', served: 'r1' },
        { pick: null, served: null },
        { pick: 'r1', served: 'r1' },
      ],
      moved: [null, null, null, null],
      previous: [null, null, 'r1', 'r1'],
    },
  ])('$name', ({ turns, moved, previous }) => {
    const { decisions, events } = aJoin()
    for (const [at, { pick, served }] of turns.entries()) {
      decisions.made(aDecision({ id: `d${at}`, session: 's', pick, monoMs: at * 1_000 }), 'router-1')
      decisions.ended(anEnd(`d${at}`, at * 1_000 + 500, { served, rank: served === null ? null : 0 }))
    }
    const rows = turns.map((_, at) => decisions.rows.find(`d${at}`))
    expect(rows.map((row) => row?.turn)).toEqual(turns.map((_, at) => at))
    expect(rows.map((row) => row?.movedFrom)).toEqual(moved)
    expect(events.flatMap((event) => (event.kind === 'ended' ? [event.previous] : []))).toEqual(previous)
  })

  test('without a session there are no turns and nothing moves', () => {
    const { decisions } = aJoin()
    decisions.made(aDecision({ id: 'a', session: null }), 'router-1')
    expect(decisions.rows.find('a')).toMatchObject({ turn: null, movedFrom: null })
  })

  test('requests under way are counted by pick; a question over HTTP has no end and is not', () => {
    const { decisions } = aJoin()
    decisions.made(aDecision({ id: 'a', pick: 'r1' }), 'router-1')
    decisions.made(aDecision({ id: 'b', pick: 'r1' }), 'router-1')
    decisions.made(aDecision({ id: 'c', pick: 'r2', asked: 'http' }), 'router-1')
    expect([...decisions.inFlight()]).toEqual([['r1', 2]])
    decisions.ended(anEnd('a', 2_000))
    decisions.ended(anEnd('b', 2_000))
    decisions.ended(anEnd('b', 2_000))
    expect([...decisions.inFlight()]).toEqual([])
  })

  test('what is told twice is taken once', () => {
    const { decisions, events } = aJoin()
    for (let time = 0; time < 2; time++) decisions.made(aDecision({ id: 'a' }), 'router-1')
    for (let time = 0; time < 2; time++) decisions.ended(anEnd('a', 2_000))
    expect(events).toHaveLength(2)
    expect(decisions.rows.size).toBe(1)
  })

  test('an end whose beginning was lost is still counted, without a row', () => {
    const { decisions, events } = aJoin()
    decisions.ended(anEnd('unknown', 2_000))
    expect(events).toMatchObject([{ kind: 'ended', row: null, previous: null }])
  })

  test('an end whose beginning is in the store only, from before a restart, is joined there', () => {
    const before = aRow({ id: 'a', outcome: null, turn: 2, pick: 'r1', movedFrom: null })
    const { decisions, events } = aJoin({ a: before })
    decisions.ended(anEnd('a', 2_000))
    expect(events).toMatchObject([
      { kind: 'ended', row: { id: 'a', outcome: { status: 200 } }, previous: 'r1' },
    ])
  })

  test('a request whose end never comes is given up after an hour', () => {
    const { decisions, clock } = aJoin()
    decisions.made(aDecision({ id: 'a', monoMs: 0 }), 'router-1')
    clock.advance(3_600_000)
    decisions.sweep()
    expect(decisions.inFlight().get('r1')).toBe(1)
    clock.advance(2)
    decisions.sweep()
    expect(decisions.inFlight().size).toBe(0)
    expect(decisions.rows.find('a')?.outcome).toMatchObject({ reason: 'outcome_not_recorded', served: null })
  })

  test('giving up says that the outcome is not known, once, and not over one that is', () => {
    const { decisions, events } = aJoin({ s: aRow({ id: 's', outcome: null }), known: aRow({ id: 'known' }) })
    decisions.made(aDecision({ id: 'a' }), 'router-1')
    decisions.giveUp('a')
    decisions.giveUp('a')
    decisions.giveUp('s')
    decisions.giveUp('known')
    decisions.giveUp('nobody')
    expect(events.map((event) => [event.kind, event.row?.id])).toEqual([
      ['began', 'a'],
      ['unrecorded', 'a'],
      ['unrecorded', 's'],
    ])
    expect(decisions.inFlight().size).toBe(0)
  })

  test('an end that came meanwhile stands, even if the store does not have it yet', () => {
    const { decisions, events } = aJoin({ a: aRow({ id: 'a', outcome: null }) })
    decisions.ended(anEnd('a', 2_000))
    decisions.giveUp('a')
    expect(events.map(({ kind }) => kind)).toEqual(['ended'])
  })

  test('what a router calls open counts as under way again after a restart, and is lost with the router', () => {
    const { decisions } = aJoin({
      a: aRow({ id: 'a', outcome: null, pick: 'r2' }),
      done: aRow({ id: 'done' }),
    })
    decisions.adopt('router-1', ['a', 'done', 'not told yet'])
    decisions.adopt('router-1', ['a'])
    expect([...decisions.inFlight()]).toEqual([['r2', 1]])
    expect(decisions.lose(new Set(['router-1']))).toBe(1)
    expect(decisions.inFlight().size).toBe(0)
  })
})

describe('[F42] a router that died', () => {
  test('its open requests are lost, with a reason, charged to nobody; those of a living one go on', () => {
    const { decisions, events, clock } = aJoin()
    decisions.made(aDecision({ id: 'old', monoMs: 0 }), 'router-1')
    decisions.made(aDecision({ id: 'done', monoMs: 0 }), 'router-1')
    decisions.ended(anEnd('done', 10))
    decisions.made(aDecision({ id: 'new', monoMs: 0 }), 'router-2')
    clock.advance(700)
    expect(decisions.lose(new Set(['router-1']))).toBe(1)
    expect(decisions.rows.find('old')?.outcome).toMatchObject({
      end: 'broke',
      status: 0,
      reason: 'router_lost',
      served: null,
      durationMs: 700,
    })
    expect(decisions.rows.find('new')?.outcome).toBeNull()
    expect(decisions.rows.find('done')?.outcome?.status).toBe(200)
    expect(decisions.lose(new Set(['router-1']))).toBe(0)
    expect(events.at(-1)).toMatchObject({ kind: 'ended', row: { id: 'old' } })
  })
})

describe('the newest rows in memory', () => {
  test('keep the newest by number and by weight, and find each by its id', () => {
    const row = fc.record({ id: fc.nat(60).map((n) => `d${n}`), reasons: fc.nat(6) })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 80 }), (script) => {
        const rows = createRecentRows(20, 40)
        const naive: DecisionRow[] = []
        for (const { id, reasons } of script) {
          if (naive.some((each) => each.id === id)) continue
          const next = aRow({
            id,
            reasons: Array.from({ length: reasons }, () => aDecision().reasons[0]).flatMap(
              (each) => each ?? [],
            ),
          })
          rows.add(next)
          naive.push(next)
          while (naive.length > 20) naive.shift()
          while (naive.length > 1 && naive.reduce((sum, each) => sum + each.reasons.length, 0) > 40)
            naive.shift()
        }
        expect([...rows.newestFirst()]).toEqual([...naive].reverse())
        expect(rows.size).toBe(naive.length)
        expect(rows.oldest).toBe(naive[0] ?? null)
        for (let n = 0; n <= 60; n++)
          expect(rows.find(`d${n}`)).toBe(naive.find(({ id }) => id === `d${n}`) ?? null)
      }),
      { seed: 21, numRuns: 200 },
    )
  }, 30_000)

  test('a row that was let go cannot be replaced', () => {
    const rows = createRecentRows(1)
    rows.add(aRow({ id: 'a' }))
    rows.add(aRow({ id: 'b' }))
    expect(rows.replace(aRow({ id: 'a' }))).toBe(false)
    expect([...rows.newestFirst()].map(({ id }) => id)).toEqual(['b'])
  })
})

describe('sessions and their last replica', () => {
  test('agree with a recount, whatever happens; the quietest are forgotten past the limit', () => {
    const step = fc.record({
      session: fc.nat(12).map((n) => `s${n}`),
      pick: fc.option(fc.constantFrom('r1', 'r2', 'r3')),
      served: fc.option(fc.constantFrom('r1', 'r2', 'r3')),
      passMs: fc.constantFrom(0, 1_000, activeForMs / 3),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (script) => {
        const limit = 8
        const turns = createSessionTurns(limit)
        let naive: { session: string; turns: number; replica: string | null; at: number }[] = []
        let now = 0
        for (const { session, pick, served, passMs } of script) {
          now += passMs
          const known = naive.find((each) => each.session === session)
          expect(turns.begin(session, pick, now)).toEqual({
            turn: known?.turns ?? 0,
            last: known?.replica ?? null,
          })
          const turn = known?.turns ?? 0
          naive = [
            ...naive.filter((each) => each !== known),
            { session, turns: turn + 1, replica: pick ?? known?.replica ?? null, at: now },
          ].slice(-limit)
          const own = naive.at(-1)
          if (served !== null && own) {
            turns.served(session, turn, served)
            own.replica = served
          }
          const counts = new Map<string, number>()
          for (const each of naive)
            if (each.replica !== null && each.at >= now - activeForMs)
              counts.set(each.replica, (counts.get(each.replica) ?? 0) + 1)
          expect(Object.fromEntries(turns.activeByReplica(now))).toEqual(Object.fromEntries(counts))
          expect(turns.size).toBe(naive.length)
        }
      }),
      { seed: 8, numRuns: 300 },
    )
  }, 30_000)

  test('a turn that an earlier run saw is followed by the next number, from its place', () => {
    const turns = createSessionTurns()
    turns.recall('s', 6, 'r3', 0)
    turns.recall('s', 7, null, 0)
    expect(turns.begin('s', 'r1', 1)).toEqual({ turn: 8, last: 'r3' })
    expect(Object.fromEntries(turns.activeByReplica(1))).toEqual({ r1: 1 })
  })

  test('the end of an older turn does not undo a newer one', () => {
    const turns = createSessionTurns()
    turns.begin('s', 'r1', 0)
    turns.begin('s', 'r2', 1)
    turns.served('s', 0, 'r1')
    expect(turns.begin('s', 'r2', 2)).toEqual({ turn: 2, last: 'r2' })
  })
})
