import type { Duplex } from 'node:stream'
import type { Transport } from '../../contract/transport'

/** Longest line that is taken from the other side, bytes; beyond it the pipe is closed. */
const lineMaxBytes = 16 * 1024 * 1024
/** Bytes that may wait for a slow reader before frames are refused. */
const waitingMaxBytes = 16 * 1024 * 1024

/** Frames as lines of JSON over a byte stream: our local sockets. */
export function createStreamTransport(stream: Duplex): Transport {
  const frameListeners: ((frame: unknown) => void)[] = []
  const closeListeners: ((why: string) => void)[] = []
  let parts: Buffer[] = []
  let waiting = 0
  let why = 'the other side closed'
  const close = (reason: string) => {
    why = reason
    stream.destroy()
  }
  const line = (bytes: Buffer) => {
    const frame = parse(bytes)
    if (frame === undefined) return close('a line that is not JSON')
    for (const listener of frameListeners) listener(frame)
  }
  stream.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at))
      const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
      parts = []
      waiting = 0
      from = at + 1
      line(whole)
    }
    if (from === chunk.length) return
    parts.push(chunk.subarray(from))
    waiting += chunk.length - from
    if (waiting > lineMaxBytes) close('a line without an end')
  })
  stream.on('error', (error) => {
    why = error.message
  })
  stream.on('end', () => stream.end())
  stream.once('close', () => {
    for (const listener of closeListeners) listener(why)
  })
  return {
    send(frame) {
      if (!stream.writable || stream.writableLength > waitingMaxBytes) return false
      stream.write(`${JSON.stringify(frame)}\n`)
      return true
    },
    onFrame: (listener) => frameListeners.push(listener),
    onClose: (listener) => closeListeners.push(listener),
    close: (reason = 'closed by this side') => close(reason),
    get bufferedBytes() {
      return stream.writableLength
    },
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
