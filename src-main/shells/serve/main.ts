import { join } from 'node:path'
import { nodeClock } from '../../adapters/node/clock'
import { nodeNet } from '../../adapters/node/net'
import { nodeRandom } from '../../adapters/node/random'
import { nodeTimers } from '../../adapters/node/timers'
import type { Control } from '../../app/control/control'
import { openConsole } from '../console'
import { exitCodes, explainEnd, Stop } from '../exit'
import { readPage } from '../page'
import { plain } from '../plain'
import { defaultPorts, readStartOptions, type StartOptions } from '../start-options'
import { createNodeProc } from './node-child'
import { portHolder } from './port-holder'
import { type Serving, serve } from './server'
import { createSessionLimits } from './session-limits'
import { createTokens } from './tokens'

/** How long running streams may go on after SIGTERM, ms. */
const stopWaitMs = 5_000

/**
 * Serves the console to a browser until SIGTERM or SIGINT, then ends with code 0.
 * @param programFolder where the built entries lie
 * @param args the flags of `npm start`
 */
export async function runServe(programFolder: string, args: readonly string[]): Promise<void> {
  try {
    await start(programFolder, args)
  } catch (error) {
    process.exit(explainEnd(error))
  }
}

async function start(programFolder: string, args: readonly string[]): Promise<void> {
  const options = readStartOptions(args)
  const asked = askedToStop() // from the first moment on: a console that is still starting has to end in order, too
  const tokens = createTokens(nodeClock, nodeRandom)
  let origin: string | null = null
  const link = () => (origin === null ? null : `${origin}/#ticket=${tokens.ticket()}`)
  const shell = { open: link, revoke: () => tokens.revokeSessions(), sandboxOff: false }
  const console = await openConsole(options, createNodeProc(programFolder), shell)
  let serving: Serving | null = null
  try {
    const parts = {
      net: nodeNet,
      say: (words: string) => void process.stderr.write(`signalbox: ${plain(words)}\n`),
      holderOf: portHolder,
      timers: nodeTimers,
      random: nodeRandom,
      page: readPage(join(programFolder, '..', 'renderer')),
      tokens,
      limits: createSessionLimits(nodeClock),
      control: console.control,
      mayOperate: !options.readOnly,
    }
    serving = await serve(parts, options.port ?? defaultPorts.page)
    origin = `http://127.0.0.1:${serving.port}`
    const ready = await Promise.race([console.control.ready, asked])
    if (ready !== null) announce(ready, `${origin}/#ticket=${tokens.ticket()}`, tokens.root, options)
    await asked
  } catch (error) {
    await serving?.close()
    await console.close(0)
    throw error
  }
  await serving.close()
  await console.close(stopWaitMs)
  process.exit(exitCodes.ok)
}

/** Resolves with null at the first signal that asks the program to end; later ones change nothing. */
function askedToStop(): Promise<null> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve(null))
  })
}

/** Prints where everything is: for scripts one line of JSON (decision D24), for people a few words. */
function announce(
  ready: Awaited<Control['ready']>,
  url: string,
  token: string,
  { json, dataDir }: StartOptions,
): void {
  if (!ready.ok) throw new Stop(exitCodes.unavailable, ready.error.message)
  const { proxyUrl, routerUrl } = ready.value
  const replicas = ready.value.replicas.map(({ id, url: at }) => ({ id, url: at }))
  const line = { url, token, proxyUrl, routerUrl, replicas, pid: process.pid }
  process.stdout.write(json ? `${JSON.stringify(line)}\n` : inWords(url, proxyUrl, replicas.length, dataDir))
}

const inWords = (url: string, proxyUrl: string, replicas: number, dataDir: string | null) =>
  [
    `Signalbox console   ${url}`,
    `OpenAI-compatible   ${proxyUrl}/v1   (${replicas} simulated replicas)`,
    `The link works once and for a minute; npx signalbox open${dataDir === null ? '' : ` --data-dir ${plain(dataDir)}`} prints a new one. Ctrl+C ends everything.`,
    '',
  ].join('\n')
