import type { Draw } from '../../base/draw'
import type { Millis } from '../../base/units'
import type { Candidates } from './candidates'
import type { Choice, Decision, Reason, Refusal, Why } from './decision'
import type { RouteRequest } from './request'

/** A parameter's value. */
export type ParamValue = number | boolean | string

/** One parameter of a policy: the form on the screen and the check of a value are both made from it. */
export interface ParamSpec {
  readonly initial: ParamValue
  readonly unit: string | null
  readonly help: string
  /** Inclusive bounds of a number, which is then whole unless `fraction` is set. */
  readonly min?: number
  readonly max?: number
  readonly fraction?: boolean
}

/** The parameters of a policy by name. */
export type ParamTable<Params> = { readonly [Name in keyof Params]: ParamSpec }

/** What a policy sees. */
export interface RouteInput {
  readonly request: RouteRequest
  readonly candidates: Candidates
  /** Goes up with each change of the candidates' set or eligibility. */
  readonly fleetEpoch: number
  readonly draw: Draw
  readonly monoMs: Millis
}

/** Something that a policy may learn from between requests. */
export type RoutingFact = {
  readonly kind: 'fleet-changed'
  readonly candidates: Candidates
  readonly fleetEpoch: number
}

/** What a policy may need to know of the replicas, beyond that they exist. */
export type Signal = 'session-key' | 'in-flight' | 'engine-load' | 'prompt'

/**
 * A routing policy: a function of what it remembers and what it sees. No clock, no chance but `draw`, no I/O. Rules R1
 * to R5 are spelled out in `domain/policies/README.md` and hold for every registered policy.
 */
export interface RoutingPolicy<Params, Memory> {
  /** The field's name for it; also its file's name. */
  readonly id: string
  readonly title: string
  readonly summary: string
  /** Where the rule comes from. */
  readonly source: string
  readonly signals: readonly Signal[]
  readonly params: ParamTable<Params>
  /** Fresh memory: plain data, so that a replay can clone it. */
  init(params: Params, draw: Draw): Memory
  choose(memory: Memory, input: RouteInput): Choice
  /** One reason for each candidate, made from what the decision kept, when somebody reads it. */
  explain(decision: Decision): readonly Reason[]
  /** Work that must not wait for a request: rebuilding a ring. */
  observe?(memory: Memory, fact: RoutingFact): void
}

/** A policy whose parameter and memory types are its own business. */
// biome-ignore lint/suspicious/noExplicitAny: a registry holds policies of many types; the pair of init and choose keeps them together
export type AnyPolicy = RoutingPolicy<any, any>

/** Types a policy description; returns it unchanged. */
export const definePolicy = <Params, Memory>(
  policy: RoutingPolicy<Params, Memory>,
): RoutingPolicy<Params, Memory> => policy

/** A pick with its fallback ranks. */
export const picked = (ranked: readonly number[], facts: Readonly<Record<string, number>> = {}): Choice => ({
  kind: 'picked',
  ranked,
  facts,
})

/** No pick, and why. */
export const refused = (refusal: Refusal, facts: Readonly<Record<string, number>> = {}): Choice => ({
  kind: 'refused',
  refusal,
  facts,
})

/** How a policy words the fates of the candidates it ranked, and of the open ones that it did not. */
export interface Wording {
  readonly picked: Why
  readonly fallback: Why
  readonly unranked: Why
  readonly facts?: (index: number) => Readonly<Record<string, number>>
}

/** Reasons by rank: the shared way to explain a policy whose decision is a ranked list. */
export function explainByRank(
  { choice, candidates, decidedMonoMs }: Decision,
  wording: Wording,
): readonly Reason[] {
  const rankOf = new Map<number, number>()
  if (choice.kind === 'picked') for (const [rank, index] of choice.ranked.entries()) rankOf.set(index, rank)
  return candidates.ids.map((replicaId, index) => {
    const rank = rankOf.get(index) ?? null
    const exclusion = candidates.exclusions[index] ?? null
    const facts = {
      ...loadFacts(candidates, index, decidedMonoMs),
      ...wording.facts?.(index),
    }
    if (exclusion !== null)
      return {
        replicaId,
        verdict: 'skipped',
        why: exclusion,
        rank: null,
        facts,
      }
    if (rank === null)
      return {
        replicaId,
        verdict: 'not-considered',
        why: wording.unranked,
        rank,
        facts,
      }
    if (rank === 0) return { replicaId, verdict: 'picked', why: wording.picked, rank, facts }
    return {
      replicaId,
      verdict: 'fallback',
      why: wording.fallback,
      rank,
      facts,
    }
  })
}

/** What was known of a candidate's load when the decision fell; figures that nobody reported are left out. */
export function loadFacts(
  candidates: Candidates,
  index: number,
  decidedMonoMs: Millis,
): Record<string, number> {
  const facts: Record<string, number> = {
    inFlight: candidates.inFlight[index] as number,
  }
  const add = (name: string, value: number | undefined) => {
    if (value !== undefined && Number.isFinite(value)) facts[name] = value
  }
  add('maxOngoing', candidates.maxOngoing[index])
  add('running', candidates.running[index])
  add('waiting', candidates.waiting[index])
  add('kvUsedRatio', candidates.kvUsedRatio[index])
  add('ageMs', decidedMonoMs - (candidates.takenMonoMs[index] as number))
  return facts
}
