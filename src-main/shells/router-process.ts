import type { Duplex } from 'node:stream'
import { nodeClock, nodeWorkedMs } from '../adapters/node/clock'
import { createNodeDigests } from '../adapters/node/digests'
import { nodeNet } from '../adapters/node/net'
import { nodeRandom } from '../adapters/node/random'
import { descriptorLimit, portHolder, tcpPeers } from '../adapters/node/tcp-sockets'
import { nodeTimers } from '../adapters/node/timers'
import { createParentTransport } from '../adapters/transports/parent'
import { createStreamTransport } from '../adapters/transports/stream'
import { createRouter } from '../app/router/handlers'
import type { Millis } from '../base/units'
import { type RouterNotes, routerLink } from '../contract/links'
import { createPeer } from '../contract/peer'
import type { Transport } from '../contract/transport'
import type { Net } from '../ports/seams/net'
import { defaultLimits, streamsWithin } from '../proxy/limits'
import { createPlanes, type PlaneSeams } from './router-planes'

/** What the router process is made from. */
export interface RouterSeams extends PlaneSeams {
  readonly pid: number
  /** Processor time that this process has used. */
  readonly workedMs: () => Millis
}

/** A router that runs. */
export interface RouterProcess {
  /** Ends everything; answers how many streams were cut. */
  stop(waitMs: Millis): Promise<number>
}

/** Pace of the notes to control. */
const statusEveryMs: Millis = 1_000
/** Longest that ingest's socket may take to be reached. */
const dialMs: Millis = 1_000
/** How long a router whose control is gone lets its streams run (security page 7.5, drain of the router). */
const drainMs: Millis = 300_000

/** Puts the router together over a link to control. It does nothing until control calls `router.start`. */
export function composeRouter(link: Transport, seams: RouterSeams): RouterProcess {
  const router = createRouter({
    clock: seams.clock,
    workedMs: seams.workedMs,
    timers: seams.timers,
    random: seams.random,
    digests: seams.digests,
    dial: (path) => dial(seams.net, path),
    planes: createPlanes(seams),
    pid: seams.pid,
  })
  const peer = createPeer<typeof routerLink, Record<string, never>, RouterNotes, Record<string, never>>(
    link,
    {
      serves: routerLink,
      handlers: router.handlers,
    },
  )
  const status = seams.timers.every(statusEveryMs, () => peer.note('router.status', router.status()))
  link.onClose(() => status.stop())
  return {
    async stop(waitMs) {
      status.stop()
      return router.stop(waitMs)
    },
  }
}

/** The router as a process of its own: it ends when control is gone and its streams are done. */
export function runRouterProcess(): void {
  const link = createParentTransport()
  const router = composeRouter(link, systemRouterSeams())
  let leaving = false
  const leave = (waitMs: Millis) => {
    if (leaving) return
    leaving = true
    void router.stop(waitMs).then(() => process.exit(0))
  }
  link.onClose(() => leave(drainMs))
  process.on('SIGTERM', () => leave(drainMs))
}

/** The seams of this machine, as the real process uses them. */
export function systemRouterSeams(): RouterSeams {
  const descriptors = descriptorLimit()
  return {
    net: nodeNet,
    clock: nodeClock,
    workedMs: nodeWorkedMs,
    timers: nodeTimers,
    random: nodeRandom,
    digests: createNodeDigests,
    limits: {
      ...defaultLimits,
      streams: descriptors === null ? defaultLimits.streams : streamsWithin(descriptors),
    },
    ownHeaders: true,
    portHolder,
    peers: process.platform === 'linux' ? tcpPeers : null,
    pid: process.pid,
    onBug: (error) => process.stderr.write(`router: ${error instanceof Error ? error.stack : error}\n`),
  }
}

/** A link to ingest, or null when nobody listens there. */
function dial(net: Net<Duplex>, path: string): Promise<Transport | null> {
  return new Promise((resolve) => {
    const stream = net.connect({ path }, { timeoutMs: dialMs })
    stream.once('connect', () => resolve(createStreamTransport(stream)))
    stream.once('error', () => resolve(null))
  })
}
