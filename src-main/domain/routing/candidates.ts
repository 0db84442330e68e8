import { known, type Reading } from '../fleet/reading'
import { type FleetSnapshot, isEligible, type ReplicaId } from '../fleet/replica'

/** Why a candidate may not be picked. */
export type Exclusion = 'not-ready' | 'excluded'

/**
 * The candidates of a decision, in columns: one entry a replica, plain numbers, made once per fleet snapshot. NaN means
 * "not reported". A policy cannot reach an address, a source or a clock through it.
 */
export interface Candidates {
  readonly ids: readonly ReplicaId[]
  /** Null: may be picked. */
  readonly exclusions: readonly (Exclusion | null)[]
  /** The router's own count of requests under way; it changes in place while requests come and go. */
  readonly inFlight: Float64Array
  readonly maxOngoing: Float64Array
  /** Engine-reported: running, waiting, share of KV blocks in use. */
  readonly running: Float64Array
  readonly waiting: Float64Array
  readonly kvUsedRatio: Float64Array
  /** Monotonic time at which the engine's figures were taken, on the router's clock; NaN: never. */
  readonly takenMonoMs: Float64Array
}

/** Makes the columns of a snapshot. `inFlight` starts at what `counts` says, 0 for replicas it does not know. */
export function candidatesOf(fleet: FleetSnapshot, counts: ReadonlyMap<ReplicaId, number>): Candidates {
  const column = (read: (index: number) => number) =>
    Float64Array.from(fleet.replicas, (_, index) => read(index))
  const figure = (pick: (index: number) => Reading<number> | undefined) =>
    column((index) => {
      const reading = pick(index)
      return reading === undefined ? Number.NaN : (known(reading) ?? Number.NaN)
    })
  const ids = fleet.replicas.map(({ replica }) => replica.id)
  return {
    ids,
    exclusions: fleet.replicas.map((each) =>
      isEligible(each) ? null : each.excluded ? 'excluded' : 'not-ready',
    ),
    inFlight: column((index) => counts.get(ids[index] as string) ?? 0),
    maxOngoing: figure((index) => fleet.replicas[index]?.maxOngoing),
    running: figure((index) => fleet.replicas[index]?.running),
    waiting: figure((index) => fleet.replicas[index]?.waiting),
    kvUsedRatio: figure((index) => fleet.replicas[index]?.kvUsedRatio),
    takenMonoMs: column((index) => {
      const running = fleet.replicas[index]?.running
      return running && 'value' in running ? running.takenMonoMs : Number.NaN
    }),
  }
}

/** True when the candidate may be picked. */
export const isOpen = (candidates: Candidates, index: number): boolean =>
  candidates.exclusions[index] === null

/** Indices of the candidates that may be picked, in order. */
export function openOnes(candidates: Candidates): number[] {
  const open: number[] = []
  for (let index = 0; index < candidates.ids.length; index++) if (isOpen(candidates, index)) open.push(index)
  return open
}

/** A copy whose in-flight counts no longer move: what a decision saw, for making its reasons later. */
export const frozen = (candidates: Candidates): Candidates => ({
  ...candidates,
  inFlight: candidates.inFlight.slice(),
})
