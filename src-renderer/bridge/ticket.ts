/** Where the session token is kept: separated by port, unlike cookies (security page 6.3). */
const tokenKey = 'signalbox.token'

/** The page's right to talk to its server, or why it has none. */
export type Right =
  | { readonly token: string }
  | { readonly token: null; readonly end: 'no-ticket' | 'used-ticket' }

/** Where the page's right comes from. */
export interface Pass {
  /** Turns the ticket into a token, once; later calls give the token kept. */
  right(): Promise<Right>
  /** The server no longer takes the token. */
  drop(): void
}

/**
 * Takes the one-time ticket out of the address at once, so that it stays in no history and no copied link. The rest of
 * the fragment, a place in the page, stays.
 */
export function takeTicket(page: Window): Pass {
  const match = /^#ticket=([^&]*)&?/.exec(page.location.hash)
  let ticket = match?.[1] ? decodeURIComponent(match[1]) : null
  if (match) {
    const rest = page.location.hash.slice(match[0].length)
    page.history.replaceState(null, '', `${page.location.pathname}${rest ? `#${rest}` : ''}`)
  }
  takeLater(page)
  let refused = false
  return {
    async right() {
      if (ticket) {
        const token = await exchange(page, ticket)
        if (token !== undefined) ticket = null // else the server could not be asked: keep the ticket
        if (token) page.sessionStorage.setItem(tokenKey, token)
        refused = token === null
      }
      const kept = page.sessionStorage.getItem(tokenKey)
      if (kept !== null) return { token: kept }
      return { token: null, end: refused ? 'used-ticket' : 'no-ticket' }
    },
    drop: () => page.sessionStorage.removeItem(tokenKey),
  }
}

/**
 * A link that is pasted into a page that is open changes the fragment alone: the page is loaded anew with the ticket, and
 * comes back to the place where it was, unless the link names one.
 */
function takeLater(page: Window): void {
  page.addEventListener('hashchange', ({ oldURL }) => {
    const pasted = /^#ticket=[^&]*/.exec(page.location.hash)
    if (!pasted) return
    const place = oldURL.split('#')[1] ?? ''
    if (pasted[0] === page.location.hash && place.startsWith('/'))
      page.history.replaceState(null, '', `${page.location.pathname}${pasted[0]}&${place}`)
    page.location.reload()
  })
}

/** A token for the ticket; null when the server refuses it; undefined when the server could not be asked. */
async function exchange(page: Window, ticket: string): Promise<string | null | undefined> {
  try {
    const answer = await page.fetch(new URL('/api/session', page.location.origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket }),
      signal: AbortSignal.timeout(5_000),
    })
    if (answer.status >= 500) return undefined
    if (!answer.ok) return null
    const body: unknown = await answer.json()
    return typeof body === 'object' && body !== null && 'token' in body && typeof body.token === 'string'
      ? body.token
      : null
  } catch {
    return undefined
  }
}
