import type { Millis } from '../../base/units'
import type { ReplicaId } from '../../domain/fleet/replica'
import type { DecisionEnded, DecisionMade, DecisionRow } from '../../domain/journal/record'
import type { Outcome } from '../../domain/routing/outcome'
import { createRecentRows, type RecentRows } from './recent-rows'
import { createSessionTurns, type SessionTurns } from './session-turns'

/** A decision began, or ended, or it is known by now that its end was not recorded. */
export type RowEvent =
  | { readonly kind: 'unrecorded'; readonly row: DecisionRow }
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
  /** A router says which of its decisions are open: those from before our own restart are under way again. */
  adopt(router: string, ids: Iterable<string>): void
  /** Open decisions of a router that were made before that time. */
  openOf(router: string, madeBeforeMonoMs: Millis): readonly string[]
  isOpen(id: string): boolean
  /** Gives up waiting for the end of a decision: its record was lost, and what became of the request is not known. */
  giveUp(id: string): void
  /** Gives up waiting for the ends of very old requests. */
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

/** Ends of rows that are in the store only, and may not be written there yet: their ids, for whoever gives up on them. */
const endedLateMax = 100_000

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
  const endedLate = new Set<string>()
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
  const begin = (row: DecisionRow, router: string, previous: ReplicaId | null) => {
    open.set(row.id, { router, pick: row.pick, previous, sinceMonoMs: row.monoMs })
    count(row.pick, 1)
  }
  const rowOf = (id: string) => rows.find(id) ?? options.stored(id)
  const end = (ended: DecisionEnded) => {
    const begun = close(ended.id)
    const recent = rows.find(ended.id)
    const row = recent ?? options.stored(ended.id)
    if (recent === null && endedLate.size < endedLateMax) endedLate.add(ended.id)
    if (row !== null && row.outcome !== null) return // told twice
    const { served } = ended.outcome
    if (row?.session && row.turn !== null && served !== null) sessions.served(row.session, row.turn, served)
    const previous = begun ? begun.previous : row === null ? null : previousOf(row)
    const joined = row === null ? null : { ...row, outcome: ended.outcome, endedWallMs: ended.wallMs }
    if (joined) rows.replace(joined)
    options.onEvent({ kind: 'ended', row: joined, ended, previous })
  }
  const giveUp = (id: string) => {
    close(id)
    const row = endedLate.has(id) ? null : rowOf(id)
    if (row === null || row.outcome !== null) return
    const given = { ...row, outcome: unknownOutcome('outcome_not_recorded', 0) }
    rows.replace(given)
    options.onEvent({ kind: 'unrecorded', row: given })
  }
  return {
    made(made, router) {
      if (rows.find(made.id) !== null) return // told twice
      const { kind: _, ...decision } = made
      const before = made.session === null ? null : sessions.begin(made.session, made.pick, made.monoMs)
      const movedFrom = made.pick !== null && before?.last !== made.pick ? (before?.last ?? null) : null
      const row = { ...decision, outcome: null, endedWallMs: null, movedFrom, turn: before?.turn ?? null }
      rows.add(row)
      if (made.asked === 'proxy') begin(row, router, before?.last ?? null)
      options.onEvent({ kind: 'began', row })
    },
    ended: end,
    lose(routers) {
      const lost = [...open].filter(([, { router }]) => routers.has(router))
      const { clock } = options
      for (const [id, { sinceMonoMs }] of lost) {
        const monoMs = clock.monoMs()
        const outcome = unknownOutcome('router_lost', Math.max(0, monoMs - sinceMonoMs))
        end({ kind: 'ended', id, wallMs: clock.wallMs(), monoMs, outcome, itlGaps: null })
      }
      return lost.length
    },
    adopt(router, ids) {
      for (const id of ids) {
        const row = open.has(id) ? null : rowOf(id)
        if (row !== null && row.outcome === null) begin(row, router, previousOf(row))
      }
    },
    openOf: (router, madeBeforeMonoMs) =>
      [...open].flatMap(([id, each]) =>
        each.router === router && each.sinceMonoMs < madeBeforeMonoMs ? [id] : [],
      ),
    isOpen: (id) => open.has(id),
    giveUp,
    sweep() {
      const before = options.clock.monoMs() - openMaxMs
      for (const [id, { sinceMonoMs }] of open) {
        if (sinceMonoMs >= before) return // in the order in which they began
        giveUp(id)
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

/** Nobody knows how far the request came, so nothing is charged to a replica. */
const unknownOutcome = (reason: 'router_lost' | 'outcome_not_recorded', durationMs: Millis): Outcome => ({
  end: 'broke',
  status: 0,
  reason,
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
