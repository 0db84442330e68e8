import { protocol, type Session } from 'electron'
import type { Random } from '../../ports/seams/random'
import { fileFor, type PageTable } from '../page'
import { pageOrigin } from './trusted-sender'

/** Must run before the app is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/** Serves the page's files from the table; everything else is not found. */
export function servePage(session: Session, page: PageTable, random: Random): void {
  session.protocol.handle('app', (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return new Response(null, { status: 405 })
    const path = request.url.startsWith(`${pageOrigin}/`)
      ? request.url.slice(pageOrigin.length).split(/[?#]/, 1)[0]
      : undefined
    const file = path === undefined ? undefined : page.get(path)
    if (!file) return new Response(null, { status: 404 })
    const { body, headers } = fileFor(file, random.hex(16), "'none'")
    return new Response(new Uint8Array(body), { status: 200, headers })
  })
}
