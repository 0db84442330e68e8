// @vitest-environment node
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import WebSocket, { WebSocketServer } from 'ws'
import { connect } from '../../../src-renderer/bridge/connect'
import { dialDesktop } from '../../../src-renderer/bridge/desktop-line'
import type { Line } from '../../../src-renderer/state/connection'

/** A browser tells a page of a failed socket by its close alone; the library's throws when nobody listens for the error. */
class BrowserSocket extends WebSocket {
  constructor(url: string) {
    super(url)
    this.on('error', () => {})
  }
}

/** As much of a window as the bridge looks at, with a real place on the loopback behind it. */
function aWindow(port: number, hash: string, kept: Record<string, string> = {}) {
  const storage = new Map(Object.entries(kept))
  const addresses: string[] = []
  const loads: string[] = []
  const events = new EventTarget()
  const page = {
    location: {
      hash,
      pathname: '/',
      protocol: 'http:',
      host: `127.0.0.1:${port}`,
      origin: `http://127.0.0.1:${port}`,
      reload: () => loads.push(page.location.hash),
    },
    history: {
      replaceState(_state: unknown, _title: string, url: string) {
        addresses.push(url)
        page.location.hash = url.slice(url.indexOf('#'))
      },
    },
    sessionStorage: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => void storage.set(key, value),
      removeItem: (key: string) => void storage.delete(key),
    },
    fetch: globalThis.fetch,
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
  }
  /** A link is pasted into the open page: only its fragment is another. */
  const paste = (fragment: string) => {
    const oldURL = `${page.location.origin}/${page.location.hash}`
    page.location.hash = fragment
    page.dispatchEvent(Object.assign(new Event('hashchange'), { oldURL }))
  }
  return { page: page as unknown as Window, addresses, storage, loads, paste }
}

describe('a browser’s line', () => {
  let http: Server
  let sockets: WebSocketServer
  let port: number
  let tickets: Map<string, string>
  const hellos: unknown[] = []
  const asked: string[] = []

  beforeEach(async () => {
    vi.stubGlobal('WebSocket', BrowserSocket)
    tickets = new Map([['t1', 'token1']])
    hellos.length = 0
    asked.length = 0
    http = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        const { ticket } = JSON.parse(body)
        const token = tickets.get(ticket)
        tickets.delete(ticket)
        response.writeHead(token ? 200 : 401, { 'content-type': 'application/json' })
        response.end(JSON.stringify(token ? { token } : { error: 'no' }))
      })
    })
    sockets = new WebSocketServer({ server: http, path: '/api/feed' })
    sockets.on('connection', (socket) =>
      socket.once('message', (data) => {
        const hello = JSON.parse(String(data))
        hellos.push(hello)
        if (hello.token !== 'token1') return socket.close(4401, 'auth_required')
        socket.send('{"k":"welcome"}')
        socket.on('message', (frame) => socket.send(String(frame)))
      }),
    )
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    port = (http.address() as AddressInfo).port
  })
  afterEach(async () => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
    await new Promise((resolve) => http.close(resolve))
    vi.unstubAllGlobals()
  })

  const lineOf = async (page: Window): Promise<Line> => {
    const dialled = await connect(page)()
    if (!dialled.ok) throw new Error(dialled.error.why)
    return dialled.value
  }
  const frameFrom = (line: Line) => new Promise((resolve) => line.transport.onFrame(resolve))
  const closeOf = (line: Line) => new Promise<string>((resolve) => line.transport.onClose(resolve))

  test('turns its ticket into a token, once, takes it out of the address and greets with the token', async () => {
    const { page, addresses, storage } = aWindow(port, '#ticket=t1&/decisions?q=a')
    const dial = connect(page)
    expect(addresses).toEqual(['/#/decisions?q=a'])
    const first = await dial()
    const second = await dial()
    expect([first.ok, second.ok]).toEqual([true, true])
    expect(asked.filter((each) => each.startsWith('POST'))).toEqual(['POST /api/session'])
    expect(hellos).toEqual([
      { k: 'hello', token: 'token1' },
      { k: 'hello', token: 'token1' },
    ])
    expect(storage.get('signalbox.token')).toBe('token1')
  })

  test('carries frames both ways; the welcome is none of them', async () => {
    const line = await lineOf(aWindow(port, '#ticket=t1').page)
    const echoed = frameFrom(line)
    expect(line.transport.send({ k: 'note', name: 'a', body: { b: 1 } })).toBe(true)
    expect(await echoed).toEqual({ k: 'note', name: 'a', body: { b: 1 } })
    const closed = closeOf(line)
    line.transport.close()
    expect(await closed).toBe('closed by this side')
    expect(line.transport.send({})).toBe(false)
  })

  test.each([
    [4401, 'unauthorised', 'the session ended'],
    [4403, 'forbidden', 'this session may not do that'],
    [4409, 'replaced', 'the session was opened in another window'],
    [4408, null, 'this page was too slow to keep up'],
    [4503, null, 'Signalbox is stopping'],
  ] as const)('[F86] close code %d: %s', async (code, end, why) => {
    const { page, storage } = aWindow(port, '', { 'signalbox.token': 'token1' })
    const line = await lineOf(page)
    const closed = closeOf(line)
    for (const socket of sockets.clients) socket.close(code)
    expect(await closed).toBe(why)
    expect(line.ended()).toBe(end)
    expect(storage.has('signalbox.token')).toBe(code !== 4401)
  })

  test('a token that is no longer good ends the tries', async () => {
    const { page, storage } = aWindow(port, '', { 'signalbox.token': 'old' })
    expect(await connect(page)()).toMatchObject({ ok: false, error: { end: 'unauthorised' } })
    expect(storage.size).toBe(0)
  })

  test('without ticket and token there is nothing to try', async () => {
    expect(await connect(aWindow(port, '').page)()).toMatchObject({ ok: false, error: { end: 'no-ticket' } })
  })

  test('a ticket that was used is told apart from none', async () => {
    const dialled = await connect(aWindow(port, '#ticket=used').page)()
    expect(dialled).toMatchObject({ ok: false, error: { end: 'used-ticket' } })
  })

  test.each([
    ['#/decisions?q=a', '#ticket=t1', '#ticket=t1&/decisions?q=a', 'comes back to where it was'],
    ['', '#ticket=t1', '#ticket=t1', 'has no place to come back to'],
    ['#/decisions', '#ticket=t1&/replicas', '#ticket=t1&/replicas', 'goes where the link says'],
  ])('from %j a link %j is pasted: loaded anew at %j, since it %s', (from, pasted, at) => {
    const { page, paste, loads } = aWindow(port, from)
    connect(page)
    paste(pasted)
    expect(loads).toEqual([at])
  })

  test('another place in the page is no reason to load it anew', () => {
    const { page, paste, loads } = aWindow(port, '#/decisions')
    connect(page)
    paste('#/replicas')
    expect(loads).toEqual([])
  })

  test('a ticket that was used falls back on the session that this tab has', async () => {
    const { page } = aWindow(port, '#ticket=used', { 'signalbox.token': 'token1' })
    expect((await connect(page)()).ok).toBe(true)
  })

  test('nobody there: it may be tried again', async () => {
    const { page } = aWindow(1, '', { 'signalbox.token': 'token1' })
    expect(await connect(page)()).toMatchObject({ ok: false, error: { end: null } })
  })

  test.each(['#server=ws://127.0.0.1:9', '#/overview?server=ws://127.0.0.1:9&api=http://127.0.0.1:9'])(
    '[SR-028] %s names no other server',
    async (hash) => {
      const { page } = aWindow(port, hash, {
        'signalbox.token': 'token1',
        'signalbox.server': 'ws://127.0.0.1:9',
      })
      expect((await connect(page)()).ok).toBe(true)
      expect(hellos).toHaveLength(1)
    },
  )
})

