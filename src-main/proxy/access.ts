import { timingSafeEqual } from 'node:crypto'
import { isJson, loopbackAuthorities } from '../domain/access'
import type { Digests } from '../ports/seams/digests'
import type { RequestHead } from './head'
import type { RefusalCode } from './refusals'

/**
 * Who may use a listener (security page 6.2, steps 3 to 7; decision D22). On loopback no key is asked, so these checks
 * are what keeps a web page from spending GPU time: a rebound page is stopped by Host, a foreign one by Origin,
 * `Sec-Fetch-Site` and the content type.
 */
export interface Access {
  /** Values of Host that are let in, lower case. */
  readonly hosts: ReadonlySet<string>
  /** The key of the data plane, or null when none is asked. */
  readonly key: string | null
  readonly digests: Digests
}

/** The names by which a loopback listener may be called. */
export const loopbackHosts = (port: number): ReadonlySet<string> => new Set(loopbackAuthorities(port))

/** Why the request may not come in, or null. `typeNeeded`: whether a body's type must be named. */
export function accessFault(
  { hosts, key, digests }: Access,
  method: string,
  head: RequestHead,
  typeNeeded: boolean,
): RefusalCode | null {
  if (!hosts.has(head.host.toLowerCase())) return 'host_not_allowed'
  if (head.origins > 0 && !isOwnOrigin(hosts, head)) return 'origin_not_allowed'
  if (head.fetchSite !== null && head.fetchSite !== 'same-origin' && head.fetchSite !== 'none')
    return 'origin_not_allowed'
  if (method === 'OPTIONS') return 'origin_not_allowed' // a preflight: no cross-origin grant is ever given
  if (method !== 'GET' && method !== 'HEAD' && !typeFits(head.contentType, typeNeeded)) return 'content_type'
  return key === null || keyFits(key, head.authorization, digests) ? null : 'auth_required'
}

const isOwnOrigin = (hosts: ReadonlySet<string>, { origins, origin }: RequestHead) =>
  origins === 1 && origin.startsWith('http://') && hosts.has(origin.slice('http://'.length))

const typeFits = (contentType: string | null, needed: boolean) =>
  contentType === null ? !needed : isJson(contentType)

/** Compares digests of one length, so that time tells nothing of the key. */
function keyFits(key: string, authorization: string | null, digests: Digests): boolean {
  const given = Buffer.from(digests.sha256(authorization ?? ''))
  return timingSafeEqual(given, Buffer.from(digests.sha256(`Bearer ${key}`)))
}
