import { connect, type Socket } from 'node:net'
import { afterEach } from 'vitest'
import { dechunk } from './scripted-replica'

/** A reply as it came over the wire. */
export interface RawReply {
  readonly status: number
  readonly head: string
  header(name: string): string | undefined
  /** Values of every header of that name. */
  headers(name: string): string[]
  readonly body: Buffer
  readonly text: string
  /** A chunked reply whose last chunk came, or a body of its full length. */
  readonly whole: boolean
}

/** A client that sends bytes and keeps what comes back. */
export interface RawClient {
  readonly socket: Socket
  send(bytes: string | Buffer): void
  /** Bytes received so far. */
  received(): Buffer
  /** Resolves when the other side has ended or destroyed the connection. */
  readonly closed: Promise<void>
}

const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

/** Connects to a loopback port; the connection is destroyed after the test. */
export function rawClient(port: number, host = '127.0.0.1'): RawClient {
  const socket = connect({ port, host, noDelay: true, allowHalfOpen: true })
  open.push(socket)
  let received = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
  })
  socket.on('error', () => undefined)
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    received: () => received,
    closed: new Promise((resolve) => {
      socket.once('end', () => resolve())
      socket.once('close', () => resolve())
    }),
  }
}

/** Sends bytes on a connection of its own and waits for one whole reply, or the end of the connection. */
export async function exchange(port: number, bytes: string | Buffer, host?: string): Promise<RawReply> {
  const client = rawClient(port, host)
  client.send(bytes)
  const reply = await nextReply(client)
  client.socket.destroy()
  return reply
}

/** Waits for one whole reply, or for the end of the connection. */
export async function nextReply(client: RawClient): Promise<RawReply> {
  let over = false
  void client.closed.then(() => {
    over = true
  })
  for (;;) {
    const reply = parseReply(client.received())
    if (reply && (reply.whole || over)) return reply
    if (over) throw new Error(`the connection closed after ${client.received().length} bytes`)
    await Promise.race([new Promise((resolve) => client.socket.once('data', resolve)), client.closed])
  }
}

/** Parses a reply; null before its head is whole. Interim replies are passed over. */
export function parseReply(bytes: Buffer): RawReply | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.split(' ')[1])
  if (status >= 100 && status < 200) return parseReply(bytes.subarray(end + 4))
  const headers = (name: string) =>
    head
      .split('\r\n')
      .slice(1)
      .filter((line) => line.slice(0, line.indexOf(':')).toLowerCase() === name.toLowerCase())
      .map((line) => line.slice(line.indexOf(':') + 1).trim())
  const header = (name: string) => headers(name)[0]
  const rest = bytes.subarray(end + 4)
  const { body, whole } = bodyOf(rest, header)
  return { status, head, header, headers, body, text: body.toString('utf8'), whole }
}

function bodyOf(
  rest: Buffer,
  header: (name: string) => string | undefined,
): { body: Buffer; whole: boolean } {
  if (header('transfer-encoding') === 'chunked') {
    const all = dechunk(rest)
    return all ? { body: all.bytes, whole: true } : { body: partChunks(rest), whole: false }
  }
  const length = header('content-length')
  if (length === undefined) return { body: rest, whole: false }
  return { body: rest.subarray(0, Number(length)), whole: rest.length >= Number(length) }
}

/** What has come of a chunked body that is not whole. */
function partChunks(rest: Buffer): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const end = rest.indexOf('\r\n', at)
    if (end < 0) return Buffer.concat(parts)
    const size = Number.parseInt(rest.toString('latin1', at, end), 16)
    parts.push(rest.subarray(end + 2, Math.min(end + 2 + size, rest.length)))
    at = end + 2 + size + 2
    if (at > rest.length) return Buffer.concat(parts)
  }
}

/** A chat request in bytes, for a raw client. */
export function chatRequest(
  port: number,
  { headers = '', body = {}, method = 'POST', path = '/v1/chat/completions' } = {},
): string {
  const text = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], ...body })
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n${headers}\r\n${text}`
}
