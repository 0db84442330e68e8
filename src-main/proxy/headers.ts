import { namesIn, type RequestHead } from './head'

/** How a message says where its body ends. */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }

/** Removed from client → replica (security page 7.3), besides the names that `Connection` lists. */
const requestRemoved: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'expect',
  'http2-settings',
  'forwarded',
  'x-real-ip',
  'authorization',
  'host',
  'x-request-id',
])
const requestRemovedPrefixes = ['x-forwarded-', 'x-signalbox-', 'x-serve-router-']

/** Removed from replica → client. */
const replyRemoved: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'trailer',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'alt-svc',
  'strict-transport-security',
])
const replyRemovedPrefixes = ['x-signalbox-']

/** What the proxy sets on a request to a replica. */
export interface RequestSettings {
  /** Authority of the replica. */
  readonly host: string
  readonly requestId: string
  readonly framing: Framing
  /** Set when the client sent none. */
  readonly traceparent: string | null
}

/** Headers of the request to a replica: name, value, name, value; kept ones in their order, case and bytes. */
export function requestHeaders(head: RequestHead, settings: RequestSettings): string[] {
  const out = ['Host', settings.host]
  copyKept(head.raw, out, requestRemoved, requestRemovedPrefixes, head.connectionNames)
  out.push('x-request-id', settings.requestId, 'Via', '1.1 signalbox', 'Connection', 'close')
  if (settings.traceparent !== null) out.push('traceparent', settings.traceparent)
  return frame(out, settings.framing)
}

/** Headers of the reply to a client. `own` are the proxy's, name by name. */
export function replyHeaders(raw: readonly string[], framing: Framing, own: readonly string[]): string[] {
  const out: string[] = []
  const listed: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2)
    if ((raw[at] as string).length === 10 && (raw[at] as string).toLowerCase() === 'connection')
      listed.push(...namesIn(raw[at + 1] as string))
  copyKept(raw, out, replyRemoved, replyRemovedPrefixes, listed)
  for (const part of own) out.push(part)
  return frame(out, framing)
}

/**
 * The one place that writes framing headers: never both, and none that anybody else named. A chunked reply is left to
 * Node's own writer, which knows whether the client speaks HTTP/1.0; a chunked request is said here.
 */
function frame(headers: string[], framing: Framing): string[] {
  if (framing.kind === 'length') headers.push('Content-Length', String(framing.bytes))
  if (framing.kind === 'chunked') headers.push('Transfer-Encoding', 'chunked')
  return headers
}

function copyKept(
  raw: readonly string[],
  out: string[],
  removed: ReadonlySet<string>,
  prefixes: readonly string[],
  listed: readonly string[],
): void {
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string
    const lower = name.toLowerCase()
    if (removed.has(lower) || listed.includes(lower)) continue
    if (lower.charCodeAt(0) === 0x78 && prefixes.some((prefix) => lower.startsWith(prefix))) continue // 'x'
    out.push(name, raw[at + 1] as string)
  }
}

/** A client's request id is kept if it is harmless in a header, a log and a screen. */
export function isPlainId(id: string): boolean {
  if (id.length === 0 || id.length > 128) return false
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at)
    const plain =
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      code === 0x2e ||
      code === 0x5f ||
      code === 0x2d
    if (!plain) return false
  }
  return true
}

/**
 * True when every name is a token and no value holds a control character (RFC 9110 5.5, 5.6.2). Older parsers let a blank
 * before the colon through as part of the name; what is not clean is not passed on in either direction.
 */
export function isCleanList(raw: readonly string[]): boolean {
  for (let at = 0; at + 1 < raw.length; at += 2)
    if (!isToken(raw[at] as string) || !isFieldText(raw[at + 1] as string)) return false
  return true
}

function isToken(name: string): boolean {
  for (let at = 0; at < name.length; at++) if (tokenChars[name.charCodeAt(at)] !== 1) return false
  return name.length > 0
}

/** Text without control characters, in bytes read as Latin-1. */
export function isFieldText(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f || code > 0xff) return false
  }
  return true
}

const tokenChars = new Uint8Array(256)
for (const char of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  tokenChars[char.charCodeAt(0)] = 1
