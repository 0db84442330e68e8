import { observed } from '../../src-main/domain/fleet/reading'
import type { FleetSnapshot, ReplicaSnapshot, ReplicaState } from '../../src-main/domain/fleet/replica'
import type { ClusterBody, ClusterRecord, DecisionRow } from '../../src-main/domain/journal/record'
import type { HealthView, Percentiles, SecondBucket, SummaryView } from '../../src-main/domain/journal/views'
import type { Outcome } from '../../src-main/domain/routing/outcome'

/** The instant at which the stories of these tests begin. */
export const startWallMs = Date.UTC(2026, 0, 1, 3, 0, 0)

export const anOutcome = (over: Partial<Outcome> = {}): Outcome => ({
  end: 'done',
  status: 200,
  reason: 'ok',
  serveReason: null,
  served: 'r1',
  rank: 0,
  attempts: 1,
  ttftMs: 212,
  itlMsP50: 18,
  itlMsMax: 40,
  durationMs: 4_100,
  promptTokens: 800,
  outputTokens: 190,
  cachedTokens: 400,
  finish: 'stop',
  streamed: true,
  bytesIn: 3_200,
  bytesOut: 9_000,
  ...over,
})

export const aRow = (id: string, over: Partial<DecisionRow> = {}): DecisionRow => ({
  id,
  requestId: `req-${id}`,
  wallMs: startWallMs,
  monoMs: 0,
  session: '7f83b1657ff1fc53b92dc18148a1d6c1',
  method: 'POST',
  path: '/v1/chat/completions',
  model: 'demo-8b',
  policy: { id: 'consistent-hash', params: { num_virtual_nodes: 100, num_fallback_replicas: 2 } },
  mode: 'pick-only',
  fleetEpoch: 4,
  promptTokens: 800,
  truncated: null,
  pick: 'r1',
  fallbacks: ['r2', 'r3'],
  refusal: null,
  answer: null,
  reasons: [
    {
      replicaId: 'r1',
      verdict: 'picked',
      why: 'owner',
      rank: 0,
      facts: { inFlight: 3, kvUsedRatio: 0.41, ageMs: 300 },
    },
    { replicaId: 'r2', verdict: 'fallback', why: 'fallback-rank', rank: 1, facts: { inFlight: 1 } },
    { replicaId: 'r3', verdict: 'skipped', why: 'not-ready', rank: null, facts: { inFlight: 0 } },
  ],
  facts: { keyed: 1, virtualNodes: 100, ringPoints: 300 },
  consultUs: 84,
  asked: 'proxy',
  demo: true,
  outcome: anOutcome(),
  endedWallMs: startWallMs + 4_100,
  movedFrom: null,
  turn: 2,
  ...over,
})

const noPercentiles: Percentiles = { p50: null, p95: null, p99: null, max: null, n: 0 }

export const aSecond = (offsetSeconds: number, over: Partial<SecondBucket> = {}): SecondBucket => ({
  wallMs: startWallMs + offsetSeconds * 1_000,
  outcomes: {
    ok: 10,
    fallback: 0,
    'client-left': 0,
    'client-error': 0,
    'replica-error': 0,
    timeout: 0,
    broken: 0,
    refused: 0,
  },
  ttftMs: { p50: 120, p95: 260, p99: 400, max: 420, n: 10 },
  itlMs: { p50: 12, p95: 20, p99: 30, max: 40, n: 300 },
  affinity: { part: 9, whole: 10 },
  cachedTokens: { part: 700, whole: 1_000 },
  inFlight: { min: 0, mean: 2, max: 4 },
  ...over,
})

