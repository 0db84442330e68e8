import type { IncomingMessage, ServerResponse } from 'node:http'
import { type RefusalCode, refusalOf } from '../../proxy/refusals'
import { pageHeaders } from '../page'

/** How the page's server refuses: the status, one sentence on what to do, and what else must be told. */
interface PageRefusal {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
  readonly connection?: 'close'
}

/**
 * Refusals that only this server has, or has other words for. The key is the code in `x-signalbox-reason` and in the body.
 * A code that is not here is a row of the proxy's table: both servers take the same care of what they read.
 */
const own = {
  host_not_allowed: {
    status: 403,
    message: 'This console is not called by that name; open the link that signalbox open prints.',
    connection: 'close',
  },
  origin_not_allowed: {
    status: 403,
    message: 'Only the page of this console and programs with a token may ask here.',
    connection: 'close',
  },
  auth_required: {
    status: 401,
    message:
      'A token is needed: Authorization: Bearer TOKEN. The ready line has one; signalbox open gives a new link.',
    headers: { 'www-authenticate': 'Bearer' },
  },
  content_type: { status: 415, message: 'Send the body as application/json, not compressed.' },
  no_route: {
    status: 404,
    message: 'There is nothing here; the page is at /, calls are POST /api/call/NAME.',
  },
  method: {
    status: 405,
    message: 'This address does not take that method; the header Allow names those that it takes.',
    headers: { allow: 'GET, HEAD, POST' },
  },
  upgrade_required: {
    status: 426,
    message: 'The feed is a WebSocket; scripts use POST /api/call/NAME.',
    headers: { upgrade: 'websocket' },
  },
  client_limit: {
    status: 429,
    message:
      'This session asks too often or has too many screens open: 50 calls a second, 100 at once, 16 screens.',
    headers: { 'retry-after': '1' },
  },
  preauth_limit: {
    status: 503,
    message: 'Too many connections have not shown a token yet; try again in five seconds.',
    headers: { 'retry-after': '5' },
    connection: 'close',
  },
} as const satisfies Readonly<Record<string, PageRefusal>>

/** A code of our own table or of the proxy's. */
export type PageRefusalCode = keyof typeof own | RefusalCode

function rowOf(code: PageRefusalCode): PageRefusal {
  if (code in own) return own[code as keyof typeof own]
  const { status, message, connection } = refusalOf(code as RefusalCode)
  return { status, message, ...(connection === 'close' ? { connection } : {}) }
}

/** A refusal as it is sent: for a response, or written by hand on a socket that wanted an upgrade. */
export function refusalParts(code: PageRefusalCode) {
  const { status, message, headers = {}, connection } = rowOf(code)
  const body = errorJson(code, message)
  return {
    status,
    body,
    headers: {
      'content-type': 'application/json',
      'x-signalbox-reason': code,
      ...headers,
      ...(connection ? { connection } : {}),
    } as Record<string, string>,
  }
}

/** Refuses a request by its row. @param more headers that depend on the request, such as `allow` */
export function refuse(
  response: ServerResponse,
  code: PageRefusalCode,
  more: Readonly<Record<string, string>> = {},
): void {
  const { status, headers, body } = refusalParts(code)
  answer(response, status, { ...headers, ...more }, body)
}

/** Refuses a call with the words of who refused it. */
export function refuseCall(response: ServerResponse, status: number, code: string, message: string): void {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-signalbox-reason': code,
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  }
  answer(response, status, headers, errorJson(code, message))
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, value: unknown): void {
  const headers = { 'content-type': 'application/json', 'x-signalbox-reason': 'ok' }
  answer(response, 200, headers, JSON.stringify(value))
}

/**
 * Answers with the headers that every answer has (security page 6.4). A body that nobody has read ends the connection: to
 * wait for its end would leave the client in charge of how long that takes.
 */
export function answer(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, {
    'cache-control': 'no-store',
    ...pageHeaders('none', "'self'"),
    ...headers,
    ...(hasUnreadBody(response.req) ? { connection: 'close' } : {}),
    'content-length': String(Buffer.byteLength(body)),
  })
  response.end(body)
}

const hasUnreadBody = ({ complete, headers }: IncomingMessage) =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)

const errorJson = (code: string, message: string) => JSON.stringify({ error: { message, code } })
