import { join } from 'node:path'
import { nodeClock } from '../../adapters/node/clock'
import { nodeNet } from '../../adapters/node/net'
import { nodeRandom } from '../../adapters/node/random'
import { nodeTimers } from '../../adapters/node/timers'
import { openConsole } from '../console'
import { exitCodes, explainEnd, Stop } from '../exit'
import { readPage } from '../page'
import { defaultPorts, readStartOptions } from '../start-options'
import { createNodeProc } from './node-child'
import { serve } from './server'
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
  const tokens = createTokens(nodeClock, nodeRandom)
  let origin: string | null = null
  const link = () => (origin === null ? null : `${origin}/#ticket=${tokens.ticket()}`)
  const shell = { open: link, revoke: () => tokens.revokeSessions(), sandboxOff: false }
  const console = await openConsole(options, createNodeProc(programFolder), shell)
  const stop = (code: number) => void console.close(stopWaitMs).then(() => process.exit(code))
  try {
    const parts = {
      net: nodeNet,
      timers: nodeTimers,
      random: nodeRandom,
      page: readPage(join(programFolder, '..', 'renderer')),
      tokens,
      control: console.control,
      mayOperate: !options.readOnly,
    }
    const serving = await serve(parts, options.port ?? defaultPorts.page)
    const ready = await console.control.ready
    if (!ready.ok) throw new Stop(exitCodes.unavailable, ready.error.message)
    origin = `http://127.0.0.1:${serving.port}`
    const { proxyUrl, routerUrl, replicas } = ready.value
    const url = `${origin}/#ticket=${tokens.ticket()}`
    const line = {
      url,
      token: tokens.root,
      proxyUrl,
      routerUrl,
      replicas: replicas.map(({ id, url: at }) => ({ id, url: at })),
      pid: process.pid,
    }
    if (options.json) process.stdout.write(`${JSON.stringify(line)}\n`)
    else process.stdout.write(announce(url, proxyUrl, replicas.length))
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.once(signal, () => void serving.close().then(() => stop(exitCodes.ok)))
  } catch (error) {
    await console.close(0)
    throw error
  }
}

const announce = (url: string, proxyUrl: string, replicas: number) =>
  [
    `Signalbox console   ${url}`,
    `OpenAI-compatible   ${proxyUrl}/v1   (${replicas} simulated replicas)`,
    'The link works once and for a minute; npx signalbox open prints a new one. Ctrl+C ends everything.',
    '',
  ].join('\n')
