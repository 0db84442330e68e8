import type { IncomingMessage } from 'node:http'
import { fail, ok, type Result } from '../../base/result'
import type { Bytes, Millis } from '../../base/units'
import type { Timers } from '../../ports/seams/timers'
import { type Refusal, refusal } from './refusal'

/** Longest body that is read, and all bodies of a replica that are being read together. */
const bodyMaxBytes: Bytes = 32 * 1024 * 1024
const bodiesMaxBytes: Bytes = 4 * bodyMaxBytes
/** Time for a body to arrive. */
const bodyMs: Millis = 60_000

/** Reads bodies whole, within limits. */
export interface BodyReader {
  /** The text, or why not; null when the client left meanwhile. */
  read(request: IncomingMessage): Promise<Result<string, Refusal> | null>
}

/** A reader that shares one memory limit among its requests. */
export function createBodyReader(timers: Timers): BodyReader {
  let held = 0
  return {
    read: (request) =>
      new Promise((resolve) => {
        const parts: Buffer[] = []
        let size = 0
        const settle = (result: Result<string, Refusal> | null) => {
          timer.stop()
          held -= size
          size = 0
          request.off('data', take)
          resolve(result)
        }
        const take = (part: Buffer) => {
          size += part.length
          held += part.length
          if (size > bodyMaxBytes) settle(fail(tooLarge))
          else if (held > bodiesMaxBytes) settle(fail(tooMany))
          else parts.push(part)
        }
        const timer = timers.after(bodyMs, () => settle(fail(tooSlow)))
        request.on('data', take)
        request.once('end', () => settle(ok(Buffer.concat(parts).toString('utf8'))))
        request.once('close', () => settle(null))
        if (Number(request.headers['content-length']) > bodyMaxBytes) settle(fail(tooLarge))
      }),
  }
}

const tooLarge = refusal(413, 'RequestEntityTooLarge', `The body is longer than ${bodyMaxBytes} bytes.`)
const tooMany = refusal(
  503,
  'ServiceUnavailableError',
  'Too many large bodies are arriving; try again later.',
)
const tooSlow = refusal(408, 'RequestTimeout', `The body did not arrive within ${bodyMs / 1_000} s.`)
