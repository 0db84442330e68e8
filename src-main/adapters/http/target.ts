import { fail, ok, type Result } from '../../base/result'
import type { PollError } from '../../ports/fleet-source'

/** Where a read goes: a literal address, so that nothing is resolved anew between the check and the connection. */
export interface Target {
  readonly host: string
  readonly port: number
  /** Path and query. */
  readonly path: string
}

/**
 * Checks an address before anything is opened (security page, SR-077): `http` only, no credentials in it, a literal
 * address or `localhost`, and none of the link-local, metadata, multicast or unspecified ones. The URL parser has
 * turned decimal, octal and hexadecimal spellings into dotted ones by then.
 */
export function targetOf(text: string): Result<Target, PollError> {
  const refused = (why: string) =>
    fail<PollError>({ kind: 'target-refused', message: `${shorten(text)} is not read: ${why}` })
  const url = parse(text)
  if (url === null) return refused('it is not an address')
  if (url.protocol !== 'http:') return refused('only http addresses can be read')
  if (url.username !== '' || url.password !== '') return refused('it carries credentials')
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname.replace(/^\[|\]$/g, '')
  const why = host.includes(':') ? wrongV6(host) : wrongV4(host)
  if (why !== null) return refused(why)
  return ok({ host, port: url.port === '' ? 80 : Number(url.port), path: url.pathname + url.search })
}

function parse(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** Enough to find it again, without what may stand before an `@` or after a `?`. */
const shorten = (text: string) =>
  JSON.stringify(
    text
      .replace(/\/\/[^/]*@/, '//…@')
      .split('?')[0]
      ?.slice(0, 100),
  )

function wrongV4(host: string): string | null {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(host)) return 'it names a host; give the literal address instead'
  const [first, second] = host.split('.').map(Number) as [number, number]
  if (first === 0) return 'the address is unspecified'
  if (first === 169 && second === 254) return 'the address is link-local'
  return first >= 224 ? 'the address is a multicast or reserved one' : null
}

function wrongV6(host: string): string | null {
  if (host === '::') return 'the address is unspecified'
  if (/^fe[89ab]/i.test(host)) return 'the address is link-local'
  if (/^ff/i.test(host)) return 'the address is a multicast one'
  if (/^fd00:ec2::/i.test(host)) return 'the address is a metadata service'
  const embedded = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(host)
  return embedded ? wrongV4(dotted(embedded[1] as string, embedded[2] as string)) : null
}

function dotted(high: string, low: string): string {
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [a >> 8, a & 255, b >> 8, b & 255].join('.')
}
