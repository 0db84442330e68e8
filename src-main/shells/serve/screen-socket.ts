import type { RawData, WebSocket } from 'ws'
import { z } from 'zod'
import type { Control } from '../../app/control/control'
import type { Transport } from '../../contract/transport'
import type { Timers } from '../../ports/seams/timers'
import { authenticateWithinMs, type Budget } from './budget'
import type { Tokens } from './tokens'

/** What a screen's socket needs of its surroundings. */
export interface ScreenParts {
  readonly timers: Timers
  readonly tokens: Tokens
  readonly control: Control
  readonly mayOperate: boolean
}

/** Close codes that a screen understands (security page 12). */
export const closeCodes = {
  badMessage: 4400,
  auth: 4401,
  slow: 4408,
  tooLarge: 4413,
  rate: 4429,
  stopping: 4503,
} as const

/** Calls a second that a screen may make, and how many at once (SR-033). */
const callsPerSecond = 50
const callsAtOnce = 100
/** Library pings: they find half-open connections; the feed's own heartbeat proves that data flows. */
const pingEveryMs = 15_000
const preAuthMaxBytes = 8 * 1024

const hello = z.strictObject({ k: z.literal('hello'), token: z.string().max(128) })

/**
 * A new socket: shows a token within five seconds as its first message, and is a screen from then on.
 * @param known a token that the upgrade request already showed and that is good; null when there was none
 */
export function acceptScreen(
  client: WebSocket,
  known: string | null,
  parts: ScreenParts,
  budget: Budget,
): void {
  client.on('error', () => client.terminate())
  if (known !== null) return welcome(client, known, parts)
  let waiting = true
  const leave = () => {
    if (waiting) budget.leave()
    waiting = false
  }
  const late = parts.timers.after(authenticateWithinMs, () => client.close(closeCodes.auth, 'auth_required'))
  client.once('close', () => {
    late.stop()
    leave()
  })
  const check = async (token: string | null) => {
    const good = token !== null && (await budget.authenticate(() => parts.tokens.valid(token)))
    late.stop()
    if (!good || token === null) return client.close(closeCodes.auth, 'auth_required')
    leave()
    welcome(client, token, parts)
  }
  client.once('message', (data, binary) => {
    const message = binary || byteLength(data) > preAuthMaxBytes ? undefined : parse(data)
    const parsed = hello.safeParse(message)
    void check(parsed.success ? parsed.data.token : null)
  })
}

function welcome(client: WebSocket, token: string, parts: ScreenParts): void {
  client.send('{"k":"welcome"}')
  attach(client, token, parts)
}

function attach(client: WebSocket, token: string, parts: ScreenParts): void {
  const stopListening = parts.tokens.onRevoked(() => {
    if (!parts.tokens.valid(token)) client.close(closeCodes.auth, 'session ended')
  })
  let answered = true
  const ping = parts.timers.every(pingEveryMs, () => {
    if (!answered) return client.terminate()
    answered = false
    client.ping()
  })
  client.on('pong', () => {
    answered = true
  })
  client.once('close', () => {
    stopListening()
    ping.stop()
  })
  parts.control.connect(socketTransport(client, parts), { actor: 'browser', mayOperate: parts.mayOperate })
}

function socketTransport(client: WebSocket, { timers }: ScreenParts): Transport {
  const bucket = createBucket(timers, client)
  return {
    send(frame) {
      if (client.readyState !== client.OPEN) return false
      client.send(JSON.stringify(frame))
      return true
    },
    onFrame: (listener) =>
      void client.on('message', (data, binary) => {
        const frame = binary ? undefined : parse(data)
        if (frame === undefined)
          return client.close(binary ? 1003 : closeCodes.badMessage, 'text frames with JSON only')
        if (!bucket.take()) return client.close(closeCodes.rate, 'too many calls')
        listener(frame)
      }),
    onClose: (listener) => void client.once('close', () => listener('the browser is gone')),
    close: (why) =>
      client.close(
        why === 'slow' ? closeCodes.slow : why === 'bad frame' ? closeCodes.badMessage : 1000,
        why,
      ),
    get bufferedBytes() {
      return client.bufferedAmount
    },
  }
}

/** Refills 50 a second up to 100. */
function createBucket(timers: Timers, client: WebSocket) {
  let left = callsAtOnce
  const refill = timers.every(100, () => {
    left = Math.min(callsAtOnce, left + callsPerSecond / 10)
  })
  client.once('close', () => refill.stop())
  return {
    take() {
      if (left < 1) return false
      left--
      return true
    },
  }
}

const byteLength = (data: RawData) =>
  Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength

function parse(data: RawData): unknown {
  try {
    return JSON.parse(data.toString())
  } catch {
    return undefined
  }
}
