import type { Millis } from '../../base/units'
import type { History } from '../../ports/history'
import type { Clock } from '../../ports/seams/clock'
import type { Stoppable, Timers } from '../../ports/seams/timers'
import type { Decisions } from './decisions'
import { searchedMax } from './search'

/** How long a router that has come may take to tell the ends that it held back while nobody listened. */
const heldBackMs: Millis = 10_000
/** Stored decisions that are looked at in one go, and how long as many may take to be written. */
const pageRows = 1_000
const writtenMs: Millis = 500

/**
 * Finds the decisions whose end nobody recorded, because ingest or its router died in between: what a router that has
 * come does not call open, and has not told the end of within a while, will never end.
 */
export interface Unrecorded {
  /** A router came. */
  linked(boot: string, open: ReadonlySet<string>): void
  stop(): void
}

/** What finding them needs. */
export interface UnrecordedOptions {
  readonly clock: Clock
  readonly timers: Timers
  readonly decisions: Decisions
  readonly past: () => History | null
}

/** To be made at the start: what is stored by then is from earlier runs. */
export function createUnrecorded({ clock, timers, decisions, past }: UnrecordedOptions): Unrecorded {
  const newest = past()?.page(null, 1)
  let before = newest?.ok ? (newest.value[0]?.place ?? 0) + 1 : 0
  let looked = 0
  const waits = new Set<Stoppable>()
  const after = (ms: Millis, run: () => void) => {
    const wait = timers.after(ms, () => {
      waits.delete(wait)
      run()
    })
    waits.add(wait)
  }
  /** Goes through what earlier runs left, once, newest first; as far as searches go. */
  const lookThroughStore = () => {
    const page = before > 0 && looked < searchedMax ? past()?.page(before, pageRows) : null
    if (!page?.ok || page.value.length === 0) {
      before = 0
      return
    }
    const left = page.value.filter(
      ({ facts }) => facts.outcome === 'open' && facts.asked === 'proxy' && !decisions.isOpen(facts.id),
    )
    for (const { facts } of left) decisions.giveUp(facts.id)
    looked += page.value.length
    before = page.value.at(-1)?.place ?? 0
    after(left.length === 0 ? 0 : writtenMs, lookThroughStore)
  }
  return {
    linked(boot, open) {
      const monoMs = clock.monoMs()
      decisions.adopt(boot, open)
      after(heldBackMs, () => {
        for (const id of decisions.openOf(boot, monoMs)) if (!open.has(id)) decisions.giveUp(id)
        lookThroughStore()
      })
    },
    stop() {
      for (const wait of waits) wait.stop()
    },
  }
}
