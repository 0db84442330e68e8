import { ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import {
  type FleetProcessNotes,
  fleetLink,
  type IngestNotes,
  ingestLink,
  type RouterNotes,
  routerLink,
  type TrafficNotes,
  trafficLink,
} from '../../contract/links'
import type { CallTable, NoteTable } from '../../contract/peer'
import { createPeer, type Peer } from '../../contract/peer'
import type { Transport } from '../../contract/transport'
import type { CallError } from '../../contract/wire'
import type { Replica, ReplicaId } from '../../domain/fleet/replica'
import type { ClusterBody, PolicyInForce, Role } from '../../domain/journal/record'
import { done, refuse } from './answers'
import type { ControlOptions, ControlSeams } from './control'
import type { Health } from './health'
import type { Hub } from './hub'
import type { Supervisor } from './supervisor'

/** Addresses of a cluster that is up. */
export interface Ready {
  readonly proxyUrl: string
  readonly routerUrl: string
  readonly replicas: readonly Replica[]
}

/** The embedded cluster: its processes, how they are introduced to each other, and what can be done to them. */
export interface Cluster {
  start(): Promise<Result<Ready, CallError>>
  /** Ids of the replicas that are not killed. */
  living(): readonly ReplicaId[]
  scale(
    replicas: number,
  ): Promise<Result<{ readonly added: readonly string[]; readonly removed: readonly string[] }, CallError>>
  kill(replicaId: ReplicaId): Promise<Result<null, CallError>>
  replaceKilled(): Promise<Result<null, CallError>>
  /** Tells the router which faults are in force. */
  applyFaults(): Promise<Result<null, CallError>>
  setPolicy(policy: PolicyInForce): Promise<Result<null, CallError>>
  setTraffic(running: boolean, ratePerSecond: number): Promise<Result<null, CallError>>
  /** Adds to the story of the cluster; kept while ingest is away. */
  record(body: ClusterBody): void
  readonly ingest: Asker<typeof ingestLink>
  drain(waitMs: Millis): Promise<void>
}

/** Calls a process that may be away just now. */
export type Asker<Table extends CallTable> = Peer<Table, Record<string, never>>['call']

interface Parts {
  readonly seams: ControlSeams
  readonly options: ControlOptions
  readonly hub: Hub
  readonly health: Health
  readonly supervisor: Supervisor
  readonly publish: () => void
}

/** Model that the embedded replicas serve, and the hardware that they imitate. */
export const demoModel = 'demo-8b'
const demoProfile = 'llama-3.1-8b_h100'
/** Records that wait for an ingest process that is away; the oldest go first beyond it. */
const waitingMax = 1_000
/** Pace of reading the replicas. */
const pollEveryMs: Millis = 1_000
const away: Result<never, CallError> = refuse(
  'restarting',
  'that process is being restarted; try again in a second',
)

/** A cluster that is not started yet. */
export function createCluster({ seams, options, hub, health, supervisor, publish }: Parts): Cluster {
  let replicas: readonly Replica[] = []
  let killed: ReadonlySet<ReplicaId> = new Set()
  let cause: 'operator' | 'failure' | 'unknown' = 'unknown'
  let nextNumber = 1 // ids are r1, r2 …; one that was used is never given again
  let waiting: ClusterBody[] = []
  let ports = { proxy: options.proxyPort, router: options.routerPort }
  const links = {
    router: createLink<typeof routerLink>(),
    ingest: createLink<typeof ingestLink>(),
    fleet: createLink<typeof fleetLink>(),
    traffic: createLink<typeof trafficLink>(),
  }
  let settleReady: (result: Result<Ready, CallError>) => void = () => {}
  const ready = new Promise<Result<Ready, CallError>>((resolve) => {
    settleReady = resolve
  })

  const record = (body: ClusterBody) => {
    waiting = [...waiting, body].slice(-waitingMax)
    void flush()
  }
  const flush = async () => {
    if (!links.ingest.up) return
    const bodies = waiting
    waiting = []
    for (const body of bodies) {
      const kept = await links.ingest.call('ingest.record', { body })
      if (!kept.ok) waiting = [...waiting, body].slice(-waitingMax)
    }
  }
  const tellTargets = async () => {
    if (links.ingest.up) await links.ingest.call('ingest.targets', { replicas: [...replicas], cause })
  }
  const members = (next: readonly Replica[], why: typeof cause) => {
    replicas = next
    for (const { id } of next) nextNumber = Math.max(nextNumber, Number(id.slice(1)) + 1)
    killed = new Set([...killed].filter((id) => next.some((each) => each.id === id)))
    cause = why
    return tellTargets()
  }

  const startFleet = async (link: Transport) => {
    links.fleet.open(link, fleetLink, {} satisfies Partial<FleetProcessNotes>)
    const started = await links.fleet.call('fleet.start', {
      replicas: options.replicas,
      seed: options.seed,
      speed: options.speed,
      firstNumber: nextNumber,
      model: demoModel,
      profile: demoProfile,
      host: options.host,
    })
    if (!started.ok) return settleReady(started)
    links.fleet.up = true
    supervisor.up('fleet')
    await members(started.value.replicas, replicas.length === 0 ? 'operator' : 'failure')
    await startRouter()
  }
  const startIngest = async (link: Transport, boot: string) => {
    links.ingest.open(link, ingestLink, ingestNotes(hub, health, publish))
    const started = await links.ingest.call('ingest.start', {
      storeFolder: options.storeFolder,
      listenPath: options.ingestPath,
      pollEveryMs,
      boot,
    })
    if (!started.ok) return settleReady(started)
    if (options.storeFolder !== null)
      health.store = { ...health.store, state: started.value.store, why: started.value.why }
    links.ingest.up = true
    supervisor.up('ingest')
    if (started.value.moved !== null) {
      const text = `The stored history could not be read; it was moved aside to ${started.value.moved} and a new one begun.`
      health.standing.set('store-moved', {
        id: 'store-moved',
        severity: 'warning',
        text,
        sinceWallMs: seams.clock.wallMs(),
      })
    }
    if (replicas.length > 0) await tellTargets()
    await flush()
    publish()
  }
  let routerLinkPort: Transport | null = null
  const startRouter = async () => {
    if (routerLinkPort === null || replicas.length === 0) return // whichever of the two comes second starts it
    const link = routerLinkPort
    routerLinkPort = null
    links.router.open(link, routerLink, routerNotes(health))
    const started = await links.router.call('router.start', {
      host: options.host,
      proxyPort: ports.proxy,
      routerPort: ports.router,
      ipv6: options.ipv6,
      policy: { id: health.policy.id, params: { ...health.policy.params } },
      seed: options.seed,
      sessionKeyHex: options.sessionKeyHex,
      ingestPath: options.ingestPath,
      replicaIdPrefix: `SERVE_REPLICA::default#LLMServer:${demoModel}#`,
      replicas: [...replicas],
      dataPlaneKey: options.dataPlaneKey,
    })
    if (!started.ok) return settleReady(started)
    ports = { proxy: started.value.proxyPort, router: started.value.routerPort }
    health.proxyUrl = `http://${options.host}:${ports.proxy}`
    health.routerUrl = `http://${options.host}:${ports.router}`
    links.router.up = true
    supervisor.up('router')
    await applyFaults()
    settleReady(ok({ proxyUrl: health.proxyUrl, routerUrl: health.routerUrl, replicas }))
    await startTraffic()
  }
  let trafficLinkPort: Transport | null = null
  const startTraffic = async () => {
    if (trafficLinkPort === null || health.proxyUrl === null) return
    const link = trafficLinkPort
    trafficLinkPort = null
    links.traffic.open(link, trafficLink, trafficNotes(health))
    const { running, ratePerSecond } = health.traffic
    const started = await links.traffic.call('traffic.start', {
      proxyUrl: health.proxyUrl,
      model: demoModel,
      seed: options.seed,
      ratePerSecond,
      running,
      dataPlaneKey: options.dataPlaneKey,
    })
    links.traffic.up = started.ok
    if (started.ok) supervisor.up('traffic')
  }

  const ended = (role: Role, how: string) => {
    links[role].close()
    if (role === 'router') void countLost(how)
    else record({ kind: 'process.turned', role, to: 'down', pid: null, lostStreams: null, why: how })
    if (role === 'ingest')
      hub.gap(['cluster', 'decisions', 'seconds', 'fleet', 'summary'], seams.clock.wallMs())
  }
  const countLost = async (how: string) => {
    const lost = links.ingest.up ? await links.ingest.call('ingest.routerLost', {}) : null
    const lostStreams = lost?.ok ? lost.value.lostStreams : null
    health.lostStreams += lostStreams ?? 0
    record({ kind: 'process.turned', role: 'router', to: 'down', pid: null, lostStreams, why: how })
    publish()
  }
  const watch = (role: Role, start: (link: Transport) => void) =>
    supervisor.start(role, {
      started(link, pid) {
        start(link)
        record({ kind: 'process.turned', role, to: 'up', pid, lostStreams: null, why: null })
      },
      ended: (how) => ended(role, how),
      gaveUp(why) {
        record({ kind: 'process.turned', role, to: 'stopped', pid: null, lostStreams: null, why })
        settleReady(refuse('process_failed', `the ${role} process cannot be kept up: ${why}`))
      },
    })

  const applyFaults = async () =>
    links.router.up
      ? links.router.call('router.faults', { names: health.faults.map(({ name }) => name) })
      : done // the router asks for nothing: it is told when it is up again
  return {
    start() {
      watch('ingest', (link) => void startIngest(link, seams.random.hex(4)))
      watch('fleet', (link) => void startFleet(link))
      watch('router', (link) => {
        routerLinkPort = link
        void startRouter()
      })
      watch('traffic', (link) => {
        trafficLinkPort = link
        void startTraffic()
      })
      return ready
    },
    living: () => replicas.map(({ id }) => id).filter((id) => !killed.has(id)),
    async scale(count) {
      if (!links.fleet.up) return away
      const scaled = await links.fleet.call('fleet.scale', { replicas: count })
      if (!scaled.ok) return scaled
      await members(scaled.value.replicas, 'operator')
      return scaled
    },
    async kill(replicaId) {
      if (!links.fleet.up) return away
      const result = await links.fleet.call('fleet.kill', { replicaId })
      if (result.ok) killed = new Set([...killed, replicaId])
      return result
    },
    async replaceKilled() {
      if (!links.fleet.up) return away
      const replaced = await links.fleet.call('fleet.replace', {})
      if (!replaced.ok) return replaced
      await members(replaced.value.replicas, 'failure')
      return done
    },
    applyFaults,
    async setPolicy(policy) {
      if (!links.router.up) return away
      const set = await links.router.call('router.policy', { id: policy.id, params: { ...policy.params } })
      if (set.ok) health.policy = policy
      return set
    },
    async setTraffic(running, ratePerSecond) {
      if (!links.traffic.up) return away
      const set = await links.traffic.call('traffic.set', { running, ratePerSecond })
      if (set.ok) health.traffic = { ...health.traffic, running, ratePerSecond }
      return set
    },
    record,
    ingest: (name, params) => (links.ingest.up ? links.ingest.call(name, params) : Promise.resolve(away)),
    async drain(waitMs) {
      if (links.traffic.up)
        await links.traffic.call('traffic.set', {
          running: false,
          ratePerSecond: health.traffic.ratePerSecond,
        })
      if (links.router.up) await links.router.call('router.stop', { waitMs })
    },
  }
}

interface Link<Table extends CallTable> {
  up: boolean
  readonly call: Asker<Table>
  open(transport: Transport, table: Table, onNote: Readonly<Record<string, (body: never) => void>>): void
  close(): void
}

/** One process as seen from here: its peer while it lives. */
function createLink<Table extends CallTable>(): Link<Table> {
  let peer: Peer<Table, Record<string, never>> | null = null
  return {
    up: false,
    call: (name, params) => (peer ? peer.call(name, params) : Promise.resolve(away)),
    open(transport, _table, onNote) {
      peer = createPeer<Record<string, never>, Table, Record<string, never>, NoteTable>(transport, {
        serves: {},
        handlers: {},
        onNote: onNote as Readonly<Record<string, (body: unknown) => void>>,
      })
    },
    close() {
      this.up = false
      peer = null
    },
  }
}

type NoteHandlers<Notes> = { readonly [Name in keyof Notes]: (body: Notes[Name]) => void }

const ingestNotes = (hub: Hub, health: Health, publish: () => void): NoteHandlers<IngestNotes> => ({
  'feed.cluster': ({ items }) => hub.items('cluster', items),
  'feed.decisions': ({ items }) => hub.items('decisions', items),
  'feed.seconds': ({ items }) => hub.items('seconds', items),
  'feed.fleet': ({ value }) => hub.value('fleet', value),
  'feed.summary': ({ value }) => hub.value('summary', value),
  'store.turned': ({ to, why }) => {
    health.store = { ...health.store, state: to, why }
    publish()
  },
})

const routerNotes = (health: Health): NoteHandlers<RouterNotes> => ({
  'router.status': ({ droppedRecords }) => {
    health.droppedRecords = droppedRecords
  },
})

const trafficNotes = (health: Health): NoteHandlers<TrafficNotes> => ({
  'traffic.status': ({ sent, failed }) => {
    health.traffic = { ...health.traffic, sent, failed }
  },
})
