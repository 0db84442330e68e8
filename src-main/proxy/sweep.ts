import type { Stoppable } from '../ports/seams/timers'
import type { Exchange } from './exchange'
import { finish, type Plane } from './plane'
import { refuse } from './refuse'

/** Whether a process still holds the other end of a connection. @param peerPort its TCP port, @param ownPort ours */
export type PeerHolds = (peerPort: number, ownPort: number) => boolean

/** Looks at every request under way from time to time: one timer for all of them, none that is reset by a chunk. */
export interface Sweep {
  /** The client has ended its side: finds out soon whether it has left, and again until the request ends. */
  halfClosed(exchange: Exchange): void
  stop(): void
}

/**
 * Starts looking.
 * @param peers the sockets of this machine at one instant; null where the system does not tell
 */
export function createSweep(plane: Plane, peers: (() => PeerHolds | null) | null): Sweep {
  const { limits, timers } = plane
  const halfClosed = new Set<Exchange>()
  let next: Stoppable | null = null
  const lookAtPeers = () => {
    next = null
    const holds = peers?.() ?? null
    for (const exchange of halfClosed)
      if (exchange.phase === 'ended' || !isHeld(exchange, holds)) {
        halfClosed.delete(exchange)
        leave(plane, exchange)
      }
    if (halfClosed.size > 0) next ??= timers.after(limits.peerAgainMs, lookAtPeers)
  }
  const deadlines = timers.every(limits.sweepEveryMs, () => {
    const monoMs = plane.clock.monoMs()
    for (const exchange of plane.live) limit(plane, exchange, monoMs)
  })
  return {
    halfClosed(exchange) {
      if (peers === null) return leave(plane, exchange)
      halfClosed.add(exchange)
      next?.stop()
      next = timers.after(limits.peerLookMs, lookAtPeers)
    },
    stop() {
      deadlines.stop()
      next?.stop()
    },
  }
}

/**
 * A FIN alone does not tell a client that is done with asking from one that has left. Where the system knows the other
 * end's owner we ask it; where not, the client counts as gone, since a replica that works for nobody costs the most.
 */
function isHeld({ req }: Exchange, holds: PeerHolds | null): boolean {
  const { remotePort, localPort } = req.socket
  return holds !== null && remotePort !== undefined && localPort !== undefined && holds(remotePort, localPort)
}

function leave(plane: Plane, exchange: Exchange): void {
  if (finish(plane, exchange, { end: 'client_left', reason: 'client_left' })) exchange.req.socket.destroy()
}

/** Ends what has passed a limit of the security page 7.5. */
function limit(plane: Plane, exchange: Exchange, monoMs: number): void {
  const { limits } = plane
  const inPhaseMs = monoMs - exchange.phaseMonoMs
  switch (exchange.phase) {
    case 'reading':
      return limitBody(plane, exchange, monoMs)
    case 'sent': {
      if (!exchange.bodyComplete) return limitBody(plane, exchange, monoMs)
      const allowedMs = exchange.wantsStream ? limits.replyHeaderStreamMs : limits.replyHeaderMs
      if (inPhaseMs > allowedMs) refuse(plane, exchange, 'replica_header_timeout', 'broke')
      return
    }
    case 'streaming':
      return limitStream(plane, exchange, monoMs)
  }
}

function limitBody(plane: Plane, exchange: Exchange, monoMs: number): void {
  const { limits } = plane
  const late =
    monoMs - exchange.clientMonoMs > limits.clientBodyGapMs ||
    monoMs - exchange.receivedMonoMs > limits.clientBodyTotalMs
  if (late) refuse(plane, exchange, 'client_body_timeout')
}

function limitStream({ limits }: Plane, exchange: Exchange, monoMs: number): void {
  const inPhaseMs = monoMs - exchange.phaseMonoMs
  if (exchange.stalledMonoMs !== null) {
    if (monoMs - exchange.stalledMonoMs > limits.clientStalledMs) exchange.cut?.('client_stalled')
  } else if (exchange.replicaMonoMs === null) {
    if (inPhaseMs > limits.firstEventMs) exchange.cut?.('first_event_timeout')
  } else if (monoMs - exchange.replicaMonoMs > limits.eventGapMs) exchange.cut?.('stream_idle')
  else if (inPhaseMs > limits.wholeStreamMs) exchange.cut?.('stream_too_long')
}
