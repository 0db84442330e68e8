import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeRandom } from '../../src-main/adapters/node/random'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import type { PageTable } from '../../src-main/shells/page'
import { type ServeParts, serve } from '../../src-main/shells/serve/server'
import { createSessionLimits } from '../../src-main/shells/serve/session-limits'
import { createTokens } from '../../src-main/shells/serve/tokens'
import { createQuietControl } from './quiet-control'

const page: PageTable = new Map([
  [
    '/',
    {
      type: 'text/html; charset=utf-8',
      body: Buffer.from('<p nonce="__CSP_NONCE__">page</p>'),
      immutable: false,
    },
  ],
  ['/assets/a.js', { type: 'text/javascript; charset=utf-8', body: Buffer.from('1'), immutable: true }],
])

/** The page's server over a control without a cluster, on a port of its own; it ends with the test. */
export async function aPageServer(own: Partial<ServeParts> = {}, port = 0) {
  const quiet = createQuietControl()
  const tokens = createTokens(nodeClock, nodeRandom)
  const said: string[] = []
  const parts: ServeParts = {
    net: nodeNet,
    timers: nodeTimers,
    random: nodeRandom,
    page,
    tokens,
    limits: createSessionLimits(nodeClock),
    control: quiet.control,
    mayOperate: true,
    say: (words) => void said.push(words),
    holderOf: async () => null,
    ...own,
  }
  onTestFinished(() => quiet.control.stop(0))
  const serving = await serve(parts, port)
  onTestFinished(() => serving.close())
  const host = `127.0.0.1:${serving.port}`
  const url = (path: string) => `http://${host}${path}`
  const bearer = { authorization: `Bearer ${tokens.root}` }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url(path), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  return {
    quiet,
    tokens,
    said,
    port: serving.port,
    host,
    url,
    post,
    /** Headers of a script. */
    bearer,
    /** A token as a browser gets it. */
    session: async () =>
      (await (await post('/api/session', { ticket: tokens.ticket() })).json()).token as string,
    /** Sends lines as they are, `$` for the host, and answers all that comes back until the connection ends. */
    raw: (lines: readonly string[]) =>
      exchange(
        serving.port,
        lines.map((line) => line.replace('$', host)),
      ),
    /** A screen as a browser opens it. */
    screen: (headers: Record<string, string> = { origin: `http://${host}` }) =>
      openScreen(`ws://${host}/api/feed`, headers),
  }
}

function exchange(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

/** `next` gives its messages one by one, `closed` its close code, `refused` the status of an upgrade that was refused. */
function openScreen(url: string, headers: Record<string, string>) {
  const socket = new WebSocket(url, { headers })
  const messages: string[] = []
  const waiting: ((text: string) => void)[] = []
  socket.on('message', (data) => {
    const text = data.toString()
    const next = waiting.shift()
    if (next) next(text)
    else messages.push(text)
  })
  socket.on('error', () => {})
  return {
    socket,
    opened: new Promise<void>((resolve) => socket.once('open', () => resolve())),
    closed: new Promise<number>((resolve) => socket.once('close', (code) => resolve(code))),
    refused: new Promise<{ status: number | undefined; headers: Record<string, unknown> }>((resolve) =>
      socket.once('unexpected-response', (_, response) => {
        socket.emit('close', 0)
        resolve({ status: response.statusCode, headers: response.headers })
        response.destroy()
      }),
    ),
    next: () =>
      new Promise<string>((resolve) =>
        messages.length > 0 ? resolve(messages.shift() as string) : waiting.push(resolve),
      ),
  }
}

/** The status of a raw answer. */
export const statusOf = (answer: string) => Number(answer.split(' ')[1])
/** A header of a raw answer. */
export const headerOf = (answer: string, name: string) =>
  new RegExp(`^${name}: (.*)\r`, 'im').exec(answer)?.[1]
/** What a raw answer says in its body. */
export const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4)
/** The head of an upgrade as a browser sends it. */
export const upgradeHead = (key: string) => [
  'GET /api/feed HTTP/1.1',
  'Host: $',
  'Origin: http://$',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${key}`,
]
