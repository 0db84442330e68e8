import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { createNodeFs } from '../../src-main/adapters/node/fs'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeRandom } from '../../src-main/adapters/node/random'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import { type ControlOptions, type ControlSeams, createControl } from '../../src-main/app/control/control'
import { ok } from '../../src-main/base/result'
import { createTransportPair } from '../../src-main/contract/memory-transport'
import { createCaller } from '../../src-main/contract/peer'
import type { Rpc } from '../../src-main/contract/rpc'
import type { Transport } from '../../src-main/contract/transport'
import type { Role } from '../../src-main/domain/journal/record'
import type { Child, Proc } from '../../src-main/ports/seams/proc'
import { composeFleet } from '../../src-main/shells/fleet-process'
import { composeIngest } from '../../src-main/shells/ingest-process'
import { composeRouter, systemRouterSeams } from '../../src-main/shells/router-process'
import { composeTraffic } from '../../src-main/shells/traffic-process'

const seams = { clock: nodeClock, timers: nodeTimers, net: nodeNet, random: nodeRandom, fs: createNodeFs() }

/** Each role on one end of a pipe, as its process is; answers how to end it. */
const compose: Readonly<Record<Role, (link: Transport) => () => Promise<unknown>>> = {
  fleet(link) {
    const fleet = composeFleet(link, seams)
    return () => fleet.close()
  },
  ingest(link) {
    const ingest = composeIngest(link, seams)
    return () => ingest.stop()
  },
  router(link) {
    const router = composeRouter(link, systemRouterSeams())
    return () => router.stop(0)
  },
  traffic(link) {
    const traffic = composeTraffic(link, seams)
    return async () => traffic.close()
  },
}

/** The real roles, in this process instead of their own; `end` lets one die, and waits for `after` before it is noticed. */
export function createInProcessProc() {
  const running = new Map<Role, (how: string, after?: () => Promise<unknown>) => Promise<void>>()
  let pids = 1_000
  const start = (role: Role): Child => {
    const [near, far] = createTransportPair()
    const stop = compose[role](far)
    const listeners: ((how: string) => void)[] = []
    let ended = false
    const end = async (how: string, after?: () => Promise<unknown>) => {
      if (ended) return
      ended = true
      await stop()
      await after?.()
      near.close('the process ended')
      for (const listener of listeners) listener(how)
    }
    running.set(role, end)
    return {
      pid: ++pids,
      link: near,
      onExit: (listener) => void listeners.push(listener),
      kill: (signal) => void end(`signal ${signal}`),
    }
  }
  const proc: Proc = { start }
  return {
    proc,
    end: (role: Role, how: string, after?: () => Promise<unknown>) => running.get(role)?.(how, after),
  }
}

/** A whole console in this process: control and every role, real sockets between them. */
export function startConsole(
  own: Partial<ControlOptions> = {},
  audit: ControlSeams['audit'] = () => ok(null),
) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-'))
  const { proc, end } = createInProcessProc()
  const audited: string[] = []
  const remembered: unknown[] = []
  const control = createControl(
    {
      clock: nodeClock,
      timers: nodeTimers,
      random: nodeRandom,
      proc,
      audit(kind, body) {
        const result = audit(kind, body)
        if (result.ok) audited.push(`${kind} ${body.action}${body.result ? ` ${body.result}` : ''}`)
        return result
      },
      remember: (settings) => void remembered.push(settings),
      shell: { open: () => null, revoke: () => {} },
    },
    {
      version: 'test',
      replicas: 3,
      seed: 1,
      speed: 20,
      policy: { id: 'consistent-hash', params: { num_virtual_nodes: 100, num_fallback_replicas: 2 } },
      traffic: false,
      ratePerSecond: 5,
      readOnly: false,
      storeFolder: null,
      storeWhy: 'a test keeps nothing',
      sessionKeyHex: '00'.repeat(32),
      ingestPath: join(folder, 'i.sock'),
      host: '127.0.0.1',
      proxyPort: 0,
      routerPort: 0,
      ipv6: false,
      dataPlaneKey: null,
      banners: [],
      ...own,
    },
  )
  const connect = (who: Parameters<typeof control.connect>[1]) => {
    const [near, far] = createTransportPair()
    control.connect(far, who)
    return createCaller<Rpc>(near)
  }
  return {
    control,
    audited,
    remembered,
    end,
    connect,
    call: connect({ actor: 'cli', mayOperate: true }).call,
    async stop() {
      await control.stop(0)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
