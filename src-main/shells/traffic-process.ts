import type { Duplex } from 'node:stream'
import { nodeClock } from '../adapters/node/clock'
import { nodeNet } from '../adapters/node/net'
import { nodeTimers } from '../adapters/node/timers'
import { createChatClient } from '../adapters/openai-client/chat-client'
import { createParentTransport } from '../adapters/transports/parent'
import { createTraffic } from '../app/traffic/traffic'
import type { Millis } from '../base/units'
import { type TrafficNotes, trafficLink } from '../contract/links'
import { createPeer } from '../contract/peer'
import type { Transport } from '../contract/transport'
import type { Clock } from '../ports/seams/clock'
import type { Net } from '../ports/seams/net'
import type { Timers } from '../ports/seams/timers'

/** What the demo traffic needs of the machine. */
export interface TrafficSeams {
  readonly net: Net<Duplex>
  readonly clock: Clock
  readonly timers: Timers
}

/** Demo traffic that answers control. */
export interface TrafficProcess {
  close(): void
}

/** Pace of the notes to control. */
const statusEveryMs: Millis = 1_000

/** Puts the demo traffic together over a link to control. It sends nothing until control calls `traffic.start`. */
export function composeTraffic(link: Transport, { net, clock, timers }: TrafficSeams): TrafficProcess {
  const traffic = createTraffic({ client: createChatClient(net, timers), clock, timers })
  const peer = createPeer<typeof trafficLink, Record<string, never>, TrafficNotes, Record<string, never>>(
    link,
    {
      serves: trafficLink,
      handlers: traffic.handlers,
    },
  )
  const status = timers.every(statusEveryMs, () => peer.note('traffic.status', traffic.status()))
  const close = () => {
    status.stop()
    traffic.close()
  }
  link.onClose(close)
  return { close }
}

/** The demo traffic as a process of its own: it ends when control is gone. */
export function runTrafficProcess(): void {
  const link = createParentTransport()
  composeTraffic(link, { net: nodeNet, clock: nodeClock, timers: nodeTimers })
  link.onClose(() => process.exit(0))
}
