/**
 * Who may talk to a listener: rules on the headers that a browser sets and a page cannot forge (security page 6.2). A
 * rebound name is stopped by `Host`, a page of another origin by `Origin` or `Sec-Fetch-Site`. Plain string comparison on
 * purpose: no parsing, no resolving, no patterns.
 */

/** Why a request was turned away; also the value of `x-signalbox-reason`. */
export type AccessRefusal = 'host_not_allowed' | 'origin_not_allowed' | 'content_type'

/** The header values that the rules look at; undefined when the header is absent. */
export interface AccessHeaders {
  /** All `Host` lines; exactly one is right. */
  readonly hosts: readonly string[]
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
  readonly contentType: string | undefined
}

/** The `host:port` texts under which a loopback listener may be addressed. */
export function loopbackAuthorities(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `[::1]:${port}`, `localhost:${port}`]
}

/**
 * Null when the request may pass. @param authorities the exact `host:port` texts that are ours
 * @param changesState a method that may change something must carry JSON, which a cross-site form cannot send
 */
export function checkAccess(
  headers: AccessHeaders,
  authorities: readonly string[],
  changesState: boolean,
): AccessRefusal | null {
  const host = headers.hosts.length === 1 ? headers.hosts[0]?.toLowerCase() : undefined
  if (host === undefined || !authorities.includes(host)) return 'host_not_allowed'
  if (
    headers.origin !== undefined &&
    headers.origin !== `http://${host}` &&
    headers.origin !== `https://${host}`
  ) {
    return 'origin_not_allowed'
  }
  if (
    headers.fetchSite !== undefined &&
    headers.fetchSite !== 'same-origin' &&
    headers.fetchSite !== 'none'
  ) {
    return 'origin_not_allowed'
  }
  if (changesState && !isJson(headers.contentType)) return 'content_type'
  return null
}

/** True for `application/json`, with or without parameters. */
export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}
