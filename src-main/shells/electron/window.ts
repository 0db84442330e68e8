import { app, BrowserWindow, dialog, type Session } from 'electron'
import type { Clock } from '../../ports/seams/clock'
import type { Timers } from '../../ports/seams/timers'
import { startHeartbeat } from './heartbeat'
import { pageOrigin } from './trusted-sender'
import { createWindowHealth, returnTo, type WindowRemedy, type WindowTrouble } from './window-health'

/** The one session of our windows. */
export const partition = 'persist:signalbox'

/** Preferences of every window; nothing is ever spread into them (SR-001). */
const preferences = (preload: string) =>
  Object.freeze({
    preload,
    partition,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    webviewTag: false,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    plugins: false,
    navigateOnDragDrop: false,
    spellcheck: false,
    safeDialogs: true,
  })

/** What a window tells the console. */
export interface WindowEvents {
  crashed(why: string): void
  back(): void
  /** Chromium's graphics process ended; it starts another one by itself. */
  gpuGone(why: string): void
}

/** Opens the one window and keeps it alive: whatever happens to it, streams do not feel it. */
export function openWindow(
  preload: string,
  seams: { readonly clock: Clock; readonly timers: Timers },
  events: WindowEvents,
): BrowserWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 1024,
    minHeight: 640,
    show: false,
    title: 'DEMO demo — Signalbox',
    webPreferences: preferences(preload),
  })
  window.once('ready-to-show', () => window.show())
  keepAlive(window, seams, events)
  void window.loadURL(`${pageOrigin}/`)
  return window
}

/** Hands what happens to the window to its rules, and does what they say. */
function keepAlive(
  window: BrowserWindow,
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
  events: WindowEvents,
): void {
  const contents = window.webContents
  const health = createWindowHealth()
  const offer = createReloadOffer(window)
  const comeBack = (how: 'restarted' | 'safe') => void window.loadURL(returnTo(contents.getURL(), how))
  const remedies: Readonly<Record<WindowRemedy, () => void>> = {
    'offer-reload': offer.make,
    'withdraw-offer': offer.withdraw,
    reload: () => comeBack('restarted'),
    'reload-safe': () => comeBack('safe'), // without charts, since it keeps dying
    none: () => {},
  }
  const meet = (trouble: WindowTrouble) => remedies[health.on(trouble, clock.monoMs())]()
  const heartbeat = startHeartbeat({
    clock,
    timers,
    ask: () => contents.isDestroyed() || contents.send('signalbox:ping'),
    hangs: () => meet('renderer-hangs'),
    responds: () => meet('renderer-responds'),
  })
  let crashed = false
  contents.ipc.on('signalbox:pong', heartbeat.alive)
  contents.on('render-process-gone', (_event, { reason }) => {
    crashed = true
    events.crashed(reason)
    meet('renderer-gone')
  })
  contents.on('did-finish-load', () => {
    heartbeat.alive()
    if (crashed) events.back()
    crashed = false
  })
  app.on('child-process-gone', (_event, { type, reason }) => {
    if (type !== 'GPU') return
    events.gpuGone(reason)
    meet('gpu-gone')
  })
  window.once('closed', heartbeat.stop)
}

/** A dialog that offers to reload a window that hangs; it goes away by itself when the window is back. */
function createReloadOffer(window: BrowserWindow) {
  let open: AbortController | null = null
  return {
    make() {
      const own = new AbortController()
      open = own
      const message = 'The window does not respond. Traffic and recording go on untouched.'
      void dialog
        .showMessageBox(window, {
          type: 'warning',
          message,
          buttons: ['Wait', 'Reload window'],
          signal: own.signal,
        })
        .then(({ response }) => {
          if (response === 1 && !own.signal.aborted) window.webContents.forcefullyCrashRenderer()
        })
    },
    withdraw: () => open?.abort(),
  }
}

/** Denies what a page of ours never needs: permissions, downloads, other pages, other windows (SR-006, SR-008). */
export function lockSession(ours: Session): void {
  ours.setPermissionRequestHandler((_contents, permission, answer) =>
    answer(permission === 'clipboard-sanitized-write'),
  )
  ours.setPermissionCheckHandler((_contents, permission) => permission === 'clipboard-sanitized-write')
  ours.setDevicePermissionHandler(() => false)
  ours.on('will-download', (event) => event.preventDefault())
  void ours.setProxy({ mode: 'direct' })
}
