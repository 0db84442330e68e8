import { createServer, type Server, type Socket } from 'node:net'
import { afterEach } from 'vitest'

/** One request as it came over the wire. */
export interface ScriptedCall {
  readonly line: string
  /** Name and value of each header line, in order. */
  readonly headers: readonly (readonly [string, string])[]
  header(name: string): string | undefined
  readonly body: Buffer
  readonly socket: Socket
  /** Resolves when the connection to the replica is closed, with the time it took to notice nothing else. */
  readonly closed: Promise<void>
  /** Sends text or bytes as they are. */
  send(bytes: string | Buffer): void
  /** Sends one chunk of a chunked body. */
  chunk(text: string): void
  /** Ends a chunked body and the connection. */
  endChunks(): void
}

/** A replica that is nothing but a socket and a script. */
export interface ScriptedReplica {
  readonly port: number
  readonly url: string
  readonly calls: ScriptedCall[]
  /** What the next requests are answered with. */
  script: (call: ScriptedCall) => void
  /** Connections accepted so far. */
  readonly connections: number
  /** Stops listening and destroys every connection. */
  close(): Promise<void>
}

const open: ScriptedReplica[] = []
afterEach(async () => {
  for (const replica of open.splice(0)) await replica.close()
})

/** Opens a scripted replica on a free loopback port; it is closed after the test. */
export async function startReplica(
  script: (call: ScriptedCall) => void = (call) => answerJson(call, { ok: true }),
): Promise<ScriptedReplica> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    readRequests(socket, (call) => {
      replica.calls.push(call)
      replica.script(call)
    })
  })
  const port = await listen(server)
  const replica: ScriptedReplica = {
    port,
    url: `http://127.0.0.1:${port}`,
    calls: [],
    script,
    get connections() {
      return connections
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
  open.push(replica)
  return replica
}

/** A loopback port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(address !== null && typeof address === 'object' ? address.port : 0)
    })
  })
}

function readRequests(socket: Socket, onCall: (call: ScriptedCall) => void): void {
  let bytes = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) return
      const [line = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
      const headers = lines.map((each) => {
        const colon = each.indexOf(':')
        return [each.slice(0, colon), each.slice(colon + 1).trim()] as const
      })
      const header = (name: string) =>
        headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1]
      const body = bodyOf(bytes.subarray(end + 4), header)
      if (!body) return
      bytes = bytes.subarray(end + 4 + body.wireBytes)
      onCall(callOf(socket, line, headers, header, body.bytes))
    }
  })
}

function bodyOf(
  bytes: Buffer,
  header: (name: string) => string | undefined,
): { bytes: Buffer; wireBytes: number } | null {
  if (header('transfer-encoding') !== undefined) return dechunk(bytes)
  const length = Number(header('content-length') ?? 0)
  return bytes.length < length ? null : { bytes: bytes.subarray(0, length), wireBytes: length }
}

/** The body of a chunked message, or null while it is not whole. */
export function dechunk(bytes: Buffer): { bytes: Buffer; wireBytes: number } | null {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return null
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    const next = end + 2 + size + 2
    if (bytes.length < next) return null
    if (size === 0) return { bytes: Buffer.concat(parts), wireBytes: next }
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = next
  }
}

function callOf(
  socket: Socket,
  line: string,
  headers: readonly (readonly [string, string])[],
  header: (name: string) => string | undefined,
  body: Buffer,
): ScriptedCall {
  return {
    line,
    headers,
    header,
    body,
    socket,
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    send: (part) => void socket.write(part),
    chunk: (text) => void socket.write(chunkOf(text)),
    endChunks: () => void socket.end('0\r\n\r\n'),
  }
}

/** One chunk as it stands on the wire. */
export const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Answers with a JSON body of known length. */
export function answerJson(call: ScriptedCall, value: unknown, status = '200 OK', extra = ''): void {
  const body = JSON.stringify(value)
  call.socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${extra}\r\n${body}`,
  )
}

/** Begins an event stream. */
export const beginStream = (call: ScriptedCall, extra = ''): void =>
  call.send(
    `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n${extra}\r\n`,
  )

/** An event with a piece of an answer. */
export const contentEvent = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
/** The event that ends an answer. */
export const finishEvent = (reason = 'stop'): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: reason }] })}\n\n`
/** The event with the usage figures. */
export const usageEvent = (prompt: number, completion: number, cached: number): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, prompt_tokens_details: { cached_tokens: cached } } })}\n\n`
/** The terminal event. */
export const doneEvent = 'data: [DONE]\n\n'

/** Answers with a whole, well-formed stream. */
export function answerStream(call: ScriptedCall, words: readonly string[] = ['one', ' two', ' three']): void {
  beginStream(call)
  for (const word of words) call.chunk(contentEvent(word))
  call.chunk(finishEvent())
  call.chunk(usageEvent(11, words.length, 4))
  call.chunk(doneEvent)
  call.endChunks()
}
