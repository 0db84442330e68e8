import type { Bytes } from '../base/units'
import { type Exchange, enter } from './exchange'
import { hasBody } from './grammar'
import type { Plane } from './plane'

/** The start of a request's body, as it came; it is forwarded before the rest. */
export interface HeldBody {
  readonly chunks: readonly Buffer[]
  readonly bytes: Bytes
  /** Nothing more will come. */
  readonly complete: boolean
}

/** Reads a body to its end or to the limit of the prefix, then pauses it; never calls back for a client that left. */
export function holdBody(plane: Plane, exchange: Exchange, done: (body: HeldBody) => void): void {
  const { req, head } = exchange
  const { clock, limits } = plane
  if (!hasBody(head)) {
    exchange.bodyComplete = true
    return done({ chunks: [], bytes: 0, complete: true })
  }
  const chunks: Buffer[] = []
  const settle = (complete: boolean) => {
    req.off('data', onData)
    req.off('end', onEnd)
    exchange.bodyComplete = complete
    if (!complete) req.pause()
    if (exchange.phase === 'reading') done({ chunks, bytes: exchange.bytesIn, complete })
  }
  const onEnd = () => settle(true)
  const onData = (chunk: Buffer) => {
    chunks.push(chunk)
    exchange.bytesIn += chunk.length
    exchange.clientMonoMs = clock.monoMs()
    if (exchange.bytesIn >= limits.prefixMaxBytes) settle(false)
  }
  enter(exchange, 'reading', clock.monoMs())
  req.on('data', onData)
  req.on('end', onEnd)
}
