import { isAbsolute, join, resolve } from 'node:path'
import { defaultDataFolder } from '../adapters/files/default-folder'
import { controlSocketPath } from '../adapters/files/socket-path'
import { createNodeDigests } from '../adapters/node/digests'
import { createNodeHost } from '../adapters/node/host'
import { nodeNet } from '../adapters/node/net'
import { nodeTimers } from '../adapters/node/timers'
import { createStreamTransport } from '../adapters/transports/stream'
import { fail } from '../base/result'
import type { Millis } from '../base/units'
import { type Call, createCaller } from '../contract/peer'
import { type Rpc, rpc } from '../contract/rpc'
import type { CallError } from '../contract/wire'
import { exitCodes, Stop } from './exit'

/** A connection to a running console. */
export interface ConsoleClient {
  readonly call: Call<Rpc>
  close(): void
}

/** Time in which a console on this machine must take the connection, ms. */
const connectWithinMs = 2_000
/** Time in which it must answer a call, ms; draining and killing are answered at once, so this is for a stuck one. */
const answerWithinMs: Millis = 10_000

/**
 * Connects to the console of a data folder; null is the default one. Throws `Stop` when none answers. A call that is not
 * answered in time fails with `timeout`, one whose connection is lost with `disconnected`.
 */
export async function connectConsole(
  dataDir: string | null,
  withinMs = answerWithinMs,
): Promise<ConsoleClient> {
  const host = createNodeHost()
  const named = dataDir ?? defaultDataFolder(host)
  const folder = isAbsolute(named) ? named : resolve(named)
  const path = controlSocketPath(folder, { host, sha256: createNodeDigests('').sha256 })
  const socket = nodeNet.connect({ path }, { timeoutMs: connectWithinMs })
  await new Promise<void>((done, reject) => {
    socket.once('connect', done)
    socket.once('error', () =>
      reject(
        new Stop(
          exitCodes.unavailable,
          `no console runs on ${folder}; start one with npm start, or name its folder with --data-dir`,
        ),
      ),
    )
  })
  const { call, close } = createCaller<Rpc>(createStreamTransport(socket))
  return {
    call: (name, params) =>
      new Promise((settle) => {
        const late = nodeTimers.after(withinMs, () => settle(fail(unanswered(name, folder, withinMs))))
        void call(name, params).then((answer) => {
          late.stop()
          const lost = !answer.ok && answer.error.code === 'disconnected'
          settle(lost ? fail(connectionLost(name, folder)) : answer)
        })
      }),
    close: () => close(),
  }
}

const unanswered = (name: keyof Rpc, folder: string, withinMs: Millis): CallError => ({
  code: 'timeout',
  message: `the console on ${folder} did not answer ${name} within ${withinMs / 1_000} s${fateOf(name)}; it may be stuck: the process id in ${join(folder, 'lock')} is the one to look at`,
})

const connectionLost = (name: keyof Rpc, folder: string): CallError => ({
  code: 'disconnected',
  message: `the console on ${folder} went away before it answered ${name}${fateOf(name)}; signalbox status tells whether it runs again`,
})

/** A change whose answer did not come may have been made. */
const fateOf = (name: keyof Rpc) =>
  rpc[name].role === 'operator' ? ', and whether it took effect is not known' : ''
