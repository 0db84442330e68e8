import type { Transport } from '../../contract/transport'

/** Electron's port of a utility process to its parent; only what we use of it. */
interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void
}

/** A pipe that breaks while a frame is written would otherwise end this process; the disconnect follows anyway. */
const ignore = () => {}

/** The link of one of our child processes to control, under Electron and under Node alike. */
export function createParentTransport(): Transport {
  const port = (process as unknown as { readonly parentPort?: ParentPort }).parentPort
  const closeListeners: ((why: string) => void)[] = []
  process.on('SIGINT', () => {}) // a terminal's Ctrl+C reaches every process; control says when to stop
  process.once('disconnect', () => {
    for (const listener of closeListeners) listener('control is gone')
  })
  return {
    send(frame) {
      if (port) port.postMessage(frame)
      else if (process.connected) process.send?.(frame, undefined, undefined, ignore)
      else return false
      return true
    },
    onFrame(listener) {
      if (port) port.on('message', (event) => listener(event.data))
      else process.on('message', listener)
    },
    onClose: (listener) => closeListeners.push(listener),
    close() {
      if (!port && process.connected) process.disconnect()
    },
    bufferedBytes: 0,
  }
}
