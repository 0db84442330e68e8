import type { IncomingMessage } from 'node:http'
import type { RequestHead } from './head'
import { isCleanList } from './headers'
import type { ProxyLimits } from './limits'
import type { RefusalCode } from './refusals'

/**
 * What the parser lets through and we do not (security page 7.2). The parser has already refused doubled and crossed
 * lengths, bad line ends and bad names; what is left here is checked in the order of the table.
 */
export function grammarFault(
  req: IncomingMessage,
  head: RequestHead,
  limits: ProxyLimits,
): RefusalCode | null {
  return (
    versionFault(req) ??
    (head.count > limits.headerMaxCount ? 'too_many_headers' : null) ??
    framingFault(req, head) ??
    (head.hosts === 1 ? null : 'bad_host') ??
    (req.method === 'TRACE' || req.method === 'CONNECT' ? 'method' : null) ??
    targetFault(req.url ?? '', limits.targetMaxBytes) ??
    (head.upgrade ? 'upgrade_refused' : null) ??
    (head.expect === null || head.expect.toLowerCase() === '100-continue' ? null : 'expectation') ??
    (head.contentLength !== null && head.contentLength > limits.bodyMaxBytes ? 'body_too_large' : null)
  )
}

/** True when the request announces a body. */
export const hasBody = ({ contentLength, transferEncodings }: RequestHead): boolean =>
  transferEncodings > 0 || (contentLength !== null && contentLength > 0)

function versionFault({ httpVersion }: IncomingMessage): RefusalCode | null {
  return httpVersion === '1.1' || httpVersion === '1.0' ? null : 'bad_version'
}

function framingFault({ httpVersion }: IncomingMessage, head: RequestHead): RefusalCode | null {
  if (head.lookalike || !isCleanList(head.raw)) return 'bad_framing'
  if (head.transferEncodings === 0) return null
  if (httpVersion === '1.0' || head.transferEncodings > 1 || head.contentLength !== null) return 'bad_framing'
  return head.transferEncoding.trim().toLowerCase() === 'chunked' ? null : 'bad_framing'
}

/** Origin form only: one leading slash, no fragment, no dot segment, no NUL, no bytes beyond ASCII. */
function targetFault(target: string, maxBytes: number): RefusalCode | null {
  if (target.length > maxBytes) return 'target_too_long'
  if (!target.startsWith('/') || target.startsWith('//')) return 'bad_target'
  for (let at = 0; at < target.length; at++) {
    const code = target.charCodeAt(at)
    if (code <= 0x20 || code >= 0x7f || code === 0x23) return 'bad_target'
  }
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  if (!path.includes('.') && !path.includes('%')) return null
  const plain = path.toLowerCase().replaceAll('%2e', '.')
  if (plain.includes('%00')) return 'bad_target'
  return plain.split('/').some((segment) => segment === '.' || segment === '..') ? 'bad_target' : null
}
