import type { Millis, Tokens } from '../../base/units'
import type { ReplicaId } from '../fleet/replica'
import { classify, type Standing } from '../routing/outcome'
import type { DecisionRow } from './record'

/** A decision as filters, groups and the store's columns see it: flat, and null for what is not known. */
export interface RowFacts {
  readonly id: string
  readonly requestId: string
  readonly wallMs: Millis
  /** `open` while the request is under way; `routed-only` when somebody else's proxy took it, so that no end is seen. */
  readonly outcome: Standing
  readonly status: number | null
  readonly reason: string | null
  /** Ray's word for a failure of the request router, beside our own reason. */
  readonly serveReason: string | null
  readonly session: string | null
  readonly model: string | null
  readonly path: string
  readonly policy: string
  readonly pick: ReplicaId | null
  readonly served: ReplicaId | null
  readonly rank: number | null
  readonly consultUs: number
  readonly ttftMs: Millis | null
  readonly durationMs: Millis | null
  readonly promptTokens: Tokens | null
  readonly outputTokens: Tokens | null
  readonly cachedTokens: Tokens | null
  readonly finish: string | null
  readonly movedFrom: ReplicaId | null
  readonly turn: number | null
  readonly truncated: boolean
  readonly attempts: number | null
  readonly asked: 'proxy' | 'http'
  readonly demo: boolean
}

/** How a row stands. */
export function standingOf({ outcome, asked }: Pick<DecisionRow, 'outcome' | 'asked'>): Standing {
  if (outcome) return classify(outcome)
  return asked === 'http' ? 'routed-only' : 'open'
}

/** The facts of a row. The engine's count of prompt tokens wins over the estimate. */
export function factsOf(row: DecisionRow): RowFacts {
  const { outcome } = row
  return {
    id: row.id,
    requestId: row.requestId,
    wallMs: row.wallMs,
    outcome: standingOf(row),
    status: outcome?.status ?? null,
    reason: outcome?.reason ?? null,
    serveReason: outcome?.serveReason ?? null,
    session: row.session,
    model: row.model,
    path: row.path,
    policy: row.policy.id,
    pick: row.pick,
    served: outcome?.served ?? null,
    rank: outcome?.rank ?? null,
    consultUs: row.consultUs,
    ttftMs: outcome?.ttftMs ?? null,
    durationMs: outcome?.durationMs ?? null,
    promptTokens: outcome?.promptTokens ?? row.promptTokens,
    outputTokens: outcome?.outputTokens ?? null,
    cachedTokens: outcome?.cachedTokens ?? null,
    finish: outcome?.finish ?? null,
    movedFrom: row.movedFrom,
    turn: row.turn,
    truncated: row.truncated !== null,
    attempts: outcome?.attempts ?? null,
    asked: row.asked,
    demo: row.demo,
  }
}
