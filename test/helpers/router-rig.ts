import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import { nodeClock, nodeWorkedMs } from '../../src-main/adapters/node/clock'
import { createNodeDigests } from '../../src-main/adapters/node/digests'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeRandom } from '../../src-main/adapters/node/random'
import { portHolder, tcpPeers } from '../../src-main/adapters/node/tcp-sockets'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import { createStreamTransport } from '../../src-main/adapters/transports/stream'
import type { FleetNotes, RecordNotes, RouterNotes, routerLink } from '../../src-main/contract/links'
import { createTransportPair } from '../../src-main/contract/memory-transport'
import { createPeer, type Peer, type ReplyOf } from '../../src-main/contract/peer'
import { observed } from '../../src-main/domain/fleet/reading'
import {
  type FleetSnapshot,
  noReadings,
  type Replica,
  type ReplicaState,
} from '../../src-main/domain/fleet/replica'
import type { DecisionEnded, DecisionMade, FaultName } from '../../src-main/domain/journal/record'
import type { Listening } from '../../src-main/ports/seams/net'
import { defaultLimits, type ProxyLimits } from '../../src-main/proxy/limits'
import { composeRouter, type RouterSeams } from '../../src-main/shells/router-process'
import { until } from './until'

/** Key that session ids are hashed with in tests. */
export const sessionKeyHex = '00112233445566778899aabbccddeeff'
/** Ray's form of the ids in tests. */
export const replicaIdPrefix = 'SERVE_REPLICA::default#LLMServer:m#'

/** Ingest as the router sees it: a local socket that takes records and tells of the fleet. */
export interface FalseIngest {
  readonly hellos: RecordNotes['hello'][]
  readonly made: DecisionMade[]
  readonly ended: DecisionEnded[]
  readonly droppedBefore: number[]
  tell(fleet: FleetSnapshot): void
  readonly links: number
  close(): Promise<void>
}

/** A router process in this one, over real sockets, started and linked. */
export interface RouterRig {
  readonly proxyPort: number
  readonly routerPort: number
  readonly proxyUrl: string
  readonly routerUrl: string
  readonly ingest: FalseIngest
  readonly status: RouterNotes['router.status'][]
  call: Peer<typeof routerLink, Record<string, never>>['call']
  fault(...names: FaultName[]): Promise<void>
  /** The record of a decision, once it has arrived. */
  made(id: string | undefined): Promise<DecisionMade>
  ended(id: string | undefined): Promise<DecisionEnded>
  /** Requests under way, by the router's own status. */
  inFlight(): Promise<number>
  stop(waitMs?: number): Promise<number>
}

/** What a test may want to be different. */
export interface RigOptions {
  readonly replicas: readonly (Pick<Replica, 'id' | 'url'> & { readonly model?: string })[]
  readonly policy?: string
  readonly params?: Readonly<Record<string, number>>
  readonly limits?: Partial<ProxyLimits>
  readonly seams?: Partial<RouterSeams>
  readonly dataPlaneKey?: string
  readonly ipv6?: boolean
  readonly ingest?: 'absent'
  /** Where somebody else plays ingest. */
  readonly ingestPath?: string
  readonly proxyPort?: number
}

const open: (() => Promise<unknown>)[] = []
const bugs: unknown[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
  expect(bugs.splice(0), 'errors of our own').toEqual([])
})

/** Starts a router; everything is closed after the test. */
export async function startRouter(options: RigOptions): Promise<RouterRig> {
  const rig = await tryRouter(options)
  if (!rig.ok) throw new Error(`${rig.error.code}: ${rig.error.message}`)
  return rig.value
}

