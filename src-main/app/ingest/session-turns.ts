import type { Millis } from '../../base/units'
import type { ReplicaId } from '../../domain/fleet/replica'

/** What is known of a session when a turn of it begins. */
export interface TurnBefore {
  /** Turns seen before this one. */
  readonly turn: number
  /** Replica of the last turn that had one; null when there was none. */
  readonly last: ReplicaId | null
}

/** Who served each session last. Sessions that were quiet longest are forgotten first. */
export interface SessionTurns {
  begin(session: string, pick: ReplicaId | null, monoMs: Millis): TurnBefore
  /** A turn that an earlier run saw; they come in their order. */
  recall(session: string, turn: number, replica: ReplicaId | null, monoMs: Millis): void
  /** The turn of that number was served by another replica than was picked; an older turn's end changes nothing. */
  served(session: string, turn: number, replica: ReplicaId): void
  /** Sessions by the replica of their last turn, of those with a turn in the last 15 minutes. */
  activeByReplica(monoMs: Millis): ReadonlyMap<ReplicaId, number>
  readonly size: number
}

/** Sessions that are remembered. */
export const sessionsMax = 100_000
/** A session without a turn for this long is not active any more (ux.md 6.3). */
export const activeForMs: Millis = 15 * 60_000

interface Session {
  turns: number
  replica: ReplicaId | null
  lastMonoMs: Millis
}

/** No sessions yet. */
export function createSessionTurns(limit = sessionsMax): SessionTurns {
  // Both maps are in the order of the last turn, oldest first: a turn takes its session out and puts it in again.
  const active = new Map<string, Session>()
  const quiet = new Map<string, Session>()
  const counts = new Map<ReplicaId, number>()
  const count = (replica: ReplicaId | null, by: 1 | -1) => {
    if (replica === null) return
    const now = (counts.get(replica) ?? 0) + by
    if (now > 0) counts.set(replica, now)
    else counts.delete(replica)
  }
  const take = (session: string): Session => {
    const known = active.get(session)
    if (known) {
      active.delete(session)
      count(known.replica, -1)
      return known
    }
    const before = quiet.get(session)
    quiet.delete(session)
    return before ?? { turns: 0, replica: null, lastMonoMs: 0 }
  }
  const forget = () => {
    const oldest = quiet.keys().next()
    if (!oldest.done) return void quiet.delete(oldest.value)
    for (const [session, { replica }] of active) {
      active.delete(session)
      count(replica, -1)
      return
    }
  }
  const settle = (monoMs: Millis) => {
    for (const [session, entry] of active) {
      if (entry.lastMonoMs >= monoMs - activeForMs) return
      active.delete(session)
      count(entry.replica, -1)
      quiet.set(session, entry)
    }
  }
  const put = (session: string, entry: Session, replica: ReplicaId | null, monoMs: Millis) => {
    entry.turns++
    entry.replica = replica ?? entry.replica
    entry.lastMonoMs = monoMs
    active.set(session, entry)
    count(entry.replica, 1)
    if (active.size + quiet.size > limit) forget()
  }
  return {
    begin(session, pick, monoMs) {
      const entry = take(session)
      const before = { turn: entry.turns, last: entry.replica }
      put(session, entry, pick, monoMs)
      return before
    },
    recall(session, turn, replica, monoMs) {
      put(session, { ...take(session), turns: turn }, replica, monoMs)
    },
    served(session, turn, replica) {
      const counted = active.get(session)
      const entry = counted ?? quiet.get(session)
      if (!entry || entry.turns !== turn + 1 || entry.replica === replica) return
      if (counted) {
        count(entry.replica, -1)
        count(replica, 1)
      }
      entry.replica = replica
    },
    activeByReplica(monoMs) {
      settle(monoMs)
      return counts
    },
    get size() {
      return active.size + quiet.size
    },
  }
}