export const aSummary = (over: Partial<SummaryView> = {}): SummaryView => ({
  takenWallMs: startWallMs,
  takenMonoMs: 0,
  requestsPerSecond: 12,
  errors: { part: 0, whole: 720 },
  clientErrors: { part: 0, whole: 720 },
  reasons: [],
  breaks: { part: 0, whole: 3_000 },
  ttftMs: { p50: 120, p95: 300, p99: 840, max: 900, n: 720 },
  itlMs: { p50: 12, p95: 20, p99: 31, max: 60, n: 20_000 },
  affinity: { part: 950, whole: 1_000 },
  keyless: { part: 0, whole: 720 },
  cachedTokens: { part: 71_000, whole: 100_000 },
  imbalance: { max: 4, mean: 3, replicas: 8 },
  replicas: [],
  lastRequestWallMs: startWallMs,
  failingSinceWallMs: null,
  failed: null,
  tail: {
    seenPerSecond: 12,
    shownPerSecond: 12,
    dropped: 0,
    rows: 1_000,
    oldestWallMs: startWallMs - 60_000,
  },
  ...over,
})

export const aHealth = (over: Partial<HealthView> = {}): HealthView => ({
  version: '0.1.0',
  cluster: 'embedded',
  environment: 'DEMO',
  readOnly: false,
  startedWallMs: startWallMs - 600_000,
  processes: (['router', 'ingest', 'fleet', 'traffic'] as const).map((role, at) => ({
    role,
    pid: 100 + at,
    state: 'up',
    restarts: 0,
    sinceWallMs: startWallMs - 600_000,
    lastExit: null,
  })),
  store: { state: 'ok', why: null, path: 'store' },
  proxyUrl: 'http://127.0.0.1:8000',
  routerUrl: 'http://127.0.0.1:8001',
  policy: { id: 'consistent-hash', params: { num_virtual_nodes: 100, num_fallback_replicas: 2 } },
  faults: [],
  traffic: { running: true, ratePerSecond: 12, sent: 9_000, failed: 0 },
  speed: 10,
  lostStreams: 0,
  droppedRecords: 0,
  banners: [],
  ...over,
})

export const aReplica = (
  id: string,
  over: Partial<ReplicaSnapshot> = {},
  state: ReplicaState = 'ready',
): ReplicaSnapshot => ({
  replica: { id, model: 'demo-8b', url: `http://127.0.0.1:3000${id.slice(1)}` },
  state: observed(state, `engine:${id}`, 0),
  excluded: false,
  running: observed(3, `engine:${id}`, 0),
  waiting: observed(0, `engine:${id}`, 0),
  maxOngoing: observed(64, `engine:${id}`, 0),
  kvUsedRatio: observed(0.4, `engine:${id}`, 0),
  cacheHitRatio: observed(0.7, `engine:${id}`, 0),
  preemptionsPerMinute: observed(0, `engine:${id}`, 0),
  outputTokensPerSecond: observed(400, `engine:${id}`, 0),
  ttftMsP50: observed(120, `engine:${id}`, 0),
  ttftMsP99: observed(400, `engine:${id}`, 0),
  itlMsP99: observed(30, `engine:${id}`, 0),
  latencySamples: 400,
  errorsPerMinute: observed(0, 'router', 0),
  upSinceWallMs: startWallMs - 600_000,
  lastError: null,
  ...over,
})

export const aFleet = (replicas: readonly ReplicaSnapshot[]): FleetSnapshot => ({
  epoch: 4,
  takenMonoMs: 0,
  replicas,
  sources: replicas.map(({ replica }) => ({
    id: `engine:${replica.id}`,
    kind: 'vllm',
    target: replica.url,
    state: 'ok',
    everyMs: 1_000,
    lastGoodMonoMs: 0,
    lastError: null,
  })),
})

let clusterSeq = 0
/** A record of the cluster's story, `offsetSeconds` after the start. */
export const aRecord = (offsetSeconds: number, body: ClusterBody): ClusterRecord => ({
  stamp: {
    stream: 'cluster',
    seq: ++clusterSeq,
    wallMs: startWallMs + offsetSeconds * 1_000,
    monoMs: offsetSeconds * 1_000,
    boot: 'b1',
  },
  body,
})

export { noPercentiles }
