import { createRingBuffer } from '../../src-main/base/ring-buffer'
import type { Millis } from '../../src-main/base/units'
import type { ServerClock } from '../../src-main/contract/feed'
import type { Clock } from '../../src-main/ports/seams/clock'

/** How many of the server's last readings are kept; the one that travelled shortest is believed. */
const readings = 8

/** The server's clocks as this page knows them, so that ages of values and times of day are the server's, not ours. */
export interface ServerTime {
  hear(clock: ServerClock): void
  /** Forgets what another server said. */
  forget(): void
  monoMs(): Millis
  wallMs(): Millis
}

/**
 * Offsets between the server's clocks and ours. A reading is late by its way here, so the largest of the last offsets
 * is nearest to the truth. Before the first reading both clocks are our own.
 */
export function createServerTime(clock: Clock): ServerTime {
  const mono = createRingBuffer<Millis>(readings)
  let wallAhead: Millis = 0
  const ahead = () => (mono.size === 0 ? 0 : Math.max(...mono.toArray()))
  return {
    hear(heard) {
      mono.push(heard.monoMs - clock.monoMs())
      wallAhead = heard.wallMs - heard.monoMs
    },
    forget: () => mono.clear(),
    monoMs: () => clock.monoMs() + ahead(),
    wallMs: () => (mono.size === 0 ? clock.wallMs() : clock.monoMs() + ahead() + wallAhead),
  }
}
