import type { ServeReason } from '../domain/routing/outcome'

/** How an answer of our own looks: one row of the security page's table 7.7. */
export interface Refusal {
  readonly status: number
  /** Value of `x-should-retry`. */
  readonly retry: boolean
  /** `Retry-After`, seconds. */
  readonly afterS?: number
  /** What becomes of the client's connection. */
  readonly connection: 'keep' | 'close'
  /** Ray's word for it, where there is one. */
  readonly serveReason?: ServeReason
  /** One sentence for the caller: what happened and what to do; no address, no prompt. */
  readonly message: string
  /** Nothing is said in the body: a page that probes must learn nothing. */
  readonly silent?: true
}

const close = { retry: false, connection: 'close' } as const
const keep = { retry: false, connection: 'keep' } as const
const again = { status: 503, retry: true, connection: 'keep' } as const
const lost = { status: 502, retry: false, connection: 'keep' } as const

/** Every reason for which the proxy answers itself. The key is the code in `x-signalbox-reason` and in the body. */
export const refusals = {
  bad_framing: { ...close, status: 400, message: 'The request is not framed clearly.' },
  bad_version: { ...close, status: 400, message: 'Only HTTP/1.0 and HTTP/1.1 are spoken here.' },
  bad_target: { ...close, status: 400, message: 'The request target must be a plain absolute path.' },
  bad_host: { ...close, status: 400, message: 'A request needs exactly one Host header.' },
  host_not_allowed: { ...close, status: 403, message: '', silent: true },
  origin_not_allowed: { ...close, status: 403, message: '', silent: true },
  auth_required: { ...keep, status: 401, message: 'A valid key is required: Authorization: Bearer KEY.' },
  method: { ...close, status: 405, message: 'This method is not served.' },
  model_not_found: {
    ...keep,
    status: 404,
    message: 'No replica serves this model; GET /v1/models lists what is served.',
  },
  content_type: { ...keep, status: 415, message: 'Send the body as application/json.' },
  expectation: { ...close, status: 417, message: 'Only the expectation 100-continue is understood.' },
  upgrade_refused: { ...close, status: 400, message: 'Connections are not upgraded here.' },
  target_too_long: { ...close, status: 414, message: 'The request target is longer than 8 KiB.' },
  headers_too_large: { ...close, status: 431, message: 'The request headers are too large.' },
  too_many_headers: { ...close, status: 431, message: 'The request has too many headers.' },
  body_too_large: { ...close, status: 413, message: 'The request body is too large.' },
  client_header_timeout: { ...close, status: 408, message: 'The request headers took too long.' },
  client_body_timeout: { ...close, status: 408, message: 'The request body took too long.' },
  no_replica: { ...again, afterS: 2, message: 'No replica is ready; try again shortly.' },
  at_capacity: { ...again, afterS: 1, message: 'Every replica is at capacity; try again shortly.' },
  policy_failed: {
    ...again,
    serveReason: 'router_unreachable',
    message: 'The request router did not answer; the request reached no replica.',
  },
  policy_timeout: {
    ...again,
    serveReason: 'router_unreachable',
    message: 'The request router took too long; the request reached no replica.',
  },
  policy_bad_answer: {
    ...again,
    serveReason: 'unparseable_replica_id',
    message: 'The request router named no replica; the request reached none.',
  },
  policy_refused: {
    ...again,
    serveReason: 'router_non_200',
    message: 'The request router answered with an error; the request reached no replica.',
  },
  unknown_replica: {
    ...again,
    serveReason: 'unknown_replica_id',
    message: 'The request router named a replica that is not known here; the request reached none.',
  },
  connect_failed: {
    ...again,
    afterS: 1,
    message: 'No connection to a replica could be made; nothing was sent.',
  },
  replica_reset: {
    ...lost,
    message: 'The replica closed the connection before it answered; the request may have run.',
  },
  bad_reply: { ...lost, message: "The replica's answer was not valid HTTP; the request may have run." },
  reply_headers_too_large: { ...lost, message: "The replica's answer had too many headers." },
  reply_1xx_flood: { ...lost, message: 'The replica sent too many interim answers.' },
  reply_upgrade: { ...lost, message: 'The replica switched protocols without being asked.' },
  replica_header_timeout: {
    ...lost,
    status: 504,
    message: 'The replica did not answer in time; the request may still run.',
  },
  router_overloaded: {
    ...again,
    connection: 'close',
    afterS: 2,
    message: 'Too many requests are under way here.',
  },
  router_stopping: { ...again, connection: 'close', afterS: 5, message: 'The router is stopping.' },
  internal: { ...close, status: 500, message: 'An error of our own; the request id names it.' },
} as const satisfies Readonly<Record<string, Refusal>>

/** A code of the table. */
export type RefusalCode = keyof typeof refusals

/** Why a stream that had begun did not end well. */
export type BreakReason =
  | 'stream_truncated'
  | 'stream_idle'
  | 'first_event_timeout'
  | 'stream_too_long'
  | 'router_stopping'
  | 'no_terminal_event'
  | 'client_stalled'

const breakMessages: Readonly<Record<BreakReason, string>> = {
  stream_truncated: 'The replica ended the stream before it was complete.',
  stream_idle: 'The replica went silent in the middle of the stream.',
  first_event_timeout: 'The replica sent no event in time.',
  stream_too_long: 'The stream took longer than is allowed.',
  router_stopping: 'The router is stopping; the stream was cut.',
  no_terminal_event: 'The stream ended without its terminal event; the answer may be incomplete.',
  client_stalled: 'The stream was not read for too long.',
}

/** The row of a code. */
export const refusalOf = (code: RefusalCode): Refusal => refusals[code]

/** An OpenAI-shaped error body. */
export function errorBody(code: RefusalCode): string {
  const { status, message, silent } = refusalOf(code)
  return silent ? '' : errorJson(code, message, status)
}

/** The event that tells a client of a broken stream: SDKs throw on it. */
export const breakEvent = (reason: BreakReason): string =>
  `data: ${errorJson(reason, breakMessages[reason], 502)}\n\n`

function errorJson(code: string, message: string, status: number): string {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error'
  return JSON.stringify({ error: { message, type, code, param: null } })
}
