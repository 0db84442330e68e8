import { BrowserWindow, dialog, type Session } from 'electron'
import type { Clock } from '../../ports/seams/clock'
import { pageOrigin } from './trusted-sender'
import { createWindowHealth, returnTo, type WindowRemedy } from './window-health'

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
}

/** Opens the one window and keeps it alive: whatever happens to it, streams do not feel it. */
export function openWindow(preload: string, clock: Clock, events: WindowEvents): BrowserWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 1024,
    minHeight: 640,
    show: false,
    title: 'DEMO demo — Signalbox',
    webPreferences: preferences(preload),
  })
  const health = createWindowHealth()
  let crashed = false
  const act = (remedy: WindowRemedy) => {
    if (remedy === 'offer-reload') offerReload(window)
    // A window with a dead renderer is loaded anew at its place; without charts when it keeps dying.
    if (remedy === 'reload') void window.loadURL(returnTo(window.webContents.getURL(), 'restarted'))
    if (remedy === 'reload-safe') void window.loadURL(returnTo(window.webContents.getURL(), 'safe'))
  }
  window.once('ready-to-show', () => window.show())
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    crashed = true
    events.crashed(reason)
    act(health.on('renderer-gone', clock.monoMs()))
  })
  window.webContents.on('did-finish-load', () => {
    if (crashed) events.back()
    crashed = false
  })
  window.on('unresponsive', () => act(health.on('renderer-hangs', clock.monoMs())))
  void window.loadURL(`${pageOrigin}/`)
  return window
}

function offerReload(window: BrowserWindow): void {
  const message = 'The window does not respond. Traffic and recording go on untouched.'
  void dialog
    .showMessageBox(window, { type: 'warning', message, buttons: ['Wait', 'Reload window'] })
    .then(({ response }) => {
      if (response === 1) window.webContents.forcefullyCrashRenderer()
    })
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
