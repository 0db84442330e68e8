import type { Millis } from '../../base/units'
import type { ClusterBody } from '../../domain/journal/record'
import type { Clock } from '../../ports/seams/clock'

/** A gap is told at most this often, however many batches it has. */
const tellEveryMs: Millis = 10_000

/** Gathers what routers had to drop into few records, each with the span that it leaves dark. */
export interface LostRecords {
  /** A record came by: what is lost later was lost after this. */
  heard(): void
  dropped(count: number): void
  /** Tells of what was lost, if it is time; to be called now and then. */
  settle(): void
}

/** Nothing is lost yet. */
export function createLostRecords(clock: Clock, append: (body: ClusterBody) => void): LostRecords {
  let lastHeardWallMs = clock.wallMs()
  let lost: { count: number; fromWallMs: Millis } | null = null
  let toldMonoMs = Number.NEGATIVE_INFINITY
  return {
    heard() {
      lastHeardWallMs = clock.wallMs()
    },
    dropped(count) {
      lost = { count: (lost?.count ?? 0) + count, fromWallMs: lost?.fromWallMs ?? lastHeardWallMs }
    },
    settle() {
      if (lost === null || clock.monoMs() - toldMonoMs < tellEveryMs) return
      const why = `${lost.count} decision records were lost on the way from the router`
      append({ kind: 'feed.gap', fromWallMs: lost.fromWallMs, toWallMs: clock.wallMs(), why })
      toldMonoMs = clock.monoMs()
      lost = null
    },
  }
}
