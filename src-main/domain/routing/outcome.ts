import type { Bytes, Millis, Tokens } from '../../base/units'
import type { ReplicaId } from '../fleet/replica'

/** How a request ended. Exactly one of these, once (security page 7.8). */
export type End = 'done' | 'broke' | 'client_left' | 'refused'

/** Ray's words for a routing failure, in `X-Serve-Reason`; there are exactly these four in 2.56. */
export const serveReasons = [
  'router_unreachable',
  'router_non_200',
  'unparseable_replica_id',
  'unknown_replica_id',
] as const
/** One of Ray's four words. */
export type ServeReason = (typeof serveReasons)[number]

/** What became of a request, recorded at its one terminal transition. Latencies are measured in our proxy (@proxy). */
export interface Outcome {
  readonly end: End
  /** HTTP status that the client got; 0 when it left before a status line. */
  readonly status: number
  /** `ok` or the reason code of the security page's table 7.7. */
  readonly reason: string
  readonly serveReason: ServeReason | null
  /** The replica that answered or was being asked; null when none was reached. */
  readonly served: ReplicaId | null
  /** Rank of the served replica in the decision: 0 the pick, 1 and on its fallbacks, null when none was reached. */
  readonly rank: number | null
  readonly attempts: number
  /** Request received → first byte with content. Null when none came. */
  readonly ttftMs: Millis | null
  readonly itlMsP50: Millis | null
  readonly itlMsMax: Millis | null
  readonly durationMs: Millis
  readonly promptTokens: Tokens | null
  readonly outputTokens: Tokens | null
  readonly cachedTokens: Tokens | null
  /** The engine's finish reason, as received. */
  readonly finish: string | null
  readonly streamed: boolean
  readonly bytesIn: Bytes
  readonly bytesOut: Bytes
}

/** How the decision list names an outcome; the order is that of a stacked chart, ok at the bottom. */
export const outcomeClasses = [
  'ok',
  'fallback',
  'client-left',
  'client-error',
  'replica-error',
  'timeout',
  'broken',
  'refused',
] as const
/** One of the outcome classes. */
export type OutcomeClass = (typeof outcomeClasses)[number]

/** How a decision stands: its outcome's class, or that there is none yet, or that none will ever be seen here. */
export type Standing = OutcomeClass | 'open' | 'routed-only'
/** Every standing. */
export const standings: readonly Standing[] = [...outcomeClasses, 'open', 'routed-only']

/** Statuses of the 4xx that say nothing against the request: it came too slowly, or there was no room. */
const notTheRequests: readonly number[] = [408, 429]

/** A request that was wrong in itself, whoever said so, or that our proxy gave up because its client stalled or asked too often. */
const isClients = ({ status, reason }: Outcome): boolean =>
  status >= 400 && status < 500 && (!notTheRequests.includes(status) || reason.startsWith('client_'))

/** The class of an outcome. */
export function classify(outcome: Outcome): OutcomeClass {
  const { end, status, reason, rank } = outcome
  if (end === 'client_left') return 'client-left'
  if (end !== 'broke' && isClients(outcome)) return 'client-error'
  if (status === 504 || reason.endsWith('_timeout')) return 'timeout'
  if (end === 'broke') return 'broken'
  if (end === 'refused') return 'refused'
  if (status >= 400) return 'replica-error'
  return rank !== null && rank > 0 ? 'fallback' : 'ok'
}

const failures: readonly Standing[] = ['replica-error', 'timeout', 'broken', 'refused']

/** True for outcomes by which the cluster failed a user; what a client did of its own account is none. */
export const isFailure = (standing: Standing): boolean => failures.includes(standing)
