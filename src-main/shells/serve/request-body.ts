import type { IncomingMessage } from 'node:http'
import { fail, ok, type Result } from '../../base/result'
import type { Bytes, Millis } from '../../base/units'
import { withinDepth } from '../../contract/wire'
import type { Timers } from '../../ports/seams/timers'

/** What a body may take. */
export interface BodyLimits {
  readonly bodyMaxBytes: Bytes
  readonly bodyWithinMs: Millis
}

/** Why there is no value in a body. */
export type BodyFault = 'body_too_large' | 'client_body_timeout' | 'not_json' | 'client_left'

/** The value in a JSON body; an empty body is an empty object. */
export async function readJson(
  request: IncomingMessage,
  timers: Timers,
  limits: BodyLimits,
): Promise<Result<unknown, BodyFault>> {
  const read = await readBody(request, timers, limits)
  if (!read.ok) return read
  try {
    const value: unknown = JSON.parse(read.value.toString('utf8') || '{}')
    return withinDepth(value) ? ok(value) : fail('not_json')
  } catch {
    return fail('not_json')
  }
}

function readBody(
  request: IncomingMessage,
  timers: Timers,
  { bodyMaxBytes, bodyWithinMs }: BodyLimits,
): Promise<Result<Buffer, BodyFault>> {
  const parts: Buffer[] = []
  let size = 0
  return new Promise((resolve) => {
    const settle = (result: Result<Buffer, BodyFault>) => {
      late.stop()
      request.off('data', take)
      resolve(result)
    }
    const late = timers.after(bodyWithinMs, () => settle(fail('client_body_timeout')))
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size > bodyMaxBytes) settle(fail('body_too_large'))
      else parts.push(chunk)
    }
    request.on('data', take)
    request.once('end', () => settle(ok(Buffer.concat(parts))))
    request.once('close', () => settle(fail('client_left')))
  })
}
