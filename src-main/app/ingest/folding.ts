import { emptySketch, merge, quantile, type Sketch } from '../../base/quantiles'
import type { Millis } from '../../base/units'
import { absent, type Reading } from '../../domain/fleet/reading'
import { type FleetSnapshot, isEligible, type ReplicaId } from '../../domain/fleet/replica'
import type { Percentiles, ReplicaTraffic, SecondBucket, SummaryView } from '../../domain/journal/views'
import type { Decisions, RowEvent } from './decisions'
import { createFailureRun } from './failure-run'
import { countDecided, countEnded, type SecondCounts } from './second-counts'
import { createSeconds, keptSeconds } from './seconds'

/** Errors, latencies and rates describe the last minute; breaks, affinity and cache the last five (ux.md 6.1). */
const shortSeconds = 60
const longSeconds = keptSeconds
/** Reasons in a summary. */
const reasonsShown = 20

/** Counts everything that comes by and makes the figures of the screens from it. */
export interface Folding {
  take(event: RowEvent): void
  /** Notes what is under way when a second ends; to be called several times a second. */
  tick(): void
  /** The seconds that have passed since the last call. */
  seconds(): readonly SecondBucket[]
  summary(tail: SummaryView['tail']): SummaryView
  /** Failed requests in the last minute that were charged to a replica. Absent until a router has told anything. */
  errorsPerMinute(replicaId: ReplicaId): Reading<number>
  /** TTFT above which a request counts as slow; null while too little is known. */
  slowMs(): Millis | null
  clockJumped(byMs: Millis): void
}

/** What folding reads besides the events. */
export interface FoldingOptions {
  readonly clock: { monoMs(): Millis; wallMs(): Millis }
  readonly fleet: () => FleetSnapshot | null
  readonly decisions: () => Pick<Decisions, 'inFlight' | 'sessions'>
}

/** Missed ends of seconds that are made up for. */
const ticksMadeUpMax = 10
/** Requests behind a p99 before one of them is called slow. */
const slowSamplesMin = 100

/** A folding of nothing. */
export function createFolding({ clock, fleet, decisions }: FoldingOptions): Folding {
  const seconds = createSeconds(clock)
  const failureRun = createFailureRun()
  let lastRequestWallMs: Millis | null = null
  let heardOf = false
  let ticked = seconds.now()
  let slow: Millis | null = null

  const inFlight = () => inFlightOver(fleet(), decisions().inFlight())
  return {
    take(event) {
      if (event.kind === 'unrecorded') return // what became of it is not known: it is no failure and no success
      heardOf = true
      if (event.kind === 'began') {
        countDecided(seconds.at(event.row.monoMs), event.row)
        lastRequestWallMs = Math.max(lastRequestWallMs ?? 0, event.row.wallMs)
      } else {
        countEnded(seconds.at(event.ended.monoMs), event.ended, event.previous)
      }
    },
    tick() {
      const now = seconds.now()
      // Usually one; more when this process was held up, and then each of them gets what is known now.
      for (let back = Math.min(now - ticked, ticksMadeUpMax); back > 0; back--)
        seconds.at(clock.monoMs() - back * 1_000).inFlight = spreadOf(inFlight())
      ticked = now
    },
    seconds: () => seconds.passed().map((second) => bucketOf(second, seconds.wallMsOf(second.index))),
    summary(tail) {
      const long = seconds.last(longSeconds)
      const short = seconds.last(shortSeconds)
      const ttftMs = percentiles(short.map((second) => second.ttftMs))
      slow = ttftMs.n >= slowSamplesMin ? ttftMs.p99 : null
      const under = inFlight()
      return {
        takenWallMs: clock.wallMs(),
        takenMonoMs: clock.monoMs(),
        requestsPerSecond: sum(short, 'decided') / Math.max(1, Math.min(shortSeconds, seconds.covered)),
        errors: { part: sum(short, 'failed'), whole: sum(short, 'ended') },
        clientErrors: {
          part: short.reduce((all, { outcomes }) => all + outcomes['client-error'], 0),
          whole: sum(short, 'ended'),
        },
        reasons: reasonsOf(short),
        breaks: { part: sum(long, 'broken'), whole: sum(long, 'streams') },
        ttftMs,
        itlMs: percentiles(short.map((second) => second.itlMs)),
        affinity: { part: sum(long, 'affinityPart'), whole: sum(long, 'affinityWhole') },
        keyless: { part: sum(long, 'keyless'), whole: sum(long, 'decided') },
        cachedTokens: { part: sum(long, 'cachedTokens'), whole: sum(long, 'promptTokens') },
        imbalance: under === null ? null : { max: under.max, mean: under.mean, replicas: under.replicas },
        replicas: trafficOf(short, fleet(), decisions(), clock.monoMs()),
        lastRequestWallMs,
        failingSinceWallMs: failureRun.since(long, seconds.now()),
        failed: failureRun.over,
        tail,
      }
    },
    errorsPerMinute(replicaId) {
      if (!heardOf) return absent('never-received', 'router')
      const failed = seconds
        .last(shortSeconds)
        .reduce((count, { replicas }) => count + (replicas.get(replicaId)?.failed ?? 0), 0)
      return { value: failed, origin: 'recomputed', source: 'router', takenMonoMs: clock.monoMs() }
    },
    slowMs: () => slow,
    clockJumped: (byMs) => seconds.clockJumped(byMs),
  }
}

