import type { IncomingMessage } from 'node:http'
import { demoHeader } from '../contract/links'
import { sessionHeader } from '../domain/routing/request'

/**
 * What the proxy needs to know of a request's headers, read in one pass over the raw list, which stays as it came. Names
 * are looked up in a switch, so a header named `__proto__` is only a name. Where a header repeats, the first one is kept
 * and the repeat is counted, if that matters.
 */
export interface RequestHead {
  readonly raw: readonly string[]
  /** Number of header lines. */
  count: number
  hosts: number
  host: string
  origins: number
  origin: string
  fetchSite: string | null
  contentType: string | null
  contentEncoding: string | null
  contentLength: number | null
  transferEncodings: number
  transferEncoding: string
  expect: string | null
  upgrade: boolean
  /** Names that `Connection` lists, lower case, besides `close` and `keep-alive`. */
  connectionNames: string[]
  authorization: string | null
  requestId: string | null
  traceparent: boolean
  demo: boolean
  /** `X-Body-Truncated` of HAProxy's question to a router: `<have>/<full>`. */
  bodyTruncated: string | null
  /** A framing or security name spelled with `_`, which another program could take for the real one. */
  lookalike: boolean
  /** Values of the session header as spelled by default, with `_` for each `-`, and the first of any spelling. */
  sessionDashed: string | null
  sessionUnderscored: string | null
  sessionFirst: string | null
}

/** Names that must not come in a second spelling. */
const guarded: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'content-type',
  'content-encoding',
  'host',
  'connection',
  'authorization',
  'proxy-authorization',
  'proxy-connection',
  'keep-alive',
  'x-request-id',
])

const sessionUnderscored = sessionHeader.replaceAll('-', '_')

/** Reads the headers of a request. */
export function readHead({ rawHeaders }: IncomingMessage): RequestHead {
  const head = emptyHead(rawHeaders)
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    take(head, (rawHeaders[at] as string).toLowerCase(), rawHeaders[at + 1] as string)
  return head
}

/** The session id as HAProxy's Lua takes it: the configured spelling, else the one with `_`; empty counts as none. */
export const sessionAtProxy = ({ sessionDashed, sessionUnderscored }: RequestHead): string | null =>
  (sessionDashed ?? sessionUnderscored) || null

/** The session id as Ray's Python side takes it: the first header of any spelling; empty counts as none. */
export const sessionAtRouter = ({ sessionFirst }: RequestHead): string | null => sessionFirst || null

function emptyHead(raw: readonly string[]): RequestHead {
  return {
    raw,
    count: raw.length / 2,
    hosts: 0,
    host: '',
    origins: 0,
    origin: '',
    fetchSite: null,
    contentType: null,
    contentEncoding: null,
    contentLength: null,
    transferEncodings: 0,
    transferEncoding: '',
    expect: null,
    upgrade: false,
    connectionNames: [],
    authorization: null,
    requestId: null,
    traceparent: false,
    demo: false,
    bodyTruncated: null,
    lookalike: false,
    sessionDashed: null,
    sessionUnderscored: null,
    sessionFirst: null,
  }
}

function take(head: RequestHead, name: string, value: string): void {
  switch (name) {
    case 'host':
      head.hosts++
      head.host = value
      return
    case 'origin':
      head.origins++
      head.origin = value
      return
    case 'sec-fetch-site':
      head.fetchSite = head.fetchSite === null ? value : `${head.fetchSite}, ${value}`
      return
    case 'content-type':
      head.contentType ??= value
      return
    case 'content-encoding':
      head.contentEncoding ??= value
      return
    case 'content-length':
      head.contentLength = Number(value)
      return
    case 'transfer-encoding':
      head.transferEncodings++
      head.transferEncoding = value
      return
    case 'expect':
      head.expect = head.expect === null ? value : `${head.expect}, ${value}`
      return
    case 'upgrade':
      head.upgrade = true
      return
    case 'connection':
      head.connectionNames.push(...namesIn(value))
      return
    case 'authorization':
      head.authorization ??= value
      return
    case 'x-request-id':
      head.requestId ??= value
      return
    case 'traceparent':
      head.traceparent = true
      return
    default:
      takeOther(head, name, value)
  }
}

function takeOther(head: RequestHead, name: string, value: string): void {
  if (name === demoHeader) head.demo = true
  else if (name === 'x-body-truncated') head.bodyTruncated ??= value
  else if (name.includes('_') && guarded.has(name.replaceAll('_', '-'))) head.lookalike = true
  else if (name.length === sessionHeader.length && name.replaceAll('_', '-') === sessionHeader) {
    head.sessionFirst ??= value
    if (name === sessionHeader) head.sessionDashed ??= value
    else if (name === sessionUnderscored) head.sessionUnderscored ??= value
  }
}

/** Header names listed in a `Connection` value; the two plain wishes are not names. */
export function namesIn(connection: string): string[] {
  if (connection === 'keep-alive' || connection === 'close') return []
  return connection
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'keep-alive' && name !== 'close')
}
