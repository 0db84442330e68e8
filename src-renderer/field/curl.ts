import type { DecisionRow } from '../../src-main/domain/journal/record'
import { visible } from '../format/visible'
import { words } from '../words/en'

/**
 * A request like the row's, for a shell, against the local proxy. The session id is not kept, only its keyed hash, and
 * neither are body and key: variables stand for them.
 */
export function curlOf(row: DecisionRow, proxyUrl: string): string {
  const { method, path, session } = row
  const streamed = row.outcome?.streamed ?? true
  const body = { model: row.model ?? '$MODEL', messages: [{ role: 'user', content: '…' }], stream: streamed }
  const lines = [
    `# ${visible(row.requestId)}: ${words.decisions.curlComment}`,
    `curl ${streamed ? '-N ' : ''}-i -X ${quoted(method)} ${quoted(proxyUrl + path)}`,
    `-H 'content-type: application/json'`,
    `-H "authorization: Bearer $TOKEN"`,
    ...(session === null ? [] : [`-H "x-session-id: $SESSION_ID"`]),
    `--data ${quoted(JSON.stringify(body))}`,
  ]
  return `${lines[0]}\n${lines.slice(1).join(' \\\n  ')}`
}

/** In single quotes: nothing from data is read by the shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