type Counter = {
  [Key in keyof SecondCounts]: SecondCounts[Key] extends number ? Key : never
}[keyof SecondCounts]

const sum = (seconds: readonly SecondCounts[], name: Counter): number =>
  seconds.reduce((total, second) => total + second[name], 0)

/** Percentiles of several windows: merged first, ranked after. */
function percentiles(sketches: readonly Sketch[]): Percentiles {
  const all = emptySketch()
  for (const sketch of sketches) if (sketch.count > 0) merge(all, sketch)
  return {
    p50: quantile(all, 0.5),
    p95: quantile(all, 0.95),
    p99: quantile(all, 0.99),
    max: all.count === 0 ? null : all.max,
    n: all.count,
  }
}

function bucketOf(second: SecondCounts, wallMs: Millis): SecondBucket {
  return {
    wallMs,
    outcomes: { ...second.outcomes },
    ttftMs: percentiles([second.ttftMs]),
    itlMs: percentiles([second.itlMs]),
    affinity: { part: second.affinityPart, whole: second.affinityWhole },
    cachedTokens: { part: second.cachedTokens, whole: second.promptTokens },
    inFlight: second.inFlight,
  }
}

/** Most frequent first; equals in the order of their names. */
function reasonsOf(seconds: readonly SecondCounts[]): SummaryView['reasons'] {
  const counts = new Map<string, number>()
  for (const { reasons } of seconds)
    for (const [reason, count] of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count)
  return [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, reasonsShown)
    .map(([reason, count]) => ({ reason, count }))
}

const spreadOf = (under: ReturnType<typeof inFlightOver>): SecondCounts['inFlight'] =>
  under === null ? null : { min: under.min, mean: under.mean, max: under.max }

/** Over the replicas that take requests, and those that still have some. */
function inFlightOver(
  fleet: FleetSnapshot | null,
  counts: ReadonlyMap<ReplicaId, number>,
): (NonNullable<SecondCounts['inFlight']> & { readonly replicas: number }) | null {
  const ids = new Set(fleet?.replicas.filter(isEligible).map(({ replica }) => replica.id) ?? [])
  for (const [id, count] of counts) if (count > 0) ids.add(id)
  if (ids.size === 0) return null
  const each = [...ids].map((id) => counts.get(id) ?? 0)
  const total = each.reduce((all, count) => all + count, 0)
  return { min: Math.min(...each), mean: total / each.length, max: Math.max(...each), replicas: each.length }
}

/** Every replica of the fleet in its order, then those that are gone but had traffic. */
function trafficOf(
  seconds: readonly SecondCounts[],
  fleet: FleetSnapshot | null,
  { inFlight, sessions }: Pick<Decisions, 'inFlight' | 'sessions'>,
  monoMs: Millis,
): readonly ReplicaTraffic[] {
  const ids = new Set(fleet?.replicas.map(({ replica }) => replica.id) ?? [])
  for (const { replicas } of seconds) for (const id of replicas.keys()) ids.add(id)
  const active = sessions.activeByReplica(monoMs)
  const under = inFlight()
  return [...ids].map((replicaId) => {
    const own = seconds.flatMap(({ replicas }) => replicas.get(replicaId) ?? [])
    const total = (name: 'picks' | 'served' | 'failed') => own.reduce((all, each) => all + each[name], 0)
    return {
      replicaId,
      picks: total('picks'),
      served: total('served'),
      failed: total('failed'),
      inFlight: under.get(replicaId) ?? 0,
      ttftMs: percentiles(own.map((each) => each.ttftMs)),
      sessions: active.get(replicaId) ?? 0,
    }
  })
}
