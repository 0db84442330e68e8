import { z } from 'zod'
import type { Millis } from '../base/units'
import type { FleetSnapshot, Replica } from '../domain/fleet/replica'
import type { ClusterBody, ClusterRecord, DecisionBody, DecisionRow } from '../domain/journal/record'
import { faultNames } from '../domain/journal/record'
import type { SecondBucket, SummaryView } from '../domain/journal/views'
import { changes, reads } from './peer'
import { type DecisionGroups, type DecisionPage, rpc } from './rpc'

// The lists between our own processes. Control starts the others and calls them; router and ingest meet on a local
// socket, router calling, so that a dead ingest costs the router nothing but dropped records.

const paramValue = z.union([z.number(), z.boolean(), z.string()])
const policyInForce = z.strictObject({
  id: z.string(),
  params: z.record(z.string(), paramValue),
})
const replica = z.strictObject({
  id: z.string(),
  model: z.string(),
  url: z.string(),
  engine: z.string().optional(),
})

/** control → router */
export const routerLink = {
  'router.start': changes<{
    readonly proxyPort: number
    readonly routerPort: number
  }>()(
    z.strictObject({
      /** Literal address to listen on; both listeners. */
      host: z.string(),
      proxyPort: z.int().min(0).max(65_535),
      routerPort: z.int().min(0).max(65_535),
      /** Also answer on the IPv6 loopback, where the machine has one. */
      ipv6: z.boolean(),
      policy: policyInForce,
      seed: z.number(),
      /** HMAC key of session ids, hex. */
      sessionKeyHex: z.string(),
      /** Where ingest listens for decision records. */
      ingestPath: z.string(),
      /** Prefix of full replica ids: `SERVE_REPLICA::<app>#<deployment>#`. */
      replicaIdPrefix: z.string(),
      /** The fleet as known now: the router serves it at once, without waiting for ingest. */
      replicas: z.array(replica),
      /** Key that data-plane clients must send, or null on loopback (decision D22). */
      dataPlaneKey: z.string().nullable(),
    }),
  ),
  'router.policy': changes<null>()(policyInForce),
  /**
   * The replicas that there are from now on. A removed one gets no new request; what runs there goes on to its end.
   * Only this, after the start, adds and removes replicas: what ingest tells is their state and load.
   */
  'router.members': changes<null>()(z.strictObject({ replicas: z.array(replica) })),
  'router.faults': changes<null>()(z.strictObject({ names: z.array(z.enum(faultNames)) })),
  /** Stops accepting, waits for streams up to the limit, then ends them with an error event. */
  'router.stop': changes<{ readonly cut: number }>()(z.strictObject({ waitMs: z.int().min(0) })),
}
/** router → control */
export type RouterNotes = {
  readonly 'router.status': {
    readonly inFlight: number
    readonly droppedRecords: number
    readonly ingestLinked: boolean
  }
}

/** control → ingest */
export const ingestLink = {
  'ingest.start': changes<{
    readonly store: 'ok' | 'memory' | 'read-only'
    readonly why: string | null
    readonly moved: string | null
  }>()(
    z.strictObject({
      /** Folder of the store, or null to keep everything in memory. */
      storeFolder: z.string().nullable(),
      listenPath: z.string(),
      pollEveryMs: z.int().min(200),
      boot: z.string(),
    }),
  ),
  /** The replicas that should be there; membership comes from here, state and load from reading them. */
  'ingest.targets': changes<null>()(
    z.strictObject({
      replicas: z.array(replica),
      cause: z.enum(['operator', 'failure', 'unknown']),
    }),
  ),
  'ingest.record': changes<null>()(
    z.strictObject({
      body: z.custom<ClusterBody>((value) => typeof value === 'object' && value !== null),
    }),
  ),
  /** The router process ended: its open requests are lost. Answers how many there were. */
  'ingest.routerLost': changes<{ readonly lostStreams: number }>()(z.strictObject({})),
  'ingest.last': reads<DecisionPage>()(rpc['decisions.last'].params),
  'ingest.explain': reads<{
    readonly row: DecisionRow
    readonly session: readonly DecisionRow[]
  }>()(rpc['decisions.explain'].params),
  'ingest.groups': reads<DecisionGroups>()(rpc['decisions.groups'].params),
  'ingest.timeline': reads<readonly ClusterRecord[]>()(rpc['timeline.read'].params),
}
/** ingest → control: what the screens will be fed. */
export type IngestNotes = {
  readonly 'feed.cluster': { readonly items: readonly ClusterRecord[] }
  readonly 'feed.decisions': { readonly items: readonly DecisionRow[] }
  readonly 'feed.seconds': { readonly items: readonly SecondBucket[] }
  readonly 'feed.fleet': { readonly value: FleetSnapshot }
  readonly 'feed.summary': { readonly value: SummaryView }
  readonly 'store.turned': {
    readonly to: 'ok' | 'memory' | 'read-only'
    readonly why: string | null
  }
}

