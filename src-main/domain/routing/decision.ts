import type { Millis } from '../../base/units'
import type { ReplicaId } from '../fleet/replica'
import { type Candidates, frozen } from './candidates'

/** Why a candidate was or was not picked; the drawer makes its sentences from it. */
export type Why =
  | 'not-ready'
  | 'excluded'
  | 'at-capacity'
  | 'owner'
  | 'fallback-rank'
  | 'beyond-ranks'
  | 'turn'
  | 'not-its-turn'

/** What one candidate's fate was. */
export type Verdict = 'picked' | 'fallback' | 'skipped' | 'not-considered'

/** One candidate's part in a decision: the losers included. */
export interface Reason {
  readonly replicaId: ReplicaId
  readonly verdict: Verdict
  readonly why: Why
  /** 0 is the pick, 1 and on the fallback ranks, null when it is none of them. */
  readonly rank: number | null
  /** Plain figures with their unit in the name, for the table. */
  readonly facts: Readonly<Record<string, number>>
}

/** Why nothing was picked. */
export type Refusal = 'no_replica' | 'at_capacity'

/**
 * What a policy answers: indices into the candidates, first is the pick, the rest its fallback ranks in order; or a
 * refusal. `facts` are figures of the decision as a whole.
 */
export type Choice =
  | {
      readonly kind: 'picked'
      readonly ranked: readonly number[]
      readonly facts: Readonly<Record<string, number>>
    }
  | {
      readonly kind: 'refused'
      readonly refusal: Refusal
      readonly facts: Readonly<Record<string, number>>
    }

/** A choice with the columns it was made from, so that its reasons can be made when somebody reads them. */
export interface Decision {
  readonly id: string
  readonly choice: Choice
  readonly candidates: Candidates
  readonly fleetEpoch: number
  readonly decidedMonoMs: Millis
}

/** The picked replica, or null when the decision is a refusal. */
export function pickOf({ choice, candidates }: Decision): ReplicaId | null {
  return choice.kind === 'picked' ? (candidates.ids[choice.ranked[0] as number] ?? null) : null
}

/** The fallback ranks of a decision, in order; empty for a refusal. */
export function fallbacksOf({ choice, candidates }: Decision): readonly ReplicaId[] {
  return choice.kind === 'picked'
    ? choice.ranked.slice(1).map((index) => candidates.ids[index] as string)
    : []
}

/** A decision with its columns frozen as they stand. */
export function decided(decision: Decision): Decision {
  return { ...decision, candidates: frozen(decision.candidates) }
}
