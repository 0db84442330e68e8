import type { Replica, ReplicaId } from '../../domain/fleet/replica'

/** Why the set of replicas changed last. */
export type MembersCause = 'operator' | 'failure' | 'unknown'

/** Who belongs to the embedded cluster, as control knows it. */
export interface Members {
  readonly all: readonly Replica[]
  readonly cause: MembersCause
  /** Ids are r1, r2 …; one that was used is never given again, so a lost fleet comes back from here on. */
  readonly nextNumber: number
  /** Ids of those that are not killed. */
  living(): readonly ReplicaId[]
  set(replicas: readonly Replica[], cause: MembersCause): void
  killed(id: ReplicaId): void
  /** The process that ran them ended. */
  allKilled(): void
}

/** Nobody yet. */
export function createMembers(): Members {
  let all: readonly Replica[] = []
  let cause: MembersCause = 'unknown'
  let nextNumber = 1
  let dead: ReadonlySet<ReplicaId> = new Set()
  return {
    get all() {
      return all
    },
    get cause() {
      return cause
    },
    get nextNumber() {
      return nextNumber
    },
    living: () => all.map(({ id }) => id).filter((id) => !dead.has(id)),
    set(replicas, why) {
      all = replicas
      cause = why
      dead = new Set([...dead].filter((id) => replicas.some((each) => each.id === id)))
      for (const { id } of replicas) nextNumber = Math.max(nextNumber, Number(id.slice(1)) + 1)
    },
    killed(id) {
      dead = new Set([...dead, id])
    },
    allKilled() {
      dead = new Set(all.map(({ id }) => id))
    },
  }
}