/** router → ingest, on the local socket: notes only, nobody waits. */
export type RecordNotes = {
  readonly hello: {
    readonly pid: number
    readonly boot: string
    readonly inFlight: number
    /** Ids of the decisions that have not ended: one of this router that is missing here has an end nobody recorded. */
    readonly open: readonly string[]
  }
  readonly records: {
    readonly records: readonly DecisionBody[]
    readonly droppedBefore: number
  }
}
/** ingest → router, on the same socket. */
export type FleetNotes = {
  readonly fleet: { readonly fleet: FleetSnapshot }
}

/** control → fleet */
export const fleetLink = {
  'fleet.start': changes<{ readonly replicas: readonly Replica[] }>()(
    z.strictObject({
      replicas: z.int().min(1).max(64),
      seed: z.number(),
      speed: z.number().positive(),
      /** Number of the first replica's id: a fleet that was lost comes back under new ids (decision D20). */
      firstNumber: z.int().min(1).default(1),
      model: z.string(),
      /** Preset whose model and machine the replicas imitate. */
      profile: z.string(),
      /** KV capacity of each replica, tokens; absent is the demo's: small, so that eviction shows at demo load. */
      kvTokens: z.int().min(1_024).max(10_000_000).optional(),
      host: z.string(),
    }),
  ),
  'fleet.scale': changes<{
    readonly replicas: readonly Replica[]
    readonly added: readonly string[]
    readonly removed: readonly string[]
  }>()(z.strictObject({ replicas: z.int().min(1).max(64) })),
  /** Ends a replica as a crash does: its port closes and its streams are reset. It stays listed until it is replaced. */
  'fleet.kill': changes<null>()(z.strictObject({ replicaId: z.string() })),
  /** Starts a fresh replica, with a new id, for that killed one, or for each of them. */
  'fleet.replace': changes<{ readonly replicas: readonly Replica[] }>()(
    z.strictObject({ replicaId: z.string().nullable().default(null) }),
  ),
}
/** fleet → control */
export type FleetProcessNotes = Record<string, never>

/** control → traffic */
export const trafficLink = {
  'traffic.start': changes<null>()(
    z.strictObject({
      proxyUrl: z.string(),
      model: z.string(),
      seed: z.number(),
      ratePerSecond: z.number(),
      running: z.boolean(),
      dataPlaneKey: z.string().nullable(),
    }),
  ),
  'traffic.set': changes<null>()(z.strictObject({ running: z.boolean(), ratePerSecond: z.number() })),
  /** The proxy moved to another port (after a restart of the router). */
  'traffic.proxy': changes<null>()(z.strictObject({ proxyUrl: z.string() })),
}
/** traffic → control */
export type TrafficNotes = {
  readonly 'traffic.status': {
    readonly sent: number
    readonly failed: number
    readonly active: number
    /** Arrivals that were not sent, because as many as allowed were under way. */
    readonly skipped: number
  }
}

/** Header by which Signalbox's own traffic marks itself; stripped before a replica sees it. */
export const demoHeader = 'x-signalbox-demo'
/** Pace of ingest's values to control, ms. */
export const valueEveryMs: Millis = 500
