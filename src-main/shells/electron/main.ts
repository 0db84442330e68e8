import { join } from 'node:path'
import {
  app,
  type BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  MessageChannelMain,
  session,
  type WebContents,
} from 'electron'
import { nodeClock } from '../../adapters/node/clock'
import { nodeRandom } from '../../adapters/node/random'
import { nodeTimers } from '../../adapters/node/timers'
import { type Console, openConsole } from '../console'
import { exitCodes, explainEnd, Stop } from '../exit'
import { readPage } from '../page'
import { readStartOptions, type StartOptions } from '../start-options'
import { registerScheme, servePage } from './app-scheme'
import { createPortTransport } from './port-transport'
import { isTrusted } from './trusted-sender'
import { createUtilityProc } from './utility-child'
import { lockSession, openWindow, partition } from './window'

/** How long running streams may go on after the last window was closed, ms. */
const quitWaitMs = 2_000

/** Runs the desktop app. @param programFolder where the built entries lie */
export function runDesktop(programFolder: string): void {
  try {
    const options = readStartOptions(ownArguments(process.argv))
    registerScheme()
    // The switch takes the sandbox away from every process; asking for it back would stop the network service as root.
    if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
    void app
      .whenReady()
      .then(() => start(programFolder, options))
      .catch(quitWith)
  } catch (error) {
    quitWith(error)
  }
}

async function start(programFolder: string, options: StartOptions): Promise<void> {
  const proc = createUtilityProc(programFolder)
  let window: BrowserWindow | null = null
  const shell = {
    open() {
      if (window?.isMinimized()) window.restore()
      window?.focus()
      return null
    },
    revoke: () => {}, // there are no browser sessions here
    sandboxOff: app.commandLine.hasSwitch('no-sandbox'),
  }
  const console = await openConsole(options, proc, shell)
  const ours = session.fromPartition(partition)
  lockSession(ours)
  servePage(ours, readPage(join(programFolder, '..', 'renderer')), nodeRandom)
  lockContents()
  window = showWindow(programFolder, console)
  serveFrames(window, console, options)
  quitCleanly(console)
  const ready = await console.control.ready
  if (!ready.ok) throw new Stop(exitCodes.unavailable, ready.error.message)
}

function showWindow(programFolder: string, { control }: Console): BrowserWindow {
  Menu.setApplicationMenu(null)
  const turned = (to: 'up' | 'down', why: string | null) =>
    control.record({ kind: 'process.turned', role: 'window', to, pid: null, lostStreams: null, why })
  const preload = join(programFolder, '..', 'preload', 'preload.cjs')
  return openWindow(
    preload,
    { clock: nodeClock, timers: nodeTimers },
    {
      crashed: (why) => turned('down', why),
      back: () => turned('up', null),
      gpuGone: (why) => turned('up', `the graphics process ended (${why}); another one was started`),
    },
  )
}

/** A page asks for a pipe; our own page gets one end of a fresh channel. */
function serveFrames(window: BrowserWindow, console: Console, options: StartOptions): void {
  ipcMain.on('signalbox:open', (event) => {
    const frame = event.senderFrame
    const sender = frame && {
      url: frame.url,
      isMainFrame: frame === event.sender.mainFrame,
      destroyed: event.sender.isDestroyed(),
      ours: event.sender === window.webContents,
    }
    if (!isTrusted(sender)) return
    const { port1, port2 } = new MessageChannelMain()
    console.control.connect(createPortTransport(port1), { actor: 'desktop', mayOperate: !options.readOnly })
    event.sender.postMessage('signalbox:port', null, [port2])
  })
}

/** For every page there will ever be: no navigation, no new windows, no embedded views. */
function lockContents(): void {
  const lock = (contents: WebContents) => {
    contents.on('will-navigate', (event) => event.preventDefault())
    contents.on('will-redirect', (event) => event.preventDefault())
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  }
  app.on('web-contents-created', (_event, contents) => lock(contents))
}

function quitCleanly(console: Console): void {
  let closing = false
  app.on('window-all-closed', () => app.quit())
  app.on('before-quit', (event) => {
    if (closing) return
    closing = true
    event.preventDefault()
    void console.close(quitWaitMs).then(() => app.exit(exitCodes.ok))
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => app.quit())
}

function quitWith(error: unknown): void {
  const code = explainEnd(error)
  if (
    error instanceof Stop &&
    code !== exitCodes.ok &&
    app.isReady() &&
    process.stdout.isTTY !== true &&
    process.env.CI === undefined
  ) {
    dialog.showErrorBox('Signalbox cannot start', error.message)
  }
  app.exit(code)
}

/** The flags after `--`, or all that follow the app's folder: Electron's own switches come before. */
function ownArguments(argv: readonly string[]): string[] {
  const mark = argv.indexOf('--')
  return mark < 0 ? [] : argv.slice(mark + 1)
}
