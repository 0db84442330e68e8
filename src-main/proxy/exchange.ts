import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Hold } from '../app/router/in-flight'
import type { Bytes, Millis } from '../base/units'
import type { ReplicaId } from '../domain/fleet/replica'
import type { DecisionEnded } from '../domain/journal/record'
import type { End, Outcome, ServeReason } from '../domain/routing/outcome'
import type { RequestHead } from './head'
import type { BreakReason } from './refusals'
import type { SseFacts } from './sse-tap'

/** How far a request has come (security page 7.8). `ended` is reached exactly once. */
export type Phase = 'accepted' | 'reading' | 'picked' | 'connecting' | 'sent' | 'streaming' | 'ended'

/** One request's life: what is known of it, and the two ways in which it can be stopped from outside. */
export interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly head: RequestHead
  readonly requestId: string
  readonly receivedMonoMs: Millis
  phase: Phase
  /** When the present phase began. */
  phaseMonoMs: Millis
  /** Last byte from the client, for its body's time limit. */
  clientMonoMs: Millis
  /** Last byte of the reply's body; null before the first. */
  replicaMonoMs: Millis | null
  firstByteMonoMs: Millis | null
  /** Since when the client has not taken what waits for it; null while it does. */
  stalledMonoMs: Millis | null
  bodyComplete: boolean
  /** The request asked for a stream; the reply is one. */
  wantsStream: boolean
  streamed: boolean
  /** Null for requests that the router is not asked about; they are not recorded. */
  decisionId: string | null
  hold: Hold | null
  served: ReplicaId | null
  rank: number | null
  attempts: number
  status: number
  bytesIn: Bytes
  bytesOut: Bytes
  /** Reads what the tap has seen; set once the reply is being relayed. */
  facts: (() => SseFacts) | null
  /** Frees whatever is held towards a replica, at once. */
  release: () => void
  /** Ends a begun stream as broken, saying so to the client where that is possible. */
  cut: ((reason: BreakReason) => void) | null
}

/** How an exchange ended. */
export interface Ending {
  readonly end: End
  readonly reason: string
  readonly serveReason?: ServeReason
}

/** A request that was just accepted. */
export function openExchange(
  req: IncomingMessage,
  res: ServerResponse,
  head: RequestHead,
  requestId: string,
  monoMs: Millis,
): Exchange {
  return {
    req,
    res,
    head,
    requestId,
    receivedMonoMs: monoMs,
    phase: 'accepted',
    phaseMonoMs: monoMs,
    clientMonoMs: monoMs,
    replicaMonoMs: null,
    firstByteMonoMs: null,
    stalledMonoMs: null,
    bodyComplete: false,
    wantsStream: false,
    streamed: false,
    decisionId: null,
    hold: null,
    served: null,
    rank: null,
    attempts: 0,
    status: 0,
    bytesIn: 0,
    bytesOut: 0,
    facts: null,
    release: () => undefined,
    cut: null,
  }
}

/** Moves an exchange on; an ended one stays ended. False when it has ended. */
export function enter(exchange: Exchange, phase: Phase, monoMs: Millis): boolean {
  if (exchange.phase === 'ended') return false
  exchange.phase = phase
  exchange.phaseMonoMs = monoMs
  return true
}

/**
 * The single terminal transition: the only place where the in-flight count goes down. Returns what became of it, or null
 * when the exchange had already ended.
 */
export function endExchange(
  exchange: Exchange,
  ending: Ending,
  monoMs: Millis,
): Pick<DecisionEnded, 'outcome' | 'itlGaps'> | null {
  if (!enter(exchange, 'ended', monoMs)) return null
  exchange.hold?.release()
  exchange.release()
  const facts = exchange.facts?.() ?? null
  const firstMonoMs = facts?.firstContentMonoMs ?? null
  const outcome: Outcome = {
    end: ending.end,
    status: exchange.status,
    reason: ending.reason,
    serveReason: ending.serveReason ?? null,
    served: exchange.served,
    rank: exchange.rank,
    attempts: exchange.attempts,
    ttftMs: firstMonoMs === null ? null : firstMonoMs - exchange.receivedMonoMs,
    itlMsP50: facts?.itlMsP50 ?? null,
    itlMsMax: facts?.itlMsMax ?? null,
    durationMs: monoMs - exchange.receivedMonoMs,
    promptTokens: facts?.promptTokens ?? null,
    outputTokens: facts?.outputTokens ?? null,
    cachedTokens: facts?.cachedTokens ?? null,
    finish: facts?.finish ?? (facts?.errorCode ? `error ${facts.errorCode}` : null),
    streamed: exchange.streamed,
    bytesIn: exchange.bytesIn,
    bytesOut: exchange.bytesOut,
  }
  return { outcome, itlGaps: facts?.itlGaps ?? null }
}
