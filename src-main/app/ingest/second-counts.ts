import { emptySketch, mergePacked, type PackedSketch, record, type Sketch } from '../../base/quantiles'
import type { Millis } from '../../base/units'
import type { ReplicaId } from '../../domain/fleet/replica'
import type { DecisionEnded, DecisionRow } from '../../domain/journal/record'
import {
  classify,
  isFailure,
  type Outcome,
  type OutcomeClass,
  outcomeClasses,
} from '../../domain/routing/outcome'

/** One replica's part of a second. */
export interface ReplicaCounts {
  picks: number
  served: number
  failed: number
  readonly ttftMs: Sketch
}

/** Everything that is counted of one second, of the full population. */
export interface SecondCounts {
  readonly index: number
  decided: number
  keyless: number
  readonly outcomes: Record<OutcomeClass, number>
  ended: number
  failed: number
  /** Wall time of the second's first failure; null without one. */
  firstFailureWallMs: Millis | null
  streams: number
  broken: number
  affinityPart: number
  affinityWhole: number
  cachedTokens: number
  promptTokens: number
  readonly reasons: Map<string, number>
  readonly ttftMs: Sketch
  /** Each request's median gap between chunks; their largest gap stands beside it. */
  readonly itlMs: Sketch
  readonly replicas: Map<ReplicaId, ReplicaCounts>
  /** Requests under way at the end of the second; set when it has passed. */
  inFlight: { readonly min: number; readonly mean: number; readonly max: number } | null
}

/** Different reasons that are told apart in one second; more of them are counted as `other`. */
const reasonsMax = 100
/** Different replicas in one second. */
const replicasMax = 512

/** A second in which nothing happened. */
export const emptySecond = (index: number): SecondCounts => ({
  index,
  decided: 0,
  keyless: 0,
  outcomes: noOutcomes(),
  ended: 0,
  failed: 0,
  firstFailureWallMs: null,
  streams: 0,
  broken: 0,
  affinityPart: 0,
  affinityWhole: 0,
  cachedTokens: 0,
  promptTokens: 0,
  reasons: new Map(),
  ttftMs: emptySketch(),
  itlMs: emptySketch(),
  replicas: new Map(),
  inFlight: null,
})

/** Zero of every class. */
export const noOutcomes = (): Record<OutcomeClass, number> =>
  Object.fromEntries(outcomeClasses.map((each) => [each, 0])) as Record<OutcomeClass, number>

/** Counts a decision. */
export function countDecided(second: SecondCounts, row: DecisionRow): void {
  second.decided++
  if (row.session === null) second.keyless++
  const replica = replicaCounts(second, row.pick)
  if (replica) replica.picks++
}

/** Counts an end. @param previous replica of the session's turn before, null without one */
export function countEnded(
  second: SecondCounts,
  { outcome, wallMs, itlGaps }: DecisionEnded,
  previous: ReplicaId | null,
): void {
  const outcomeClass = classify(outcome)
  const failed = isFailure(outcomeClass)
  second.ended++
  second.outcomes[outcomeClass]++
  if (failed) second.failed++
  if (failed) second.firstFailureWallMs ??= wallMs
  if (failed) addReason(second, outcome.reason)
  // A stream that broke counts as one that had begun, also when its router took the knowledge of it along.
  if (outcome.end === 'broke') second.broken++
  if (outcome.end === 'broke' || (outcome.streamed && outcome.end !== 'refused')) second.streams++
  countAffinity(second, outcome, previous)
  countTokens(second, outcome)
  countLatency(second, outcome, itlGaps)
  countServed(second, outcome, failed)
}

function addReason({ reasons }: SecondCounts, reason: string): void {
  const name = reasons.has(reason) || reasons.size < reasonsMax ? reason : 'other'
  reasons.set(name, (reasons.get(name) ?? 0) + 1)
}

/** Non-first turns with a key that reached a replica, and those that reached the one of the turn before. */
function countAffinity(second: SecondCounts, { served }: Outcome, previous: ReplicaId | null): void {
  if (previous === null || served === null) return
  second.affinityWhole++
  if (served === previous) second.affinityPart++
}

/** Token-weighted, over the requests of which both figures are known (ux.md T10). */
function countTokens(second: SecondCounts, { promptTokens, cachedTokens }: Outcome): void {
  if (promptTokens === null || cachedTokens === null) return
  second.promptTokens += promptTokens
  second.cachedTokens += cachedTokens
}

function countLatency(second: SecondCounts, { ttftMs }: Outcome, itlGaps: PackedSketch | null): void {
  if (ttftMs !== null) record(second.ttftMs, ttftMs)
  if (itlGaps !== null) mergePacked(second.itlMs, itlGaps)
}

function countServed(second: SecondCounts, { served, ttftMs }: Outcome, failed: boolean): void {
  const replica = replicaCounts(second, served)
  if (!replica) return
  replica.served++
  if (failed) replica.failed++
  if (ttftMs !== null) record(replica.ttftMs, ttftMs)
}

function replicaCounts({ replicas }: SecondCounts, id: ReplicaId | null): ReplicaCounts | null {
  if (id === null) return null
  const known = replicas.get(id)
  if (known) return known
  if (replicas.size === replicasMax) return null
  const fresh = { picks: 0, served: 0, failed: 0, ttftMs: emptySketch() }
  replicas.set(id, fresh)
  return fresh
}
