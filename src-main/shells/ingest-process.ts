import type { Socket } from 'node:net'
import { openSource } from '../adapters/connectors'
import { createHttpGet } from '../adapters/http/get'
import { keepListening } from '../adapters/local-socket/keep-listening'
import { nodeClock } from '../adapters/node/clock'
import { createNodeFs } from '../adapters/node/fs'
import { nodeNet } from '../adapters/node/net'
import { nodeTimers } from '../adapters/node/timers'
import { createHistories } from '../adapters/store/open-history'
import { createParentTransport } from '../adapters/transports/parent'
import { createStreamTransport } from '../adapters/transports/stream'
import { createIngestHandlers } from '../app/ingest/handlers'
import { type IngestNotes, ingestLink } from '../contract/links'
import { createPeer, type Peer } from '../contract/peer'
import type { Transport } from '../contract/transport'
import type { Clock } from '../ports/seams/clock'
import type { Fs } from '../ports/seams/fs'
import type { Net } from '../ports/seams/net'
import type { Timers } from '../ports/seams/timers'
import { version } from './version'

/** What the ingest process runs on. */
export interface IngestSeams {
  readonly clock: Clock
  readonly timers: Timers
  readonly net: Net<Socket>
  readonly fs: Fs
}

/**
 * Puts ingest together on one end of its link to control. It begins when control says so, and ends, after writing what
 * waits, when it is stopped or control is gone.
 */
export function composeIngest(link: Transport, seams: IngestSeams): { stop(): Promise<void> } {
  const { clock, timers, net, fs } = seams
  const get = createHttpGet(net, timers)
  let peer: Peer<Record<string, never>, IngestNotes> | null = null
  const { handlers, stop } = createIngestHandlers({
    clock,
    timers,
    openSource: (replica) => openSource(replica, { clock, get }),
    histories: (folder, boot) =>
      createHistories({ fs, clock, folder, boot, writtenBy: `signalbox ${version}` }),
    listen: (path, onLink, onLost) =>
      keepListening({ net, fs, timers }, path, {
        onSocket: (socket) => onLink(createStreamTransport(socket)),
        onLost,
      }),
    tell: (name, body) => peer?.note(name, body) ?? false,
  })
  peer = createPeer<typeof ingestLink, Record<string, never>, IngestNotes, Record<string, never>>(link, {
    serves: ingestLink,
    handlers,
  })
  link.onClose(() => void stop())
  return { stop }
}

/** The ingest process: lives as long as control does, and writes what waits before it ends. */
export function runIngestProcess(): void {
  const link = createParentTransport()
  const seams = { clock: nodeClock, timers: nodeTimers, net: nodeNet, fs: createNodeFs() }
  const { stop } = composeIngest(link, seams)
  const end = () => void stop().then(() => process.exit(0))
  link.onClose(end)
  process.once('SIGTERM', end)
}
