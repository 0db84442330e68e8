import { contextBridge, ipcRenderer } from 'electron'

// The whole bridge: a page asks for a pipe and gets one end of a message port. Frames only, no names of calls.
contextBridge.exposeInMainWorld(
  'signalbox',
  Object.freeze({ version: 1, open: () => ipcRenderer.send('signalbox:open') }),
)

ipcRenderer.on('signalbox:port', (event) =>
  window.postMessage('signalbox:port', window.location.origin, [...event.ports]),
)

// Answered as soon as the page's own thread is free: one that hangs does not (heartbeat.ts).
ipcRenderer.on('signalbox:ping', () => ipcRenderer.send('signalbox:pong'))
