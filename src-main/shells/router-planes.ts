import type { Duplex } from 'node:stream'
import type { Planes, RouterCore, RouterStart } from '../app/router/handlers'
import { fail, ok, type Result } from '../base/result'
import type { CallError } from '../contract/wire'
import type { Clock } from '../ports/seams/clock'
import type { Digests } from '../ports/seams/digests'
import type { ListenError, Listening, Net } from '../ports/seams/net'
import type { Random } from '../ports/seams/random'
import type { Timers } from '../ports/seams/timers'
import { loopbackHosts } from '../proxy/access'
import { createDataPlane } from '../proxy/data-plane'
import type { ProxyLimits } from '../proxy/limits'
import type { Plane } from '../proxy/plane'
import { createRouteEndpoint } from '../proxy/route-endpoint'
import type { PeerHolds } from '../proxy/sweep'

/** What the listeners are made from. */
export interface PlaneSeams {
  readonly net: Net<Duplex>
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly digests: (keyHex: string) => Digests
  readonly limits: ProxyLimits
  /** Whether `x-signalbox-*` headers are added to replies (decision D21). */
  readonly ownHeaders: boolean
  /** Who listens on a port, for the message; null where the system does not tell. */
  readonly portHolder: (port: number) => string | null
  /** Who holds the sockets of this machine; null where the system does not tell. */
  readonly peers: (() => PeerHolds | null) | null
  /** Hears of errors of our own. */
  readonly onBug: (error: unknown) => void
}

/** Opens the proxy and the router's endpoint on real ports, and closes them again. */
export function createPlanes(seams: PlaneSeams): Planes {
  let close: (waitMs: number) => Promise<number> = async () => 0
  return {
    close: (waitMs) => close(waitMs),
    async open(start, core) {
      const proxyPlane = planeOf(seams, start, core)
      const routerPlane = planeOf(seams, start, core)
      const proxy = createDataPlane(proxyPlane, seams.peers)
      const endpoint = createRouteEndpoint(routerPlane)
      const stop = async (listeners: readonly Opened[], waitMs: number) => {
        const closed = listeners.flatMap(({ all }) => all.map((listening) => listening.close()))
        const cut = await proxy.close(waitMs)
        endpoint.close()
        await Promise.all(closed)
        return cut
      }
      const proxyOpened = await openPorts(seams, start, start.proxyPort, proxy.accept)
      if (!proxyOpened.ok) {
        await stop([], 0)
        return proxyOpened
      }
      const routerOpened = await openPorts(seams, start, start.routerPort, endpoint.accept)
      if (!routerOpened.ok) {
        await stop([proxyOpened.value], 0)
        return routerOpened
      }
      const ports = { proxyPort: proxyOpened.value.port, routerPort: routerOpened.value.port }
      proxyPlane.access = { ...proxyPlane.access, hosts: hostsOf(start.host, ports.proxyPort) }
      routerPlane.access = { ...routerPlane.access, hosts: hostsOf(start.host, ports.routerPort) }
      close = (waitMs) => stop([proxyOpened.value, routerOpened.value], waitMs)
      return ok(ports)
    },
  }
}

function planeOf(seams: PlaneSeams, start: RouterStart, core: RouterCore): Plane {
  const digests = seams.digests(start.sessionKeyHex)
  return {
    core,
    clock: seams.clock,
    timers: seams.timers,
    random: seams.random,
    net: seams.net,
    limits: seams.limits,
    access: { hosts: new Set(), key: start.dataPlaneKey, digests },
    ownHeaders: seams.ownHeaders,
    live: new Set(),
    stopping: false,
    onEnded: () => undefined,
    onBug: seams.onBug,
  }
}

/** Names for a loopback listener; any other address only by itself. */
function hostsOf(host: string, port: number): ReadonlySet<string> {
  if (host === '127.0.0.1' || host === '::1') return loopbackHosts(port)
  return new Set([`${host.includes(':') ? `[${host}]` : host}:${port}`])
}

interface Opened {
  readonly port: number
  readonly all: readonly Listening[]
}

/** Tries to find one port that is free on both loopbacks, when any port will do. */
const anyPortTries = 10

async function openPorts(
  seams: PlaneSeams,
  start: RouterStart,
  port: number,
  accept: (stream: Duplex) => void,
): Promise<Result<Opened, CallError>> {
  for (let tries = 1; ; tries++) {
    const first = await seams.net.listen({ host: start.host, port }, accept)
    if (!first.ok) return fail(portError(seams, start.host, port, first.error))
    const given = first.value.port ?? port
    if (!start.ipv6) return ok({ port: given, all: [first.value] })
    const second = await seams.net.listen({ host: '::1', port: given }, accept)
    if (second.ok) return ok({ port: given, all: [first.value, second.value] })
    if (second.error.code === 'failed') return ok({ port: given, all: [first.value] }) // there is no IPv6 here
    await first.value.close()
    if (port !== 0 || tries === anyPortTries) return fail(portError(seams, '::1', given, second.error))
  }
}

function portError({ portHolder }: PlaneSeams, host: string, port: number, error: ListenError): CallError {
  if (error.code === 'in-use') {
    const holder = portHolder(port)
    return {
      code: 'port_in_use',
      message: `port ${port} of ${host} is ${holder === null ? 'in use' : `held by ${holder}`}; stop that program, name another port, or use --port 0 for free ones`,
    }
  }
  return { code: `port_${error.code}`, message: `port ${port} of ${host} cannot be opened: ${error.message}` }
}
