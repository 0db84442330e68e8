import { exactQuantile } from '../../src-main/base/quantiles'
import type { Millis } from '../../src-main/base/units'
import { known } from '../../src-main/domain/fleet/reading'
import type { FleetSnapshot, ReplicaId, ReplicaSnapshot } from '../../src-main/domain/fleet/replica'
import type { ReplicaTraffic, SummaryView } from '../../src-main/domain/journal/views'
import { duration } from '../format/durations'
import { percent, times } from '../format/numbers'
import { visible } from '../format/visible'
import type { Tone } from '../kit/mark'
import { words } from '../words/en'
import { clauseOf, endedClause, failuresFilter } from './clause'

/** Something about a replica that an operator should look at first. `weight` orders them: the heaviest first. */
export interface Suspicion {
  readonly rule:
    | 'down'
    | 'starting'
    | 'draining'
    | 'excluded'
    | 'silent'
    | 'kv'
    | 'waiting'
    | 'hot'
    | 'failing'
    | 'slow'
  readonly weight: number
  readonly tone: Tone
  readonly text: string
  /** The filter of the decisions that show it; null when it is none of theirs, and the replica itself tells. */
  readonly evidence: string | null
}

/** A replica with its traffic and what speaks against it, the heaviest first. */
export interface Suspect {
  readonly replica: ReplicaSnapshot
  readonly traffic: ReplicaTraffic | null
  /** In flight over the mean of all replicas; null without traffic figures. */
  readonly load: number | null
  readonly suspicions: readonly Suspicion[]
}

/**
 * The rules, all of them plain comparisons; the overview states them in words. What chance alone can bring about asks for
 * more than chance brings, and a test with seeded dice on eight even replicas holds the figures:
 * - Hot: numbers in flight scatter by the root of their mean, so twice a mean of two is met in half of all instants. Twice
 *   the mean, four such deviations over it and no fewer than six is met in less than 1 % of them, whatever the rate.
 * - Slow: beyond the p99 of 200 samples lie two (ux.md 11). With latencies of which nine in ten lie within a factor of ten,
 *   one of eight then seems twice as slow as its peers in less than 1 % of looks; of 20 samples in more than a third.
 */
const limits = {
  kvWarn: 0.85,
  kvCrit: 0.95,
  hotTimes: 2,
  hotDeviations: 4,
  hotLeast: 6,
  slowTimes: 2,
  slowSamples: 200,
  failing: 0.05,
  failingLeast: 5,
  silentPolls: 5,
} as const

/** All replicas, the most suspicious first; those of equal standing by id. */
export function suspects(
  fleet: FleetSnapshot | null,
  summary: SummaryView | null,
  monoMs: Millis,
): readonly Suspect[] {
  if (!fleet) return []
  const trafficOf = new Map(summary?.replicas.map((each) => [each.replicaId, each]) ?? [])
  const everyMs = new Map(fleet.sources.map((source) => [source.id, source.everyMs]))
  const mean = summary?.imbalance?.mean ?? 0
  return fleet.replicas
    .map((replica) => {
      const traffic = trafficOf.get(replica.replica.id) ?? null
      const load = traffic && mean > 0 ? traffic.inFlight / mean : null
      const peers = fleet.replicas.filter(
        (each) => each !== replica && each.latencySamples >= limits.slowSamples,
      )
      const found = [
        ...standing(replica, monoMs, everyMs),
        ...pressure(replica),
        ...heat(traffic, mean),
        ...failures(traffic, summary),
        ...slowness(replica, peers, summary),
      ]
      return { replica, traffic, load, suspicions: found.sort((a, b) => b.weight - a.weight) }
    })
    .sort((a, b) => weightOf(b) - weightOf(a) || byId(a, b))
}

const weightOf = ({ suspicions }: Suspect) =>
  (suspicions[0]?.weight ?? 0) * 100 + suspicions.reduce((sum, { weight }) => sum + weight, 0)
