import { createConnection } from 'node:net'
import { onTestFinished } from 'vitest'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { createNodeFs } from '../../src-main/adapters/node/fs'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import { createStreamTransport } from '../../src-main/adapters/transports/stream'
import type { FleetNotes, IngestNotes, ingestLink, RecordNotes } from '../../src-main/contract/links'
import { createTransportPair } from '../../src-main/contract/memory-transport'
import { createPeer, type Peer } from '../../src-main/contract/peer'
import type { Transport } from '../../src-main/contract/transport'
import type { FleetSnapshot } from '../../src-main/domain/fleet/replica'
import type { ClusterRecord, DecisionBody, DecisionRow } from '../../src-main/domain/journal/record'
import type { SecondBucket, SummaryView } from '../../src-main/domain/journal/views'
import { composeIngest } from '../../src-main/shells/ingest-process'

type None = Record<string, never>

/** The other end of ingest's link to control: it calls, and keeps what it is told. */
export interface ControlEnd {
  readonly call: Peer<typeof ingestLink, None>['call']
  readonly heard: {
    readonly cluster: ClusterRecord[]
    readonly decisions: DecisionRow[]
    readonly seconds: SecondBucket[]
    readonly fleets: FleetSnapshot[]
    readonly summaries: SummaryView[]
    readonly turns: IngestNotes['store.turned'][]
  }
}

export function aControlEnd(transport: Transport): ControlEnd {
  const heard: ControlEnd['heard'] = {
    cluster: [],
    decisions: [],
    seconds: [],
    fleets: [],
    summaries: [],
    turns: [],
  }
  const peer = createPeer<None, typeof ingestLink, None, IngestNotes>(transport, {
    serves: {},
    handlers: {},
    onNote: {
      'feed.cluster': ({ items }) => void heard.cluster.push(...items),
      'feed.decisions': ({ items }) => void heard.decisions.push(...items),
      'feed.seconds': ({ items }) => void heard.seconds.push(...items),
      'feed.fleet': ({ value }) => void heard.fleets.push(value),
      'feed.summary': ({ value }) => void heard.summaries.push(value),
      'store.turned': (turn) => void heard.turns.push(turn),
    },
  })
  return { call: peer.call, heard }
}

/** The real ingest of this process, on the system's seams, with its link to control in memory. */
export function anIngest() {
  const [own, other] = createTransportPair()
  const ingest = composeIngest(own, {
    clock: nodeClock,
    timers: nodeTimers,
    net: nodeNet,
    fs: createNodeFs(),
  })
  onTestFinished(() => ingest.stop())
  return { ...aControlEnd(other), stop: ingest.stop }
}

/** A router as ingest sees it: the end of a local socket. */
export interface RouterEnd {
  readonly fleets: FleetSnapshot[]
  tell(...records: DecisionBody[]): void
  dropped(count: number): void
  readonly peer: Peer<None, RecordNotes>
  end(): void
}

/** @param open what it says has not ended */
export async function aRouter(path: string, boot: string, open: readonly string[] = []): Promise<RouterEnd> {
  const socket = createConnection({ path })
  await new Promise<void>((done, failed) => socket.once('connect', done).once('error', failed))
  onTestFinished(() => void socket.destroy())
  const fleets: FleetSnapshot[] = []
  const peer = createPeer<None, None, RecordNotes, FleetNotes>(createStreamTransport(socket), {
    serves: {},
    handlers: {},
    onNote: { fleet: ({ fleet }) => void fleets.push(fleet) },
  })
  peer.note('hello', { pid: process.pid, boot, inFlight: 0, open })
  return {
    fleets,
    peer,
    tell: (...records) => void peer.note('records', { records, droppedBefore: 0 }),
    dropped: (count) => void peer.note('records', { records: [], droppedBefore: count }),
    end: () => void socket.end(),
  }
}
