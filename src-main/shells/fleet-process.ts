import { nodeClock } from '../adapters/node/clock'
import { nodeNet } from '../adapters/node/net'
import { nodeRandom } from '../adapters/node/random'
import { nodeTimers } from '../adapters/node/timers'
import { createSimulatedReplicaHost, type ReplicaHostSeams } from '../adapters/simulated-replica/replica-host'
import { createParentTransport } from '../adapters/transports/parent'
import { createFleet } from '../app/fleet/fleet'
import { type FleetProcessNotes, fleetLink } from '../contract/links'
import { createPeer } from '../contract/peer'
import type { Transport } from '../contract/transport'

/** An embedded cluster that answers control. */
export interface FleetProcess {
  /** Ends every replica at once. */
  close(): Promise<void>
}

/** Puts the embedded cluster together over a link to control. No replica runs until control calls `fleet.start`. */
export function composeFleet(link: Transport, seams: ReplicaHostSeams): FleetProcess {
  const fleet = createFleet(createSimulatedReplicaHost(seams))
  createPeer<typeof fleetLink, Record<string, never>, FleetProcessNotes, Record<string, never>>(link, {
    serves: fleetLink,
    handlers: fleet.handlers,
  })
  return { close: fleet.close }
}

/** The embedded cluster as a process of its own: it ends when control is gone. */
export function runFleetProcess(): void {
  const link = createParentTransport()
  const fleet = composeFleet(link, { net: nodeNet, clock: nodeClock, timers: nodeTimers, random: nodeRandom })
  link.onClose(() => void fleet.close().then(() => process.exit(0)))
}
