import type { Duplex } from 'node:stream'
import type { RouterCore } from '../app/router/handlers'
import type { Clock } from '../ports/seams/clock'
import type { Net } from '../ports/seams/net'
import type { Random } from '../ports/seams/random'
import type { Timers } from '../ports/seams/timers'
import type { Access } from './access'
import { type Ending, type Exchange, endExchange } from './exchange'
import type { ProxyLimits } from './limits'

/** What every part of the proxy works with. */
export interface Plane {
  readonly core: RouterCore
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly net: Net<Duplex>
  readonly limits: ProxyLimits
  /** Set when the port is known. */
  access: Access
  /** Whether `x-signalbox-*` headers are added (decision D21). */
  readonly ownHeaders: boolean
  /** Requests under way. */
  readonly live: Set<Exchange>
  stopping: boolean
  /** Called when a request has ended; for drains. */
  onEnded: () => void
  /** Hears of an error of our own; the request it hit was answered with `internal`. */
  readonly onBug: (error: unknown) => void
}

/** Ends an exchange and records what became of it. False when it had already ended. */
export function finish(plane: Plane, exchange: Exchange, ending: Ending): boolean {
  const monoMs = plane.clock.monoMs()
  const ended = endExchange(exchange, ending, monoMs)
  if (!ended) return false
  plane.live.delete(exchange)
  if (exchange.decisionId !== null)
    plane.core.ended({
      kind: 'ended',
      id: exchange.decisionId,
      wallMs: plane.clock.wallMs(),
      monoMs,
      ...ended,
    })
  plane.onEnded()
  return true
}
