import type { Socket } from 'node:net'
import type { Exchange } from './exchange'
import { finish, type Plane } from './plane'
import { refuse } from './refuse'

/**
 * Whether a process still holds the other end of a connection on this machine: true, false, or null when the system does
 * not tell. @param peerPort the other end's TCP port, @param ownPort ours
 */
export type PeerHolds = (peerPort: number, ownPort: number) => boolean | null

/** Looks at every request under way from time to time: one timer for all of them, none that is reset by a chunk. */
export interface Sweep {
  /** The client has ended its side: finds out whether it has left, now and at each look. */
  halfClosed(exchange: Exchange): void
  stop(): void
}

/** Starts looking. */
export function createSweep(plane: Plane, peerHolds: PeerHolds | null): Sweep {
  const look = () => {
    const monoMs = plane.clock.monoMs()
    for (const exchange of plane.live) {
      if (exchange.halfClosed) leaveIfGone(plane, exchange, peerHolds)
      if (exchange.phase !== 'ended') limit(plane, exchange, monoMs)
    }
  }
  const timer = plane.timers.every(plane.limits.sweepEveryMs, look)
  return {
    halfClosed(exchange) {
      exchange.halfClosed = true
      leaveIfGone(plane, exchange, peerHolds)
    },
    stop: () => timer.stop(),
  }
}

/**
 * A FIN alone does not tell a client that is done with asking from one that has left. Where the system knows the other
 * end's owner we ask it; where not, the client counts as gone, since a replica that works for nobody costs the most.
 */
function leaveIfGone(plane: Plane, exchange: Exchange, peerHolds: PeerHolds | null): void {
  const { remotePort, localPort } = exchange.req.socket as Socket
  const held =
    peerHolds !== null && remotePort !== undefined && localPort !== undefined
      ? peerHolds(remotePort, localPort)
      : null
  if (held === true) return
  finish(plane, exchange, { end: 'client_left', reason: 'client_left' })
  exchange.req.socket.destroy()
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
