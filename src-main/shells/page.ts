import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** One file of the page, as both shells hand it out. */
export interface PageFile {
  readonly type: string
  readonly body: Buffer
  /** Built files have their hash in the name and never change. */
  readonly immutable: boolean
}

/** The page's files by URL path. Made once; a request can only name what is in here, so no path is ever joined. */
export type PageTable = ReadonlyMap<string, PageFile>

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/** Reads the built page. @param folder `out/renderer` */
export function readPage(folder: string): PageTable {
  const table = new Map<string, PageFile>()
  const walk = (below: string, url: string) => {
    for (const entry of readdirSync(below, { withFileTypes: true })) {
      const path = join(below, entry.name)
      if (entry.isDirectory()) walk(path, `${url}${entry.name}/`)
      const type = types[extname(entry.name)]
      if (entry.isFile() && type) {
        table.set(`${url}${entry.name}`, { type, body: readFileSync(path), immutable: url === '/assets/' })
      }
    }
  }
  walk(folder, '/')
  const index = table.get('/index.html')
  if (index) table.set('/', index)
  return table
}

/** The word in the built page that each load replaces by its own nonce. */
const nonceMark = '__CSP_NONCE__'

/** A file ready to send: HTML gets a fresh nonce. @param connect what the page may connect to */
export function fileFor(
  file: PageFile,
  nonce: string,
  connect: "'self'" | "'none'",
): { readonly body: Buffer; readonly headers: Record<string, string> } {
  const html = file.type.startsWith('text/html')
  return {
    body: html ? Buffer.from(file.body.toString('utf8').split(nonceMark).join(nonce)) : file.body,
    headers: {
      ...pageHeaders(nonce, connect),
      'content-type': file.type,
      'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-store',
    },
  }
}

/** Security headers of every answer to a page (security page 5.3 and 6.4, decision D26). */
export function pageHeaders(nonce: string, connect: "'self'" | "'none'"): Record<string, string> {
  return {
    'content-security-policy': contentPolicy(nonce, connect),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
}

function contentPolicy(nonce: string, connect: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "worker-src 'self'",
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types signalbox',
  ].join('; ')
}
