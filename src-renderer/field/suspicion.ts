import { exactQuantile } from '../../src-main/base/quantiles'
import type { Millis } from '../../src-main/base/units'
import { known } from '../../src-main/domain/fleet/reading'
import type { FleetSnapshot, ReplicaSnapshot } from '../../src-main/domain/fleet/replica'
import type { ReplicaTraffic, SummaryView } from '../../src-main/domain/journal/views'
import { duration } from '../format/durations'
import { percent, times } from '../format/numbers'
import { visible } from '../format/visible'
import type { Tone } from '../kit/mark'
import { words } from '../words/en'

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
        ...loads(replica, traffic),
        ...heat(traffic, mean),
        ...slowness(replica, peers),
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

function standing(
  { state, excluded, lastError }: ReplicaSnapshot,
  monoMs: Millis,
  everyMs: ReadonlyMap<string, Millis>,
): Suspicion[] {
  const found: Suspicion[] = []
  const now = known(state)
  if (now === 'down')
    found.push({ rule: 'down', weight: 90, tone: 'crit', text: text.down(visible(lastError ?? '')) })
  if (now === 'starting') found.push({ rule: 'starting', weight: 10, tone: 'info', text: text.starting })
  if (now === 'draining') found.push({ rule: 'draining', weight: 15, tone: 'drain', text: text.draining })
  if (excluded) found.push({ rule: 'excluded', weight: 15, tone: 'drain', text: text.excluded })
  if ('value' in state && now !== 'down') {
    const age = monoMs - state.takenMonoMs
    const every = everyMs.get(state.source) ?? 1_000
    if (age > Math.min(limits.silentPolls * every, 15_000))
      found.push({ rule: 'silent', weight: 60, tone: 'stale', text: text.unread(duration(age)) })
  }
  return found
}

function heat(traffic: ReplicaTraffic | null, mean: number): Suspicion[] {
  const chance = mean + limits.hotDeviations * Math.sqrt(mean)
  const least = Math.max(limits.hotLeast, limits.hotTimes * mean, chance)
  if (!traffic || mean <= 0 || traffic.inFlight < least) return []
  return [{ rule: 'hot', weight: 40, tone: 'warn', text: text.hot(times(traffic.inFlight / mean)) }]
}

function loads(replica: ReplicaSnapshot, traffic: ReplicaTraffic | null): Suspicion[] {
  const found: Suspicion[] = []
  const kv = known(replica.kvUsedRatio)
  const waiting = known(replica.waiting)
  if (kv !== null && kv > limits.kvWarn) {
    const full = kv > limits.kvCrit
    found.push({
      rule: 'kv',
      weight: full ? 70 : 30,
      tone: full ? 'crit' : 'warn',
      text: text.kvFull(percent(kv)),
    })
  }
  if (waiting !== null && waiting > 0)
    found.push({ rule: 'waiting', weight: 35, tone: 'warn', text: text.waiting(String(waiting)) })
  const ended = traffic ? traffic.served + traffic.failed : 0
  if (traffic && traffic.failed >= limits.failingLeast && traffic.failed / ended > limits.failing)
    found.push({
      rule: 'failing',
      weight: 80,
      tone: 'crit',
      text: text.failing(percent(traffic.failed / ended)),
    })
  return found
}

function slowness(replica: ReplicaSnapshot, peers: readonly ReplicaSnapshot[]): Suspicion[] {
  const own = known(replica.ttftMsP99)
  const others = peers.flatMap((each) => known(each.ttftMsP99) ?? [])
  const middle = exactQuantile(others, 0.5)
  if (own === null || middle === null || middle <= 0 || replica.latencySamples < limits.slowSamples) return []
  const ratio = own / middle
  return ratio < limits.slowTimes
    ? []
    : [{ rule: 'slow', weight: 45, tone: 'warn', text: text.slow(times(ratio)) }]
}
