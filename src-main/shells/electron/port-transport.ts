import type { MessagePortMain } from 'electron'
import type { Transport } from '../../contract/transport'

/** Frames over a message port to a page. The port cannot tell how much waits; the feed counts what the page has drawn. */
export function createPortTransport(port: MessagePortMain): Transport {
  const closes: ((why: string) => void)[] = []
  let open = true
  const ended = (why: string) => {
    if (!open) return
    open = false
    for (const listener of closes) listener(why)
  }
  port.once('close', () => ended('the window is gone'))
  port.start()
  return {
    send(frame) {
      if (open) port.postMessage(frame)
      return open
    },
    onFrame: (listener) => void port.on('message', (event) => listener(event.data)),
    onClose: (listener) => closes.push(listener),
    close(why = 'closed by the console') {
      ended(why)
      port.close()
    },
    bufferedBytes: 0,
  }
}
