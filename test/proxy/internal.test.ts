import { afterEach, expect, test } from 'vitest'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { createNodeDigests } from '../../src-main/adapters/node/digests'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeRandom } from '../../src-main/adapters/node/random'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import { configure } from '../../src-main/app/router/configuration'
import { createDecider } from '../../src-main/app/router/decide'
import { startingFleet } from '../../src-main/app/router/membership'
import { createDraw } from '../../src-main/base/draw'
import { isCleanList } from '../../src-main/proxy/headers'
import { defaultLimits } from '../../src-main/proxy/limits'
import { createPlanes } from '../../src-main/shells/router-planes'
import { chatRequest, exchange } from '../helpers/raw-client'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

test('a bug of ours costs the request that met it: 500 internal with its id, and the next one is served', async () => {
  const configuration = configure({ id: 'round-robin', params: {} }, createDraw(1))
  if (!configuration.ok) throw new Error(configuration.error.message)
  const bugs: unknown[] = []
  const planes = createPlanes({
    net: nodeNet,
    clock: nodeClock,
    timers: nodeTimers,
    random: nodeRandom,
    digests: createNodeDigests,
    limits: defaultLimits,
    ownHeaders: true,
    portHolder: () => null,
    peers: null,
    onBug: (error) => bugs.push(error),
  })
  const opened = await planes.open(
    {
      host: '127.0.0.1',
      proxyPort: 0,
      routerPort: 0,
      ipv6: false,
      policy: { id: 'round-robin', params: {} },
      seed: 1,
      sessionKeyHex: '00',
      ingestPath: '',
      replicaIdPrefix: 'p#',
      replicas: [],
      dataPlaneKey: null,
    },
    {
      decider: createDecider({
        clock: nodeClock,
        workedMs: nodeClock.monoMs,
        draw: createDraw(1),
        configuration: configuration.value,
        fleet: startingFleet([], 0),
        prefix: 'p#',
      }),
      consult: () => {
        throw new Error('broken on purpose')
      },
      ended: () => undefined,
      nextRequestId: () => 'sb-1',
      faults: () => new Set(),
    },
  )
  if (!opened.ok) throw new Error(opened.error.message)
  open.push(() => planes.close(0))
  const { proxyPort, routerPort } = opened.value
  for (let at = 1; at <= 2; at++) {
    const reply = await exchange(proxyPort, chatRequest(proxyPort))
    expect([reply.status, reply.header('x-signalbox-reason')]).toEqual([500, 'internal'])
    expect(reply.header('x-signalbox-request-id')).toBe('sb-1')
    expect(reply.text).not.toContain('on purpose')
    expect(bugs).toHaveLength(at)
  }
  const route = `POST /internal/route HTTP/1.1\r\nHost: 127.0.0.1:${routerPort}\r\nContent-Length: 0\r\n\r\n`
  const answer = await exchange(routerPort, route)
  expect([answer.status, answer.text]).toEqual([500, '{"detail":"Internal Server Error"}'])
})

test('a list of headers is clean only if every name is a token and no value holds a control character', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['X-A', 'plain \t \xff', true],
    ['x!#$%&*+-.^_`|~', '', true],
    ['X-A ', 'b', false],
    ['', 'b', false],
    ['X:A', 'b', false],
    ['X-\xe9', 'b', false],
    ['X-A', 'b\r\nX-B: c', false],
    ['X-A', 'b\0', false],
    ['X-A', 'b\x7f', false],
    ['X-A', '한', false],
  ]
  for (const [name, value, clean] of rows)
    expect([name, value, isCleanList([name, value])]).toEqual([name, value, clean])
})
