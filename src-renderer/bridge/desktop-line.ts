import { fail, ok } from '../../src-main/base/result'
import type { Transport } from '../../src-main/contract/transport'
import type { Dial } from '../state/connection'

/** What the preload script offers: it asks main for a port, which then comes as a message to the window. */
export interface SignalboxBridge {
  readonly version: number
  open(): void
}

/** The name of the message that carries the port. */
const portMessage = 'signalbox:port'
/** Longest wait for the port, ms. */
const portWaitMs = 5_000

/** Lines over message ports that the desktop's main process hands over. */
export function dialDesktop(page: Window, bridge: SignalboxBridge): Dial {
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        page.removeEventListener('message', take)
        resolve(fail({ why: 'the main process did not answer within 5 s', end: null }))
      }, portWaitMs)
      const take = (event: MessageEvent) => {
        const port = event.ports[0]
        if (event.source !== page || event.data !== portMessage || !port) return
        clearTimeout(timer)
        page.removeEventListener('message', take)
        resolve(ok({ transport: portTransport(port), ended: () => null }))
      }
      page.addEventListener('message', take)
      bridge.open()
    })
}

/** A message port as a transport. Not every browser tells when the other end is gone: heartbeats do. */
export function portTransport(port: MessagePort): Transport {
  const closeListeners: ((why: string) => void)[] = []
  let open = true
  const close = (why: string) => {
    if (!open) return
    open = false
    port.close()
    for (const listener of closeListeners) listener(why)
  }
  port.addEventListener('close', () => close('the main process closed the port'))
  return {
    send(frame) {
      if (open) port.postMessage(frame)
      return open
    },
    onFrame(listener) {
      port.addEventListener('message', (event) => {
        if (open) listener(event.data)
      })
      port.start()
    },
    onClose: (listener) => closeListeners.push(listener),
    close: (why = 'closed by this side') => close(why),
    bufferedBytes: 0,
  }
}
