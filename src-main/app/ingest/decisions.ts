import type { Millis } from '../../base/units'
import type { ReplicaId } from '../../domain/fleet/replica'
import type { DecisionEnded, DecisionMade, DecisionRow } from '../../domain/journal/record'
import type { Outcome } from '../../domain/routing/outcome'
import { createRecentRows, type RecentRows } from './recent-rows'
import { createSessionTurns, type SessionTurns } from './session-turns'

/** A decision began or ended. */
export type RowEvent =
  | { readonly kind: 'began'; readonly row: DecisionRow }
  | {
      readonly kind: 'ended'
      /** Null when the decision itself is not known: its record was lost on the way. */
      readonly row: DecisionRow | null
      readonly ended: DecisionEnded
      /** Replica of the session's turn before; null without one. */
      readonly previous: ReplicaId | null
    }

/** The decision stream, joined: one row a request, with what its session's last turn tells. */
export interface Decisions {
  /** @param router boot name of the router process that says so */
  made(made: DecisionMade, router: string): void
  ended(ended: DecisionEnded): void
  /** These router processes are gone: what they left open is lost. Answers how many requests that were. */
  lose(routers: ReadonlySet<string>): number
  /** Gives up waiting for the ends of very old requests: their records were lost. */
  sweep(): void
  /** Requests under way by the replica that was picked. */
  inFlight(): ReadonlyMap<ReplicaId, number>
  readonly rows: RecentRows
  readonly sessions: SessionTurns
}

/** What the join needs. */
export interface DecisionsOptions {
  readonly clock: { monoMs(): Millis; wallMs(): Millis }
  readonly onEvent: (event: RowEvent) => void
  /** A row that is not in memory any more, from the store. */
  readonly stored: (id: string) => DecisionRow | null
  readonly rows?: RecentRows
}

/** A request that is under way for longer than this has lost its end record. */
const openMaxMs: Millis = 3_600_000

interface Open {
  readonly router: string
  readonly pick: ReplicaId | null
  readonly previous: ReplicaId | null
  readonly sinceMonoMs: Millis
}

/** A join with nothing in it. */
export function createDecisions(options: DecisionsOptions): Decisions {
  const rows = options.rows ?? createRecentRows()
  const sessions = createSessionTurns()
  const open = new Map<string, Open>()
  const inFlight = new Map<ReplicaId, number>()
  const count = (replica: ReplicaId | null, by: 1 | -1) => {
    if (replica !== null) inFlight.set(replica, (inFlight.get(replica) ?? 0) + by)
  }
  const close = (id: string): Open | null => {
    const entry = open.get(id)
    if (!entry) return null
    open.delete(id)
    count(entry.pick, -1)
    if (entry.pick !== null && inFlight.get(entry.pick) === 0) inFlight.delete(entry.pick)
    return entry
  }
  const end = (ended: DecisionEnded) => {
    const begun = close(ended.id)
    const row = rows.find(ended.id) ?? options.stored(ended.id)
    if (row !== null && row.outcome !== null) return // told twice
    const { served } = ended.outcome
    if (row?.session && row.turn !== null && served !== null) sessions.served(row.session, row.turn, served)
    const previous = begun ? begun.previous : row === null ? null : previousOf(row)
    const joined = row === null ? null : { ...row, outcome: ended.outcome, endedWallMs: ended.wallMs }
    if (joined) rows.replace(joined)
    options.onEvent({ kind: 'ended', row: joined, ended, previous })
  }
  return {
    made(made, router) {
      if (rows.find(made.id) !== null) return // told twice
      const { kind: _, ...decision } = made
      const before = made.session === null ? null : sessions.begin(made.session, made.pick, made.monoMs)
      const movedFrom = made.pick !== null && before?.last !== made.pick ? (before?.last ?? null) : null
      const row = { ...decision, outcome: null, endedWallMs: null, movedFrom, turn: before?.turn ?? null }
      rows.add(row)
      if (made.asked === 'proxy') {
        open.set(made.id, {
          router,
          pick: made.pick,
          previous: before?.last ?? null,
          sinceMonoMs: made.monoMs,
        })
        count(made.pick, 1)
      }
      options.onEvent({ kind: 'began', row })
    },
    ended: end,
    lose(routers) {
      const lost = [...open].filter(([, { router }]) => routers.has(router))
      const { clock } = options
      for (const [id, { sinceMonoMs }] of lost) {
        const monoMs = clock.monoMs()
        const outcome = lostOutcome(Math.max(0, monoMs - sinceMonoMs))
        end({ kind: 'ended', id, wallMs: clock.wallMs(), monoMs, outcome, itlGaps: null })
      }
      return lost.length
    },
    sweep() {
      const before = options.clock.monoMs() - openMaxMs
      for (const [id, { sinceMonoMs }] of open) {
        if (sinceMonoMs >= before) return // in the order in which they began
        close(id)
      }
    },
    inFlight: () => inFlight,
    rows,
    sessions,
  }
}

/** What a stored row tells of the turn before it: the replica it moved from, or the same one as its pick. */
const previousOf = ({ movedFrom, turn, pick }: DecisionRow): ReplicaId | null =>
  movedFrom ?? (turn !== null && turn > 0 ? pick : null)

/** A request whose router died: nobody knows how far it came, so nothing is charged to a replica. */
const lostOutcome = (durationMs: Millis): Outcome => ({
  end: 'broke',
  status: 0,
  reason: 'router_lost',
  serveReason: null,
  served: null,
  rank: null,
  attempts: 0,
  ttftMs: null,
  itlMsP50: null,
  itlMsMax: null,
  durationMs,
  promptTokens: null,
  outputTokens: null,
  cachedTokens: null,
  finish: null,
  streamed: false,
  bytesIn: 0,
  bytesOut: 0,
})
