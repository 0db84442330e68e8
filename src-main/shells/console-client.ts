import { isAbsolute, resolve } from 'node:path'
import { defaultDataFolder } from '../adapters/files/default-folder'
import { controlSocketPath } from '../adapters/files/socket-path'
import { createNodeDigests } from '../adapters/node/digests'
import { createNodeHost } from '../adapters/node/host'
import { nodeNet } from '../adapters/node/net'
import { createStreamTransport } from '../adapters/transports/stream'
import { type Call, createCaller } from '../contract/peer'
import type { Rpc } from '../contract/rpc'
import { exitCodes, Stop } from './exit'

/** A connection to a running console. */
export interface ConsoleClient {
  readonly call: Call<Rpc>
  close(): void
}

/** Time in which a console on this machine must take the connection, ms. */
const connectWithinMs = 2_000

/** Connects to the console of a data folder; null is the default one. Throws `Stop` when none answers. */
export async function connectConsole(dataDir: string | null): Promise<ConsoleClient> {
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
  return { call, close: () => close() }
}
