import { createRingBuffer } from '../../base/ring-buffer'
import type { Millis } from '../../base/units'
import type { ClusterBody, ClusterRecord } from '../../domain/journal/record'
import type { Clock } from '../../ports/seams/clock'

/** Cluster records in memory; the store has the older ones. */
export const recordsInMemory = 5_000

/** The cluster stream: what happened to the cluster and to Signalbox, in order, each with its stamp. */
export interface Journal {
  append(...bodies: readonly ClusterBody[]): void
  /** Records of a span of wall time that are in memory, oldest first. */
  between(fromWallMs: Millis, toWallMs: Millis): readonly ClusterRecord[]
}

/** What a journal is made from. */
export interface JournalOptions {
  readonly clock: Clock
  /** Names this run of the process. */
  readonly boot: string
  /** Gets each record once, in order. */
  readonly onRecords: (records: readonly ClusterRecord[]) => void
}

/** An empty stream: sequence numbers begin at 1. */
export function createJournal({ clock, boot, onRecords }: JournalOptions): Journal {
  const kept = createRingBuffer<ClusterRecord>(recordsInMemory)
  let seq = 0
  return {
    append(...bodies) {
      if (bodies.length === 0) return
      const records = bodies.map((body): ClusterRecord => {
        seq++
        return {
          stamp: { stream: 'cluster', seq, wallMs: clock.wallMs(), monoMs: clock.monoMs(), boot },
          body,
        }
      })
      for (const record of records) kept.push(record)
      onRecords(records)
    },
    between: (fromWallMs, toWallMs) =>
      kept.toArray().filter(({ stamp }) => stamp.wallMs >= fromWallMs && stamp.wallMs <= toWallMs),
  }
}