const byId = (a: Suspect, b: Suspect) =>
  a.replica.replica.id.localeCompare(b.replica.replica.id, 'en', { numeric: true })

const text = words.suspicion

const plain = (rule: Suspicion['rule'], weight: number, tone: Tone, said: string): Suspicion => ({
  rule,
  weight,
  tone,
  text: said,
  evidence: null,
})

/** Failures and latencies are judged by this long (ux.md 6.1), so no older request is evidence. */
const judgedMs: Millis = 60_000

const evidenceOf = (replicaId: ReplicaId, condition: string, summary: SummaryView | null): string =>
  [
    clauseOf('served', replicaId),
    condition,
    ...(summary === null ? [] : [endedClause(summary.takenWallMs - judgedMs)]),
  ].join(' ')

function standing(
  { state, excluded, lastError }: ReplicaSnapshot,
  monoMs: Millis,
  everyMs: ReadonlyMap<string, Millis>,
): Suspicion[] {
  const found: Suspicion[] = []
  const now = known(state)
  if (now === 'down') found.push(plain('down', 90, 'crit', text.down(visible(lastError ?? ''))))
  if (now === 'starting') found.push(plain('starting', 10, 'info', text.starting))
  if (now === 'draining') found.push(plain('draining', 15, 'drain', text.draining))
  if (excluded) found.push(plain('excluded', 15, 'drain', text.excluded))
  if ('value' in state && now !== 'down') {
    const age = monoMs - state.takenMonoMs
    const every = everyMs.get(state.source) ?? 1_000
    if (age > Math.min(limits.silentPolls * every, 15_000))
      found.push(plain('silent', 60, 'stale', text.unread(duration(age))))
  }
  return found
}

function heat(traffic: ReplicaTraffic | null, mean: number): Suspicion[] {
  const chance = mean + limits.hotDeviations * Math.sqrt(mean)
  const least = Math.max(limits.hotLeast, limits.hotTimes * mean, chance)
  if (!traffic || mean <= 0 || traffic.inFlight < least) return []
  const evidence = [clauseOf('pick', traffic.replicaId), clauseOf('outcome', 'open')].join(' ')
  return [{ ...plain('hot', 40, 'warn', text.hot(times(traffic.inFlight / mean))), evidence }]
}

function pressure(replica: ReplicaSnapshot): Suspicion[] {
  const found: Suspicion[] = []
  const kv = known(replica.kvUsedRatio)
  const waiting = known(replica.waiting)
  if (kv !== null && kv > limits.kvWarn) {
    const full = kv > limits.kvCrit
    found.push(plain('kv', full ? 70 : 30, full ? 'crit' : 'warn', text.kvFull(percent(kv))))
  }
  if (waiting !== null && waiting > 0) found.push(plain('waiting', 35, 'warn', text.waiting(String(waiting))))
  return found
}

function failures(traffic: ReplicaTraffic | null, summary: SummaryView | null): Suspicion[] {
  if (!traffic || traffic.failed < limits.failingLeast) return []
  const { replicaId, failed, served } = traffic
  const share = failed / served
  if (share <= limits.failing) return []
  const evidence = evidenceOf(replicaId, failuresFilter, summary)
  return [{ ...plain('failing', 80, 'crit', text.failing(percent(share))), evidence }]
}

function slowness(
  replica: ReplicaSnapshot,
  peers: readonly ReplicaSnapshot[],
  summary: SummaryView | null,
): Suspicion[] {
  const own = known(replica.ttftMsP99)
  const others = peers.flatMap((each) => known(each.ttftMsP99) ?? [])
  const middle = exactQuantile(others, 0.5)
  if (own === null || middle === null || middle <= 0 || replica.latencySamples < limits.slowSamples) return []
  const ratio = own / middle
  if (ratio < limits.slowTimes) return []
  const evidence = evidenceOf(replica.replica.id, `ttft>${Math.round(middle)}ms`, summary)
  return [{ ...plain('slow', 45, 'warn', text.slow(times(ratio))), evidence }]
}
