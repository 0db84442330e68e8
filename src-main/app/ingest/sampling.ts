import type { Draw } from '../../base/draw'
import type { Millis } from '../../base/units'
import type { DecisionRow } from '../../domain/journal/record'
import { classify, isFailure } from '../../domain/routing/outcome'
import type { RowEvent } from './decisions'

/** Length of a slice; four batches a second leave room below the ten that a screen takes (ux.md 7.2). */
export const sliceMs: Millis = 250
/** Rows of a slice: 200 a second. */
export const sliceRowsMax = 50
/** Of them at least this many are ordinary traffic, when there is that much of it: 20 a second. */
export const sliceOrdinaryMin = 5
/** Of them at most this many end a row that was shown when it began; the others wait for the next slice. */
const sliceEndsMax = 25

/** The strata of the tail in the order of their worth: what an operator must see comes first. */
export const strata = ['failed', 'mismatch', 'moved', 'fallback', 'slow', 'ordinary', 'begun'] as const
/** One of the strata. */
export type Stratum = (typeof strata)[number]

/** The tail of decisions that a screen can bear. What is shown is a sample; what is counted is everything. */
export interface Tail {
  offer(event: RowEvent): void
  /** The rows of the slice that ends now, in the order in which they came; reasons are left out, they come by `explain`. */
  slice(): readonly DecisionRow[]
  /** Decisions per second over the last slices: all that came by, and those of them that were shown. */
  rates(): { readonly seenPerSecond: number; readonly shownPerSecond: number }
}

/** The stratum of an event. @param slowMs TTFT above which a request is slow; null while nobody knows */
export function stratumOf(row: DecisionRow, slowMs: Millis | null): Stratum {
  const { outcome } = row
  if (outcome === null) return 'begun'
  const outcomeClass = classify(outcome)
  if (isFailure(outcomeClass)) return 'failed'
  if (outcomeClass === 'fallback') return 'fallback'
  if (outcome.served !== null && row.pick !== null && outcome.served !== row.pick) return 'mismatch'
  if (row.movedFrom !== null) return 'moved'
  return slowMs !== null && (outcome.ttftMs ?? 0) > slowMs ? 'slow' : 'ordinary'
}

/** Slices whose rates are averaged: five seconds. */
const rateSlices = 20
/** Rows that were shown when they began and whose end is still to be told. */
const shownOpenMax = 20_000

interface Entry {
  readonly order: number
  readonly row: DecisionRow
}

/** A tail in which nothing happened. @param slowMs the present p99 of TTFT */
export function createTail(draw: Draw, slowMs: () => Millis | null): Tail {
  let reservoirs = openReservoirs(draw)
  let endedIds = new Set<string>()
  let ends: Entry[] = []
  const shownOpen = new Set<string>()
  const counts: { seen: number; shown: number }[] = []
  let order = 0
  let seen = 0

  const remember = ({ row }: Entry) => {
    if (row.outcome !== null || row.asked === 'http') return // nothing follows
    shownOpen.add(row.id)
    if (shownOpen.size > shownOpenMax) shownOpen.delete(shownOpen.values().next().value as string)
  }
  return {
    offer(event) {
      const { row } = event
      if (row === null) return void seen++
      const entry = { order: order++, row }
      if (event.kind === 'began') {
        if (row.asked === 'http') seen++
        return reservoirs.begun.offer(entry)
      }
      if (event.kind === 'ended') seen++
      endedIds.add(row.id)
      if (shownOpen.delete(row.id)) ends.push(entry)
      else reservoirs[stratumOf(row, slowMs())].offer(entry)
    },
    slice() {
      const begun = reservoirs.begun.drawn().filter(({ row }) => !endedIds.has(row.id))
      const drawn = { ...drawnOf(reservoirs), begun }
      const chosen = choose(drawn, ends)
      ends = chosen.endsLeft
      for (const entry of chosen.entries) remember(entry)
      const shown = chosen.entries.filter(({ row }) => row.outcome !== null || row.asked === 'http').length
      counts.push({ seen, shown })
      if (counts.length > rateSlices) counts.shift()
      reservoirs = openReservoirs(draw)
      endedIds = new Set()
      seen = 0
      return chosen.entries.sort((a, b) => a.order - b.order).map(({ row }) => ({ ...row, reasons: [] }))
    },
    rates() {
      const overSeconds = Math.max(1, counts.length) * (sliceMs / 1_000)
      const total = (name: 'seen' | 'shown') => counts.reduce((sum, each) => sum + each[name], 0)
      return { seenPerSecond: total('seen') / overSeconds, shownPerSecond: total('shown') / overSeconds }
    },
  }
}

type Drawn = Readonly<Record<Stratum, readonly Entry[]>>

/** Fills a slice: ends of shown rows, then the strata in their order, with room kept for ordinary traffic. */
function choose(drawn: Drawn, ends: readonly Entry[]): { entries: Entry[]; endsLeft: Entry[] } {
  const waiting = strata.reduce((sum, stratum) => sum + drawn[stratum].length, 0)
  const endsTaken = waiting + ends.length <= sliceRowsMax ? ends.length : Math.min(sliceEndsMax, ends.length)
  const entries = ends.slice(0, endsTaken)
  const take = (stratum: Stratum, keep: number) =>
    entries.push(...drawn[stratum].slice(0, Math.max(0, sliceRowsMax - keep - entries.length)))
  const ordinary = Math.min(sliceOrdinaryMin, drawn.ordinary.length + drawn.begun.length)
  for (const stratum of strata) take(stratum, stratum === 'ordinary' || stratum === 'begun' ? 0 : ordinary)
  const more = Math.max(0, sliceRowsMax - entries.length)
  entries.push(...ends.slice(endsTaken, endsTaken + more))
  return { entries, endsLeft: ends.slice(endsTaken + more) }
}

interface Reservoir {
  offer(entry: Entry): void
  /** What was kept, in random order: any first few of them are a uniform sample, too. */
  drawn(): readonly Entry[]
}

const openReservoirs = (draw: Draw): Readonly<Record<Stratum, Reservoir>> =>
  Object.fromEntries(strata.map((stratum) => [stratum, openReservoir(draw)])) as Record<Stratum, Reservoir>

const drawnOf = (reservoirs: Readonly<Record<Stratum, Reservoir>>): Drawn =>
  Object.fromEntries(strata.map((stratum) => [stratum, reservoirs[stratum].drawn()])) as Record<
    Stratum,
    readonly Entry[]
  >

/** A uniform sample of a slice in bounded memory (Vitter's algorithm R): no bias towards the first of a slice. */
function openReservoir(draw: Draw): Reservoir {
  const kept: Entry[] = []
  let offered = 0
  return {
    offer(entry) {
      offered++
      if (kept.length < sliceRowsMax) return void kept.push(entry)
      const at = draw.below(offered)
      if (at < sliceRowsMax) kept[at] = entry
    },
    drawn() {
      for (let left = kept.length; left > 1; left--) {
        const other = draw.below(left)
        const last = kept[left - 1] as Entry
        kept[left - 1] = kept[other] as Entry
        kept[other] = last
      }
      return kept
    },
  }
}
