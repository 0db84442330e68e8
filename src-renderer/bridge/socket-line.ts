import { fail, ok } from '../../src-main/base/result'
import type { Transport } from '../../src-main/contract/transport'
import type { Dial, EndCode } from '../state/connection'
import type { Pass } from './ticket'

/** Longest wait from opening the socket to the server's welcome, ms. */
const welcomeWaitMs = 5_000
/** Unsent bytes at which a frame is refused. */
const bufferMaxBytes = 4 * 1024 * 1024

/** Close codes (security page 12) after which the same token would be refused again. */
const ends: Readonly<Record<number, EndCode>> = { 4401: 'unauthorised', 4403: 'forbidden', 4409: 'replaced' }
const words: Readonly<Record<number, string>> = {
  1006: 'the connection broke',
  4400: 'the server could not read a message of this page',
  4401: 'the session ended',
  4403: 'this session may not do that',
  4408: 'this page was too slow to keep up',
  4409: 'the session was opened in another window',
  4413: 'a message of this page was too large',
  4429: 'this page asked too often',
  4500: 'the server failed',
  4503: 'Signalbox is stopping',
}

/** Lines over WebSockets to where the page came from. */
export function dialSocket(page: Window, pass: Pass): Dial {
  return async () => {
    const right = await pass.right()
    if (right.token === null) return fail({ why: 'no session to go on with', end: right.end })
    return openSocket(page, right.token, () => pass.drop())
  }
}

function openSocket(page: Window, token: string, drop: () => void): ReturnType<Dial> {
  const scheme = page.location.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(`${scheme}//${page.location.host}/api/feed`)
  return new Promise((resolve) => {
    let code = 0
    const timer = setTimeout(() => socket.close(), welcomeWaitMs)
    socket.addEventListener('open', () => socket.send(JSON.stringify({ k: 'hello', token })))
    const transport = socketTransport(socket)
    const ended = () => ends[code] ?? null
    socket.addEventListener('message', function welcome(event) {
      if (kindOf(event.data) !== 'welcome') return
      clearTimeout(timer)
      socket.removeEventListener('message', welcome)
      resolve(ok({ transport, ended }))
    })
    socket.addEventListener('close', (event) => {
      clearTimeout(timer)
      code = event.code
      if (code === 4401) drop()
      transport.closed(words[code] ?? `the connection closed (${code})`)
      resolve(fail({ why: words[code] ?? `the connection closed (${code})`, end: ended() }))
    })
  })
}

/** A socket as a transport of JSON texts. The welcome is no frame and is passed over. */
function socketTransport(socket: WebSocket): Transport & { closed(why: string): void } {
  const frameListeners: ((frame: unknown) => void)[] = []
  const closeListeners: ((why: string) => void)[] = []
  let open = true
  const closed = (why: string) => {
    if (!open) return
    open = false
    for (const listener of closeListeners) listener(why)
  }
  socket.addEventListener('message', (event) => {
    const frame = parse(event.data)
    if (open && frameListeners.length > 0) for (const listener of frameListeners) listener(frame)
  })
  return {
    send(frame) {
      if (!open || socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > bufferMaxBytes)
        return false
      socket.send(JSON.stringify(frame))
      return true
    },
    onFrame: (listener) => frameListeners.push(listener),
    onClose: (listener) => closeListeners.push(listener),
    close(why = 'closed by this side') {
      socket.close(1000)
      closed(why)
    },
    closed,
    get bufferedBytes() {
      return socket.bufferedAmount
    },
  }
}

function parse(data: unknown): unknown {
  try {
    return typeof data === 'string' ? JSON.parse(data) : undefined
  } catch {
    return undefined
  }
}

function kindOf(data: unknown): unknown {
  const value = parse(data)
  return typeof value === 'object' && value !== null && 'k' in value ? value.k : undefined
}
