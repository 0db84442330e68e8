import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RowEvent } from '../../../src-main/app/ingest/decisions'
import {
  createTail,
  type Stratum,
  sliceOrdinaryMin,
  sliceRowsMax,
  strata,
  stratumOf,
} from '../../../src-main/app/ingest/sampling'
import { createDraw } from '../../../src-main/base/draw'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { anEnd, aRow } from '../../helpers/a-row'

const slowMs = 1_000
const kinds: Readonly<Record<Stratum, Parameters<typeof aRow>[0]>> = {
  failed: {
    outcome: { end: 'refused', status: 503, reason: 'router_unreachable', served: null, rank: null },
  },
  mismatch: { pick: 'r1', outcome: { served: 'r2' } },
  moved: { movedFrom: 'r9' },
  fallback: { pick: 'r1', outcome: { served: 'r2', rank: 1 } },
  slow: { outcome: { ttftMs: 2_000 } },
  ordinary: {},
  begun: { outcome: null },
}
let next = 0
const aRowOf = (stratum: Stratum): DecisionRow => aRow({ ...kinds[stratum], id: `d${next++}` })
const event = (row: DecisionRow): RowEvent =>
  row.outcome === null
    ? { kind: 'began', row }
    : { kind: 'ended', row, ended: anEnd(row.id, 0, row.outcome), previous: null }
const pools = Object.fromEntries(
  strata.map((stratum) => [stratum, Array.from({ length: 120 }, () => aRowOf(stratum))]),
) as Record<Stratum, DecisionRow[]>
const aTail = (seed = 1) => createTail(createDraw(seed), () => slowMs)

const sizes = fc.record(
  Object.fromEntries(strata.map((stratum) => [stratum, fc.oneof(fc.nat(8), fc.nat(120))])) as Record<
    Stratum,
    fc.Arbitrary<number>
  >,
)

describe('the sampled tail', () => {
  test.each(strata)('a row that is %s is told as such', (stratum) => {
    expect(stratumOf(aRowOf(stratum), slowMs)).toBe(stratum)
  })

  test('for any mixture: never over the limit, worth before order, room for ordinary traffic', () => {
    fc.assert(
      fc.property(sizes, fc.nat(1_000), (count, seed) => {
        const tail = aTail(seed)
        const rows = strata.flatMap((stratum) => pools[stratum].slice(0, count[stratum]))
        for (const row of rows) tail.offer(event(row))
        const shown = tail.slice()
        const total = rows.length
        expect(shown.length).toBe(Math.min(total, sliceRowsMax))
        expect(new Set(shown.map(({ id }) => id)).size).toBe(shown.length)
        const shownOf = (stratum: Stratum) => shown.filter((row) => stratumOf(row, slowMs) === stratum).length
        if (total <= sliceRowsMax) {
          for (const stratum of strata) expect(shownOf(stratum)).toBe(count[stratum])
          return
        }
        const plain = shownOf('ordinary') + shownOf('begun')
        expect(plain).toBeGreaterThanOrEqual(Math.min(sliceOrdinaryMin, count.ordinary + count.begun))
        // A stratum that is not whole means that no later one (ordinary traffic's reserve apart) was shown.
        for (const [at, stratum] of strata.slice(0, 5).entries())
          if (shownOf(stratum) < count[stratum])
            for (const later of strata.slice(at + 1, 5)) expect(shownOf(later)).toBe(0)
      }),
      { seed: 17, numRuns: 200 },
    )
  }, 30_000)

  test('inside a stratum every row has the same chance, the first of a slice none more', () => {
    const hits = new Array<number>(200).fill(0)
    const rows = hits.map((_, at) => aRow({ id: String(at) }))
    for (let seed = 0; seed < 800; seed++) {
      const tail = aTail(seed)
      for (const row of rows) tail.offer(event(row))
      for (const { id } of tail.slice()) hits[Number(id)] = (hits[Number(id)] ?? 0) + 1
    }
    // 800 runs with p = 1/4: expected 200, standard deviation 12; six of them.
    for (const count of hits) expect(Math.abs(count - 200)).toBeLessThan(74)
  }, 30_000)

  test('the same seed shows the same rows', () => {
    const run = () => {
      const tail = aTail(5)
      for (let at = 0; at < 500; at++) tail.offer(event(aRow({ id: `x${at}` })))
      return tail.slice().map(({ id }) => id)
    }
    expect(run()).toEqual(run())
  })

  test('a row that was shown when it began is shown when it ends, even if that takes slices', () => {
    const tail = aTail()
    const begun = Array.from({ length: sliceRowsMax }, () => aRowOf('begun'))
    for (const row of begun) tail.offer(event(row))
    expect(tail.slice()).toHaveLength(sliceRowsMax)
    for (const { id } of begun) tail.offer(event(aRow({ id })))
    for (let more = 0; more < 500; more++) tail.offer(event(aRowOf('failed')))
    const ended = new Set<string>()
    for (let slice = 0; slice < 3; slice++) for (const row of tail.slice()) if (row.outcome) ended.add(row.id)
    for (const { id } of begun) expect(ended).toContain(id)
  })

  test('a row that begins and ends within a slice is shown once, with its end', () => {
    const tail = aTail()
    tail.offer(event(aRow({ id: 'a', outcome: null })))
    tail.offer(event(aRow({ id: 'a' })))
    expect(tail.slice()).toMatchObject([{ id: 'a', outcome: { status: 200 } }])
  })

  test('rows come in order, without their reasons; the drawer asks for them', () => {
    const tail = aTail()
    for (let at = 0; at < 40; at++) tail.offer(event(aRow({ id: `x${at}` })))
    const shown = tail.slice()
    expect(shown.map(({ id }) => id)).toEqual(shown.map((_, at) => `x${at}`))
    expect(shown.every(({ reasons }) => reasons.length === 0)).toBe(true)
    expect(JSON.stringify(shown).length).toBeLessThan(65_536)
  })

  test('rates tell all that came by, and how much of it was shown', () => {
    const tail = aTail()
    for (let slice = 0; slice < 40; slice++) {
      for (let at = 0; at < 100; at++) tail.offer(event(aRowOf('ordinary')))
      tail.slice()
    }
    expect(tail.rates()).toEqual({ seenPerSecond: 400, shownPerSecond: 200 })
  })
})