/** The same, with the error of a start that failed. */
export async function tryRouter(
  options: RigOptions,
): Promise<{ ok: true; value: RouterRig } | { ok: false; error: { code: string; message: string } }> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-router-'))
  open.push(async () => rmSync(folder, { recursive: true, force: true }))
  const ingestPath = options.ingestPath ?? join(folder, 'ingest.sock')
  const absent = options.ingest === 'absent' || options.ingestPath !== undefined
  const ingest = absent ? absentIngest() : await openIngest(ingestPath)
  const [controlEnd, routerEnd] = createTransportPair()
  const router = composeRouter(routerEnd, seamsOf(options))
  const status: RouterNotes['router.status'][] = []
  const control = createPeer<Record<string, never>, typeof routerLink, Record<string, never>, RouterNotes>(
    controlEnd,
    { serves: {}, handlers: {}, onNote: { 'router.status': (note) => status.push(note) } },
  )
  const started = await control.call('router.start', {
    host: '127.0.0.1',
    proxyPort: options.proxyPort ?? 0,
    routerPort: 0,
    ipv6: options.ipv6 ?? false,
    policy: { id: options.policy ?? 'round-robin', params: options.params ?? {} },
    seed: 7,
    sessionKeyHex,
    ingestPath,
    replicaIdPrefix,
    replicas: options.replicas.map((replica) => ({ model: 'm', ...replica })),
    dataPlaneKey: options.dataPlaneKey ?? null,
  })
  open.push(() => router.stop(0))
  if (!started.ok) return started
  const ports: ReplyOf<(typeof routerLink)['router.start']> = started.value
  const find = <T extends { id: string }>(rows: T[], id: string | undefined) =>
    until(`a record of ${id}`, () => rows.some((row) => row.id === id)).then(
      () => rows.find((row) => row.id === id) as T,
    )
  return {
    ok: true,
    value: {
      ...ports,
      proxyUrl: `http://127.0.0.1:${ports.proxyPort}`,
      routerUrl: `http://127.0.0.1:${ports.routerPort}`,
      ingest,
      status,
      call: control.call,
      fault: async (...names) => void (await control.call('router.faults', { names })),
      made: (id) => find(ingest.made, id),
      ended: (id) => find(ingest.ended, id),
      async inFlight() {
        const seen = status.length
        await until('a status note', () => status.length > seen)
        return (status.at(-1) as RouterNotes['router.status']).inFlight
      },
      stop: (waitMs = 0) => router.stop(waitMs),
    },
  }
}

function seamsOf({ limits, seams }: RigOptions): RouterSeams {
  return {
    net: nodeNet,
    clock: nodeClock,
    workedMs: nodeWorkedMs,
    timers: quickStatus,
    random: nodeRandom,
    digests: createNodeDigests,
    ownHeaders: true,
    portHolder,
    peers: process.platform === 'linux' ? tcpPeers : null,
    pid: process.pid,
    onBug: (error) => bugs.push(error),
    ...seams,
    limits: { ...defaultLimits, sweepEveryMs: 20, peerAgainMs: 50, ...limits },
  }
}

/** Real timers, but the status of every second comes every 20 ms: tests look at it to see what is under way. */
const quickStatus = {
  after: nodeTimers.after,
  every: (ms: number, job: () => void) => nodeTimers.every(ms === 1_000 ? 20 : ms, job),
}

/** Ingest on a real local socket. */
export async function openIngest(path: string): Promise<FalseIngest> {
  const sockets = new Set<Socket>()
  const peers = new Set<Peer<Record<string, never>, FleetNotes>>()
  const heard = { hellos: [], made: [], ended: [], droppedBefore: [] } as Pick<
    FalseIngest,
    'hellos' | 'made' | 'ended' | 'droppedBefore'
  >
  let last: FleetSnapshot | null = null
  const listening = await nodeNet.listen({ path }, (socket) => {
    sockets.add(socket)
    const transport = createStreamTransport(socket)
    const peer = createPeer<Record<string, never>, Record<string, never>, FleetNotes, RecordNotes>(
      transport,
      {
        serves: {},
        handlers: {},
        onNote: {
          hello: (hello) => heard.hellos.push(hello),
          records: ({ records, droppedBefore }) => {
            heard.droppedBefore.push(droppedBefore)
            for (const record of records) {
              if (record.kind === 'decided') heard.made.push(record)
              else heard.ended.push(record)
            }
          },
        },
      },
    )
    peers.add(peer)
    transport.onClose(() => {
      peers.delete(peer)
      sockets.delete(socket)
    })
    if (last) peer.note('fleet', { fleet: last })
  })
  if (!listening.ok) throw new Error(listening.error.message)
  const close = () => closeIngest(listening.value, sockets)
  open.push(close)
  return {
    ...heard,
    get links() {
      return peers.size
    },
    tell(fleet) {
      last = fleet
      for (const peer of peers) peer.note('fleet', { fleet })
    },
    close,
  }
}

async function closeIngest(listening: Listening, sockets: Set<Socket>): Promise<void> {
  const closed = listening.close()
  for (const socket of sockets) socket.destroy()
  await closed
}

const absentIngest = (): FalseIngest => ({
  hellos: [],
  made: [],
  ended: [],
  droppedBefore: [],
  links: 0,
  tell: () => undefined,
  close: async () => undefined,
})

/** A fleet as ingest would tell it. */
export function fleetOf(
  epoch: number,
  replicas: readonly (Pick<Replica, 'id' | 'url'> & { state?: ReplicaState | null; excluded?: boolean })[],
): FleetSnapshot {
  const unread = { absent: 'never-received', source: null } as const
  return {
    epoch,
    takenMonoMs: 0,
    sources: [],
    replicas: replicas.map(({ id, url, state = 'ready', excluded = false }) => ({
      replica: { id, url, model: 'm' },
      state: state === null ? unread : observed(state, `engine:${id}`, 0),
      excluded,
      ...noReadings(null),
      errorsPerMinute: unread,
      upSinceWallMs: null,
      lastError: null,
    })),
  }
}
