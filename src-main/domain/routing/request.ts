import type { Bytes, Tokens } from '../../base/units'

/** Header that carries the session id (Ray Serve's default name). */
export const sessionHeader = 'x-session-id'

/**
 * What a policy sees of a request. `sessionText` is the header's text as the parser gave it (bytes as Latin-1); it stays
 * in the router's memory. Whatever leaves the router carries the keyed hash instead.
 */
export interface RouteRequest {
  /** Internal request id: the routing key when there is no session id (Ray's rule). */
  readonly id: string
  readonly model: string | null
  /** Null when the header is absent or empty. */
  readonly sessionText: string | null
  /** An estimate from bytes (decision D27); null when no body was read. */
  readonly promptTokens: Tokens | null
  /** Bytes of the body that were read, and of the whole body, when only a part was seen. */
  readonly truncated: { readonly have: Bytes; readonly full: Bytes } | null
}
