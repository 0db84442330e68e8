import { nodeClock } from '../../src-main/adapters/node/clock'
import { nodeRandom } from '../../src-main/adapters/node/random'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import { createControl } from '../../src-main/app/control/control'
import { ok } from '../../src-main/base/result'
import { createTransportPair } from '../../src-main/contract/memory-transport'
import type { Proc } from '../../src-main/ports/seams/proc'

/** Child processes that never answer, and end when they are told to. */
export function createQuietProc(): Proc {
  const exits: (() => void)[] = []
  return {
    start: () => ({
      pid: null,
      link: createTransportPair()[0],
      onExit: (listener) => void exits.push(() => listener('exit 0')),
      kill: () => exits.splice(0).forEach((exit) => void exit()),
    }),
  }
}

/** A control whose child processes never answer: for tests of the shells around it, which do not need a cluster. */
export function createQuietControl() {
  const audited: string[] = []
  const actors: unknown[] = []
  let revoked = 0
  const control = createControl(
    {
      clock: nodeClock,
      timers: nodeTimers,
      random: nodeRandom,
      proc: createQuietProc(),
      audit: (kind, body) => {
        audited.push(`${kind} ${body.action}`)
        actors.push(body.actor)
        return ok(null)
      },
      remember: () => {},
      shell: {
        open: () => null,
        revoke: () => {
          revoked++
        },
      },
    },
    {
      version: 'test',
      replicas: 2,
      seed: 1,
      speed: 10,
      policy: { id: 'round-robin', params: {} },
      traffic: false,
      ratePerSecond: 1,
      readOnly: false,
      storeFolder: null,
      storeWhy: null,
      sessionKeyHex: '00',
      ingestPath: '',
      host: '127.0.0.1',
      proxyPort: 0,
      routerPort: 0,
      ipv6: false,
      dataPlaneKey: null,
      banners: [],
    },
  )
  return { control, audited, actors, revoked: () => revoked }
}