describe('the desktop’s line', () => {
  const handOver = (page: Window, port: MessagePort, more: { data?: string; source?: unknown } = {}) => {
    const event = Object.assign(new Event('message'), {
      data: more.data ?? 'signalbox:port',
      source: more.source === undefined ? page : more.source,
      ports: [port],
    })
    page.dispatchEvent(event)
  }

  test('asks main for a port and carries frames over it', async () => {
    const { page } = aWindow(0, '')
    const { port1, port2 } = new MessageChannel()
    const dial = dialDesktop(page, { version: 1, open: () => handOver(page, port1) })
    const dialled = await dial()
    if (!dialled.ok) throw new Error(dialled.error.why)
    const { transport } = dialled.value
    const arrived = new Promise((resolve) => transport.onFrame(resolve))
    port2.postMessage({ k: 'note', name: 'feed', body: 1 })
    expect(await arrived).toEqual({ k: 'note', name: 'feed', body: 1 })
    const answered = new Promise((resolve) => (port2.onmessage = ({ data }) => resolve(data)))
    expect(transport.send({ k: 'call', id: 0, name: 'x', params: {} })).toBe(true)
    expect(await answered).toMatchObject({ k: 'call' })
    transport.close()
    expect(transport.send({})).toBe(false)
  })

  test('takes no port from a stranger, and none under another name', async () => {
    const { page } = aWindow(0, '')
    const [stranger, wrong, right] = [new MessageChannel(), new MessageChannel(), new MessageChannel()]
    const dialled = await dialDesktop(page, {
      version: 1,
      open() {
        handOver(page, stranger.port1, { source: null })
        handOver(page, wrong.port1, { data: 'another:port' })
        handOver(page, right.port1)
      },
    })()
    if (!dialled.ok) throw new Error(dialled.error.why)
    const arrived = new Promise((resolve) => dialled.value.transport.onFrame(resolve))
    stranger.port2.postMessage('stranger')
    wrong.port2.postMessage('wrong')
    right.port2.postMessage('right')
    expect(await arrived).toBe('right')
    for (const { port1, port2 } of [stranger, wrong, right]) {
      port1.close()
      port2.close()
    }
  })
})
