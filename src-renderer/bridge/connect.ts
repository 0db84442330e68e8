import type { Dial } from '../state/connection'
import { dialDesktop, type SignalboxBridge } from './desktop-line'
import { dialSocket } from './socket-line'
import { takeTicket } from './ticket'

declare global {
  interface Window {
    /** Put there by the preload script of the desktop window; absent in a browser. */
    readonly signalbox?: SignalboxBridge
  }
}

/**
 * How this page reaches its server: the one place that knows which shell it is in. In a browser the server is where the
 * page came from, and nothing in a URL, a message or the storage can name another (SR-028).
 */
export function connect(page: Window): Dial {
  if (page.signalbox) return dialDesktop(page, page.signalbox)
  return dialSocket(page, takeTicket(page))
}
