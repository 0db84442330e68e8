// Over 300 lines: starting, restarting and acting on one cluster share its state and are read together.
import { ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type {
  FleetProcessNotes,
  fleetLink,
  IngestNotes,
  ingestLink,
  RouterNotes,
  routerLink,
  TrafficNotes,
  trafficLink,
} from '../../contract/links'
import type { CallTable } from '../../contract/peer'
import type { Transport } from '../../contract/transport'
import type { CallError } from '../../contract/wire'
import type { Replica, ReplicaId } from '../../domain/fleet/replica'
import type { ClusterBody, PolicyInForce, Role } from '../../domain/journal/record'
import { done, refuse } from './answers'
import { type Begin, createBegin, forgetBeginning } from './begin'
import type { ControlOptions, ControlSeams } from './control'
import type { Health } from './health'
import type { Hub } from './hub'
import { ingestNotes, routerNotes, trafficNotes } from './links-in'
import { createMembers, type MembersCause } from './members'
import { type Asker, awayWords, createProcessLink } from './process-link'
import { createStory } from './story'
import type { Supervisor } from './supervisor'

/** Addresses of a cluster that is up. */
export interface Ready {
  readonly proxyUrl: string
  readonly routerUrl: string
  readonly replicas: readonly Replica[]
}

/** What the cluster is made from. */
export interface ClusterParts {
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
/** Prefix of full replica ids, as Ray Serve LLM names its replicas. */
const replicaIdPrefix = `SERVE_REPLICA::default#LLMServer:${demoModel}#`
/** Pace of reading the replicas. */
const pollEveryMs: Millis = 1_000

/** What the screens get of ingest. */
const ingestStreams = ['cluster', 'decisions', 'seconds', 'fleet', 'summary'] as const

type Acted = Promise<Result<null, CallError>>

/** The embedded cluster: its processes, how they are introduced to each other, and what can be done to them. */
export class Cluster {
  private readonly router = this.linkTo<typeof routerLink, RouterNotes>('router')
  private readonly ingestProcess = this.linkTo<typeof ingestLink, IngestNotes>('ingest')
  private readonly fleet = this.linkTo<typeof fleetLink, FleetProcessNotes>('fleet')
  private readonly traffic = this.linkTo<typeof trafficLink, TrafficNotes>('traffic')
  private readonly story = createStory(this.ingestProcess.call, () => this.ingestProcess.up)
  private readonly members = createMembers()
  /** Fresh processes that wait for another one before they can be started. */
  private waitingRouter: Transport | null = null
  private waitingTraffic: Transport | null = null
  /** Since when nothing is recorded; null while ingest runs. */
  private ingestGoneWallMs: Millis | null = null
  /** Kept over a restart of the router, so that clients find it where it was. */
  private ports: { readonly proxy: number; readonly router: number }
  private addresses: Pick<Ready, 'proxyUrl' | 'routerUrl'> | null = null
  private settle: (result: Result<Ready, CallError>) => void = () => {}
  /** True once the console was ready: from then on nothing that fails ends it. */
  private settled = false

  private readonly begin: Begin

  constructor(private readonly parts: ClusterParts) {
    const giveUp = (why: Result<never, CallError>) => {
      if (!this.settled) this.settle(why)
      return !this.settled
    }
    this.begin = createBegin({ ...parts, giveUp })
    this.ports = { proxy: parts.options.proxyPort, router: parts.options.routerPort }
  }

  /** Starts every process. Resolves when requests can be served, or with the reason why they cannot. */
  start(): Promise<Result<Ready, CallError>> {
    const ready = new Promise<Result<Ready, CallError>>((resolve) => {
      this.settle = resolve
    })
    this.watch('ingest', (link) => void this.startIngest(link))
    this.watch('fleet', (link) => void this.startFleet(link))
    this.watch('router', (link) => {
      this.waitingRouter = link
      void this.startRouter()
    })
    this.watch('traffic', (link) => {
      this.waitingTraffic = link
      void this.startTraffic()
    })
    return ready
  }

  /** Calls ingest. */
  readonly ingest: Asker<typeof ingestLink> = this.ingestProcess.ask

  /** Adds to the story of the cluster. */
  record(body: ClusterBody): void {
    this.story.add(body)
  }

  /** Ids of the replicas that are not killed. */
  living(): readonly ReplicaId[] {
    return this.members.living()
  }

  /** How many replicas belong to the cluster, killed or not. */
  get size(): number {
    return this.members.all.length
  }

  /** Whether a replica belongs to the cluster, killed or not. */
  has(id: ReplicaId): boolean {
    return this.members.all.some((each) => each.id === id)
  }

  /** Sets how many replicas run. */
  async scale(replicas: number) {
    const scaled = await this.fleet.ask('fleet.scale', { replicas })
    if (scaled.ok) await this.setMembers(scaled.value.replicas, 'operator')
    return scaled
  }

  /** Ends a replica as a crash does. */
  async kill(replicaId: ReplicaId): Acted {
    const result = await this.fleet.ask('fleet.kill', { replicaId })
    if (result.ok) this.members.killed(replicaId)
    return result
  }

  /** Starts a fresh replica in the place of a killed one. */
  async replaceKilled(replicaId: ReplicaId): Acted {
    const replaced = await this.fleet.ask('fleet.replace', { replicaId })
    if (!replaced.ok) return replaced
    await this.setMembers(replaced.value.replicas, 'failure')
    return done
  }

  /** Tells the router which faults are in force; one that is away is told when it is back. */
  async applyFaults(): Acted {
    if (!this.router.up) return done
    return this.router.call('router.faults', { names: this.parts.health.faults.map(({ name }) => name) })
  }

  /** Puts a policy in force. */
  async setPolicy(policy: PolicyInForce): Acted {
    const set = await this.router.ask('router.policy', copyOf(policy))
    if (set.ok) this.parts.health.policy = policy
    return set
  }

  /** Starts, stops or paces the demo traffic; a process that is away starts with what is set now. */
  async setTraffic(running: boolean, ratePerSecond: number): Acted {
    const set = this.traffic.up ? await this.traffic.call('traffic.set', { running, ratePerSecond }) : done
    const { health } = this.parts
    if (set.ok) health.traffic = { ...health.traffic, running, ratePerSecond }
    return set
  }

  /** Stops the demo traffic and gives running streams time to end. */
  async drain(waitMs: Millis): Promise<void> {
    const { ratePerSecond } = this.parts.health.traffic
    if (this.traffic.up) await this.traffic.call('traffic.set', { running: false, ratePerSecond })
    if (this.router.up) await this.router.call('router.stop', { waitMs })
  }

  /** Ready is who routes and records: a decision of the first request can be asked for at once. */
  private settleWhenUp(): void {
    if (this.addresses === null || !this.ingestProcess.up) return
    this.settle(ok({ ...this.addresses, replicas: this.members.all }))
    this.settled = true
  }

  private linkTo<Table extends CallTable, Notes extends Readonly<Record<string, unknown>>>(role: Role) {
    return createProcessLink<Table, Notes>(() =>
      awayWords(this.parts.supervisor.reports().find((each) => each.role === role)),
    )
  }

  private watch(role: Role, start: (link: Transport) => void): void {
    this.parts.supervisor.start(role, {
      started: (link, pid) => {
        start(link)
        this.record({ kind: 'process.turned', role, to: 'up', pid, lostStreams: null, why: null })
      },
      ended: (how) => this.ended(role, how),
      gaveUp: (why) => {
        this.record({ kind: 'process.turned', role, to: 'stopped', pid: null, lostStreams: null, why })
        this.settle(refuse('process_failed', `the ${role} process cannot be kept up: ${why}`))
      },
    })
  }

  private async startIngest(link: Transport): Promise<void> {
    const { health, hub, options, publish, seams, supervisor } = this.parts
    this.ingestProcess.open(link, ingestNotes(hub, health, publish))
    const started = await this.begin('ingest', this.ingestProcess, () =>
      this.ingestProcess.call('ingest.start', {
        storeFolder: options.storeFolder,
        listenPath: options.ingestPath,
        pollEveryMs,
        boot: seams.random.hex(4),
      }),
    )
    if (started === undefined) return
    const { store, why, moved } = started
    if (options.storeFolder !== null) health.store = { ...health.store, state: store, why }
    if (moved !== null) {
      const text = `The stored history could not be read; it was moved aside to ${moved} and a new one begun.`
      health.standing.set('store-moved', {
        id: 'store-moved',
        severity: 'warning',
        text,
        sinceWallMs: seams.clock.wallMs(),
      })
    }
    this.ingestProcess.up = true
    supervisor.up('ingest')
    if (this.ingestGoneWallMs !== null) hub.gap(ingestStreams, this.ingestGoneWallMs)
    this.ingestGoneWallMs = null
    this.settleWhenUp()
    await this.tellIngest()
    await this.story.tell()
  }

  private async startFleet(link: Transport): Promise<void> {
    const { replicas, seed, speed, host } = this.parts.options
    this.fleet.open(link, {})
    const { all, nextNumber } = this.members
    const started = await this.begin('fleet', this.fleet, () =>
      this.fleet.call('fleet.start', {
        replicas: all.length || replicas,
        seed,
        speed,
        firstNumber: nextNumber,
        model: demoModel,
        profile: demoProfile,
        host,
      }),
    )
    if (started === undefined) return
    this.fleet.up = true
    this.parts.supervisor.up('fleet')
    await this.setMembers(started.replicas, nextNumber === 1 ? 'operator' : 'failure')
    await this.startRouter()
  }

  /** The router needs to know the replicas; whichever of the two processes comes second starts it. */
  private async startRouter(): Promise<void> {
    const link = this.waitingRouter
    if (link === null || this.members.all.length === 0) return
    this.waitingRouter = null
    const { health, options, seams, supervisor } = this.parts
    this.router.open(
      link,
      routerNotes(health, seams.clock, () => this.router.up && this.ingestProcess.up),
    )
    const started = await this.begin('router', this.router, () =>
      this.router.call('router.start', {
        host: options.host,
        proxyPort: this.ports.proxy,
        routerPort: this.ports.router,
        ipv6: options.ipv6,
        policy: copyOf(health.policy),
        seed: options.seed,
        sessionKeyHex: options.sessionKeyHex,
        ingestPath: options.ingestPath,
        replicaIdPrefix,
        replicas: [...this.members.all],
        dataPlaneKey: options.dataPlaneKey,
      }),
    )
    if (started === undefined) return
    const { proxyPort, routerPort } = started
    this.ports = { proxy: proxyPort, router: routerPort }
    const proxyUrl = `http://${options.host}:${proxyPort}`
    const routerUrl = `http://${options.host}:${routerPort}`
    health.proxyUrl = proxyUrl
    health.routerUrl = routerUrl
    this.router.up = true
    supervisor.up('router')
    await this.applyFaults()
    await this.tellRouter() // the set may have changed while the router was starting
    this.addresses = { proxyUrl, routerUrl }
    this.settleWhenUp()
    await this.startTraffic()
  }

  private async startTraffic(): Promise<void> {
    const link = this.waitingTraffic
    const { health, options, supervisor } = this.parts
    if (link === null || health.proxyUrl === null) return
    this.waitingTraffic = null
    this.traffic.open(link, trafficNotes(health))
    const { running, ratePerSecond } = health.traffic
    const { seed, dataPlaneKey } = options
    const { proxyUrl } = health
    const started = await this.begin('traffic', this.traffic, () =>
      this.traffic.call('traffic.start', {
        proxyUrl,
        model: demoModel,
        seed,
        ratePerSecond,
        running,
        dataPlaneKey,
      }),
    )
    if (started === undefined) return
    this.traffic.up = true
    supervisor.up('traffic')
    const now = health.traffic
    if (now.running !== running || now.ratePerSecond !== ratePerSecond)
      await this.setTraffic(now.running, now.ratePerSecond) // it was set while the process was starting
  }

  private ended(role: Role, how: string): void {
    const { seams } = this.parts
    const links = {
      router: this.router,
      ingest: this.ingestProcess,
      fleet: this.fleet,
      traffic: this.traffic,
    }
    links[role].close()
    if (role === 'router') void this.countLost(how)
    else this.record({ kind: 'process.turned', role, to: 'down', pid: null, lostStreams: null, why: how })
    if (role === 'ingest') this.ingestGoneWallMs ??= seams.clock.wallMs()
    if (role === 'fleet') this.members.allKilled()
    forgetBeginning(this.parts.health, role)
  }

  /** What was decided and has not ended when the router died is lost; only ingest knows how many that is. */
  private async countLost(how: string): Promise<void> {
    const lost = await this.ingest('ingest.routerLost', {})
    const lostStreams = lost.ok ? lost.value.lostStreams : null
    this.parts.health.lostStreams += lostStreams ?? 0
    this.record({ kind: 'process.turned', role: 'router', to: 'down', pid: null, lostStreams, why: how })
    this.parts.publish()
  }

  /** The router first: what leaves must not be chosen any more when it begins to refuse. */
  private async setMembers(replicas: readonly Replica[], cause: MembersCause): Promise<void> {
    this.members.set(replicas, cause)
    await this.tellRouter()
    await this.tellIngest()
  }

  private async tellRouter(): Promise<void> {
    if (this.router.up) await this.router.call('router.members', { replicas: [...this.members.all] })
  }

  private async tellIngest(): Promise<void> {
    const { all, cause } = this.members
    if (!this.ingestProcess.up || all.length === 0) return
    await this.ingestProcess.call('ingest.targets', { replicas: [...all], cause })
  }
}

const copyOf = ({ id, params }: PolicyInForce) => ({ id, params: { ...params } })
