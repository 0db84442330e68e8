import type { RawData, WebSocket } from 'ws'
import { z } from 'zod'
import type { Control } from '../../app/control/control'
import type { Transport } from '../../contract/transport'
import type { Timers } from '../../ports/seams/timers'
import { authenticateWithinMs, type Budget } from './budget'
import type { SessionLimits } from './session-limits'
import type { TokenActor, Tokens } from './tokens'

/** What a screen's socket needs of its surroundings. */
export interface ScreenParts {
  readonly timers: Timers
  readonly tokens: Tokens
  readonly limits: SessionLimits
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

/** Library pings: they find half-open connections; the feed's own heartbeat proves that data flows. */
const pingEveryMs = 15_000
const preAuthMaxBytes = 8 * 1024

const hello = z.strictObject({ k: z.literal('hello'), token: z.string().max(128) })

/** A token that was found good, and whose it is. */
export interface Known {
  readonly token: string
  readonly actor: TokenActor
}

/**
 * A new socket: shows a token within five seconds as its first message, and is a screen from then on.
 * @param known what the upgrade request already showed; null when it showed no good token
 */
export function acceptScreen(
  client: WebSocket,
  known: Known | null,
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
  const deny = () => {
    leave() // now: a client that does not close its side would keep the place as long as it likes
    client.close(closeCodes.auth, 'auth_required')
  }
  const late = parts.timers.after(authenticateWithinMs, deny)
  client.once('close', () => {
    late.stop()
    leave()
  })
  client.once('message', (data, binary) => {
    const token = tokenIn(data, binary)
    const actor = token === null ? null : parts.tokens.actorOf(token)
    if (token === null || actor === null) return void budget.failed().then(deny)
    late.stop()
    leave()
    welcome(client, { token, actor }, parts) // at once, so that a call in the same packet finds its listener
  })
}

function tokenIn(data: RawData, binary: boolean): string | null {
  const parsed = hello.safeParse(binary || byteLength(data) > preAuthMaxBytes ? undefined : parse(data))
  return parsed.success ? parsed.data.token : null
}

function welcome(client: WebSocket, known: Known, parts: ScreenParts): void {
  const { limits } = parts
  if (!limits.roomForScreen(known.token))
    return client.close(closeCodes.rate, 'too many screens of one session')
  client.once('close', limits.openScreen(known.token))
  client.send('{"k":"welcome"}')
  attach(client, known, parts)
}

function attach(client: WebSocket, { token, actor }: Known, parts: ScreenParts): void {
  const endWithSession = () => {
    if (parts.tokens.actorOf(token) === null) client.close(closeCodes.auth, 'session ended')
  }
  const stopListening = parts.tokens.onRevoked(endWithSession)
  let answered = true
  const ping = parts.timers.every(pingEveryMs, () => {
    if (!answered) return client.terminate()
    answered = false
    client.ping()
    endWithSession() // a session also ends by its age
  })
  client.on('pong', () => {
    answered = true
  })
  client.once('close', () => {
    stopListening()
    ping.stop()
  })
  const take = () => parts.limits.takeCall(token)
  parts.control.connect(socketTransport(client, take), { actor, mayOperate: parts.mayOperate })
}

/** @param take takes one call from the session's allowance */
function socketTransport(client: WebSocket, take: () => boolean): Transport {
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
        if (!take()) return client.close(closeCodes.rate, 'too many calls')
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

const byteLength = (data: RawData) =>
  Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength

function parse(data: RawData): unknown {
  try {
    return JSON.parse(data.toString())
  } catch {
    return undefined
  }
}
