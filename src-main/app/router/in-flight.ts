import type { ReplicaId } from '../../domain/fleet/replica'
import type { Candidates } from '../../domain/routing/candidates'

/** One request's place in the count of its replica. Releasing it twice counts once. */
export interface Hold {
  readonly replicaId: ReplicaId
  release(): void
}

/** The router's own count of requests under way, by replica id, so that it survives every change of the fleet. */
export interface InFlight {
  readonly counts: ReadonlyMap<ReplicaId, number>
  readonly total: number
  hold(replicaId: ReplicaId): Hold
  /** Keeps these columns in step from now on, in place of the ones before. */
  follow(candidates: Candidates): void
}

/** No request under way yet. */
export function createInFlight(): InFlight {
  const counts = new Map<ReplicaId, number>()
  let followed: Candidates | null = null
  let places = new Map<ReplicaId, number>()
  let total = 0
  const change = (replicaId: ReplicaId, by: 1 | -1) => {
    const count = (counts.get(replicaId) ?? 0) + by
    total += by
    if (count === 0) counts.delete(replicaId)
    else counts.set(replicaId, count)
    const place = places.get(replicaId)
    if (followed && place !== undefined) followed.inFlight[place] = count
  }
  return {
    counts,
    get total() {
      return total
    },
    hold(replicaId) {
      change(replicaId, 1)
      let held = true
      return {
        replicaId,
        release() {
          if (!held) return
          held = false
          change(replicaId, -1)
        },
      }
    },
    follow(candidates) {
      followed = candidates
      places = new Map(candidates.ids.map((id, place) => [id, place]))
    },
  }
}
