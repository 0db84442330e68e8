import type { Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { FeedNotes } from '../../contract/feed'
import { createPeer } from '../../contract/peer'
import { type Rpc, rpc } from '../../contract/rpc'
import type { Transport } from '../../contract/transport'
import type { CallError } from '../../contract/wire'
import type { Actor, ClusterBody, PolicyInForce } from '../../domain/journal/record'
import type { Banner, HealthView } from '../../domain/journal/views'
import type { Clock } from '../../ports/seams/clock'
import type { Proc } from '../../ports/seams/proc'
import type { Random } from '../../ports/seams/random'
import type { Timers } from '../../ports/seams/timers'
import { Cluster, type Ready } from './cluster'
import { createFaults } from './faults'
import { createHandlers } from './handlers'
import { type Health, viewOf } from './health'
import { createHub } from './hub'
import { createSupervisor } from './supervisor'

/** What control stands on. */
export interface ControlSeams {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly proc: Proc
  /** Writes an audit record durably before it answers. An error means that nothing may be changed. */
  readonly audit: (kind: string, body: AuditBody) => Result<null, CallError>
  readonly shell: Shell
  /** Keeps what was set by hand for the next start; failing to is told, and changes nothing now. */
  readonly remember: (settings: Settings) => void
}

/** What outlives a run because somebody set it. */
export interface Settings {
  readonly policy: PolicyInForce
  readonly ratePerSecond: number
}

/** What a shell does when asked. */
export interface Shell {
  /** Brings its window to the front, or makes a one-time link to its page. */
  open(): string | null
  /** Ends every browser session. */
  revoke(): void
}

/** The facts of an audit record: parameters and results, never a secret, never a prompt. */
export type AuditBody = { readonly [name: string]: string | number | boolean | null | readonly string[] }

/** How a console is started. */
export interface ControlOptions {
  readonly version: string
  readonly replicas: number
  readonly seed: number
  readonly speed: number
  readonly policy: PolicyInForce
  readonly traffic: boolean
  readonly ratePerSecond: number
  readonly readOnly: boolean
  readonly storeFolder: string | null
  /** Why there is no store folder, in words; null when there is one. */
  readonly storeWhy: string | null
  readonly sessionKeyHex: string
  readonly ingestPath: string
  readonly host: string
  readonly proxyPort: number
  readonly routerPort: number
  readonly ipv6: boolean
  readonly dataPlaneKey: string | null
  readonly banners: readonly Banner[]
}

/** A running console. */
export interface Control {
  /** The cluster is up, or why it cannot be. */
  readonly ready: Promise<Result<Ready, CallError>>
  /** A screen or a script has connected. */
  connect(transport: Transport, who: { readonly actor: Actor; readonly mayOperate: boolean }): void
  health(): HealthView
  /** Something happened in a shell: a window crashed. */
  record(body: ClusterBody): void
  /** Shows a banner from now on, in the place of an earlier one of its id. */
  stand(banner: Banner): void
  /** Takes such a banner away. */
  end(bannerId: string): void
  /** Waits up to `waitMs` for running streams, then ends everything it started. */
  stop(waitMs: Millis): Promise<void>
}

/** Pace at which the picture of Signalbox itself goes out when nothing changed. */
const healthEveryMs: Millis = 1_000

/** Puts the control process together and starts the cluster. */
export function createControl(seams: ControlSeams, options: ControlOptions): Control {
  const { clock, timers } = seams
  const hub = createHub(clock, timers, seams.random.hex(8))
  const health = initialHealth(options, clock.wallMs())
  const picture = () => viewOf(health, supervisor.reports(), clock.wallMs())
  const publish = () => hub.value('health', picture())
  const supervisor = createSupervisor(clock, timers, seams.proc, publish)
  const cluster = new Cluster({ seams, options, hub, health, supervisor, publish })
  const faults = createFaults({ clock, timers, health, cluster, publish })
  const tick = timers.every(healthEveryMs, publish)
  const ready = cluster.start()

  return {
    ready,
    connect(transport, { actor, mayOperate }) {
      const subscription = hub.subscribe({
        send: (frame) => peer.note('feed', frame),
        get bufferedBytes() {
          return transport.bufferedBytes
        },
        close: (why) => transport.close(why),
      })
      const handlers = createHandlers({
        seams,
        hub,
        health,
        picture,
        cluster,
        faults,
        subscription,
        actor,
        publish,
      })
      const peer = createPeer<Rpc, Record<string, never>, FeedNotes, Record<string, never>>(transport, {
        serves: rpc,
        handlers,
        mayOperate: mayOperate && !options.readOnly,
      })
      transport.onClose(() => subscription.end())
    },
    health: picture,
    record: (body) => cluster.record(body),
    stand(banner) {
      health.standing.set(banner.id, banner)
      publish()
    },
    end(bannerId) {
      if (health.standing.delete(bannerId)) publish()
    },
    async stop(waitMs) {
      tick.stop()
      faults.stop()
      await cluster.drain(waitMs)
      await supervisor.stop()
      hub.stop()
    },
  }
}

function initialHealth(options: ControlOptions, wallMs: Millis): Health {
  const storeState = options.storeFolder === null ? 'memory' : 'ok'
  return {
    version: options.version,
    startedWallMs: wallMs,
    speed: options.speed,
    readOnly: options.readOnly,
    store: { state: storeState, why: options.storeWhy, path: options.storeFolder },
    proxyUrl: null,
    routerUrl: null,
    policy: options.policy,
    faults: [],
    traffic: { running: options.traffic, ratePerSecond: options.ratePerSecond, sent: 0, failed: 0 },
    lostStreams: 0,
    droppedRecords: 0,
    standing: new Map(options.banners.map((banner) => [banner.id, banner])),
  }
}
