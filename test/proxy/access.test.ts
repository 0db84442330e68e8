import { describe, expect, test } from 'vitest'
import { chatRequest, exchange, rawClient } from '../helpers/raw-client'
import { type RouterRig, startRouter } from '../helpers/router-rig'
import { startReplica } from '../helpers/scripted-replica'

const setUp = async (options: { dataPlaneKey?: string; ipv6?: boolean } = {}) => {
  const replica = await startReplica()
  return { replica, rig: await startRouter({ replicas: [{ id: 'r1', url: replica.url }], ...options }) }
}
const withHost = (rig: RouterRig, host: string) =>
  chatRequest(rig.proxyPort).replace(
    /Host: [^\r]*\r\n/,
    host === '' ? '' : `Host: ${host.replaceAll('PORT', `${rig.proxyPort}`)}\r\n`,
  )

describe('SR-021: the Host header', () => {
  test.each(['127.0.0.1:PORT', 'localhost:PORT', '[::1]:PORT', 'LOCALHOST:PORT'])(
    '%s is let in',
    async (host) => {
      const { rig } = await setUp()
      expect((await exchange(rig.proxyPort, withHost(rig, host))).status).toBe(200)
    },
  )

  const refused = [
    'evil.test:PORT',
    '127.evil.test:PORT',
    'localhost.:PORT',
    'localhost:1',
    'localhost',
    '0.0.0.0:PORT',
    '2130706433:PORT',
    '127.1:PORT',
    '0x7f.1:PORT',
    '[::ffff:127.0.0.1]:PORT',
    '[::]:PORT',
    '127.0.0.1:PORT,127.0.0.1:PORT',
    'user@127.0.0.1:PORT',
    '127.0.0.1:PORT/',
    '１27.0.0.1:PORT',
    ' ',
  ]
  test.each(refused)('%s: 403, silent, closed, nothing reaches a replica', async (host) => {
    const { rig, replica } = await setUp()
    const client = rawClient(rig.proxyPort)
    client.send(withHost(rig, host))
    await client.closed
    const text = client.received().toString()
    expect(text).toMatch(/^HTTP\/1.1 403 /)
    expect(text).toContain('x-signalbox-reason: host_not_allowed')
    expect(text.endsWith('\r\n\r\n'), 'no body').toBe(true)
    expect(replica.connections).toBe(0)
  })

  test.each([
    ['none', ''],
    ['two', '127.0.0.1:PORT\r\nHost: 127.0.0.1:PORT'],
  ])('%s: 400 bad_host', async (_name, host) => {
    const { rig, replica } = await setUp()
    const reply = await exchange(rig.proxyPort, withHost(rig, host))
    expect([reply.status, reply.header('x-signalbox-reason')]).toEqual([400, 'bad_host'])
    expect(replica.connections).toBe(0)
  })
})

describe('SR-022: Origin and Sec-Fetch-Site', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['Origin: http://127.0.0.1:PORT', 200],
    ['Origin: http://localhost:PORT', 200],
    ['Origin: null', 403],
    ['Origin: http://evil.test', 403],
    ['Origin: http://localhost:1', 403],
    ['Origin: https://127.0.0.1:PORT', 403],
    ['Origin: http://127.0.0.1.evil.test:PORT', 403],
    ['Origin: HTTP://127.0.0.1:PORT', 403],
    ['Origin: http://LOCALHOST:PORT', 403],
    ['Origin: http://127.0.0.1:PORT\r\nOrigin: http://127.0.0.1:PORT', 403],
    ['Origin:', 403],
    ['Sec-Fetch-Site: none', 200],
    ['Sec-Fetch-Site: same-origin', 200],
    ['Sec-Fetch-Site: same-site', 403],
    ['Sec-Fetch-Site: cross-site', 403],
    ['Sec-Fetch-Site: none\r\nSec-Fetch-Site: none', 403],
  ]
  test.each(rows)('%s → %i', async (header, status) => {
    const { rig, replica } = await setUp()
    const headers = `${header.replaceAll('PORT', `${rig.proxyPort}`)}\r\n`
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { headers }))
    expect(reply.status).toBe(status)
    if (status === 403)
      expect([reply.header('x-signalbox-reason'), reply.text]).toEqual(['origin_not_allowed', ''])
    expect(replica.connections).toBe(status === 200 ? 1 : 0)
    expect(reply.head.toLowerCase()).not.toContain('access-control-')
  })

  test('a preflight is refused', async () => {
    const { rig } = await setUp()
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { method: 'OPTIONS' }))
    expect(reply.status).toBe(403)
  })
})

describe('SR-024: the type of a body', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['Application/JSON', 200],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/jsonx', 415],
    ['', 415],
  ]
  test.each(rows)('%s → %i', async (type, status) => {
    const { rig, replica } = await setUp()
    const bytes = chatRequest(rig.proxyPort).replace(
      /Content-Type: [^\r]*\r\n/,
      type === '' ? '' : `Content-Type: ${type}\r\n`,
    )
    const reply = await exchange(rig.proxyPort, bytes)
    expect(reply.status).toBe(status)
    if (status === 415) expect(reply.header('x-signalbox-reason')).toBe('content_type')
    expect(replica.connections).toBe(status === 200 ? 1 : 0)
  })
})

describe('the key of the data plane (D22)', () => {
  test("on loopback none is asked; a client's own is accepted and dropped", async () => {
    const { rig, replica } = await setUp()
    const headers = 'Authorization: Bearer sk-anything\r\n'
    expect((await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { headers }))).status).toBe(200)
    expect(replica.calls[0]?.header('authorization')).toBeUndefined()
  })

  test.each([
    ['Authorization: Bearer secret-key\r\n', 200],
    ['Authorization: Bearer secret-kez\r\n', 401],
    ['Authorization: bearer secret-key\r\n', 401],
    ['Authorization: secret-key\r\n', 401],
    ['', 401],
  ])('with a key, %j → %i', async (headers, status) => {
    const { rig, replica } = await setUp({ dataPlaneKey: 'secret-key' })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { headers }))
    expect(reply.status).toBe(status)
    if (status === 401) {
      expect(reply.header('www-authenticate')).toBe('Bearer')
      expect(reply.header('x-signalbox-reason')).toBe('auth_required')
    } else expect(replica.calls[0]?.header('authorization')).toBeUndefined()
  })
})

test("with a key, the router's endpoint asks for it, too", async () => {
  const { rig } = await setUp({ dataPlaneKey: 'secret-key' })
  const route = (headers: string) =>
    exchange(
      rig.routerPort,
      `POST /internal/route HTTP/1.1\r\nHost: 127.0.0.1:${rig.routerPort}\r\nContent-Length: 0\r\n${headers}\r\n`,
    )
  expect((await route('')).status).toBe(401)
  expect((await route('Authorization: Bearer secret-key\r\n')).status).toBe(200)
})

test('the proxy also answers on the IPv6 loopback', async () => {
  const { rig } = await setUp({ ipv6: true })
  expect((await exchange(rig.proxyPort, chatRequest(rig.proxyPort), '::1')).status).toBe(200)
})
