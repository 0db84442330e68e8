import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { nodeNet } from '../../src-main/adapters/node/net'
import { portHolder, tcpPeers } from '../../src-main/adapters/node/tcp-sockets'
import { eventually } from '../helpers/eventually'
import { chatRequest, exchange, nextReply, rawClient } from '../helpers/raw-client'
import { fleetOf, startRouter, tryRouter } from '../helpers/router-rig'
import { beginStream, contentEvent, doneEvent, finishEvent, startReplica } from '../helpers/scripted-replica'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function takenPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => new Promise((resolve) => server.close(resolve)))
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}

describe('starting', () => {
  test('F41: a port in use is named, with its holder where the system tells; nothing is left listening', async () => {
    const proxyPort = await takenPort()
    const started = await tryRouter({ replicas: [], proxyPort })
    expect(started).toMatchObject({ ok: false, error: { code: 'port_in_use' } })
    const message = started.ok ? '' : started.error.message
    expect(message).toContain(`port ${proxyPort} of 127.0.0.1`)
    if (process.platform === 'linux') expect(message).toContain(`(pid ${process.pid})`)
  })

  test('both loopbacks answer on one port, and only they listen', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }], ipv6: true })
    for (const host of ['127.0.0.1', '::1'])
      for (const port of [rig.proxyPort, rig.routerPort])
        expect(
          (await exchange(port, `GET /health HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`, host)).status,
        ).toBe(200)
  })

  test.each([
    { policy: 'round-robbin', params: {}, code: 'unknown_policy', says: 'did you mean round-robin?' },
    {
      policy: 'consistent-hash',
      params: { virtual_nodes: 5 },
      code: 'bad_params',
      says: 'did you mean num_virtual_nodes?',
    },
  ])('policy $policy with $params: $code', async ({ policy, params, code, says }) => {
    const started = await tryRouter({ replicas: [], policy, params: params as Record<string, number> })
    expect(started).toMatchObject({ ok: false, error: { code, message: expect.stringContaining(says) } })
  })

  test('a router that is started twice refuses the second start; one that is not started has no policy to change', async () => {
    const rig = await startRouter({ replicas: [] })
    const again = await rig.call('router.start', {
      host: '127.0.0.1',
      proxyPort: 0,
      routerPort: 0,
      ipv6: false,
      policy: { id: 'round-robin', params: {} },
      seed: 1,
      sessionKeyHex: '00',
      ingestPath: '/nowhere',
      replicaIdPrefix: 'p#',
      replicas: [],
      dataPlaneKey: null,
    })
    expect(again).toMatchObject({ ok: false, error: { code: 'already_started' } })
    await rig.stop()
    expect(await rig.call('router.policy', { id: 'round-robin', params: {} })).toMatchObject({
      ok: false,
      error: { code: 'not_started' },
    })
  })

  test('it serves the replicas it was started with, with ingest absent', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }], ingest: 'absent' })
    expect((await exchange(rig.proxyPort, chatRequest(rig.proxyPort))).status).toBe(200)
    await rig.inFlight()
    expect(rig.status.at(-1)).toEqual({ inFlight: 0, droppedRecords: 0, ingestLinked: false })
  })

  test('it tells control and ingest how it is', async () => {
    const rig = await startRouter({ replicas: [] })
    await eventually(() => rig.status.at(-1)).toEqual({ inFlight: 0, droppedRecords: 0, ingestLinked: true })
    expect(rig.ingest.hellos).toEqual([
      { pid: process.pid, boot: expect.stringMatching(/^[0-9a-f]{4}$/), inFlight: 0, open: [] },
    ])
  })
})

test('a change of policy or fleet leaves running streams alone', async () => {
  let finish: () => void = () => undefined
  const first = await startReplica((call) => {
    beginStream(call)
    call.chunk(contentEvent('a'))
    finish = () => {
      call.chunk(finishEvent() + doneEvent)
      call.endChunks()
    }
  })
  const second = await startReplica()
  const rig = await startRouter({ replicas: [{ id: 'r1', url: first.url }] })
  await eventually(() => rig.ingest.links).toBe(1)
  const client = rawClient(rig.proxyPort)
  client.send(chatRequest(rig.proxyPort, { body: { stream: true } }))
  await eventually(() => client.received().toString()).toContain('"a"')

  expect(
    (await rig.call('router.policy', { id: 'consistent-hash', params: { num_fallback_replicas: 0 } })).ok,
  ).toBe(true)
  const member = { id: 'r2', model: 'm', url: second.url }
  expect(await rig.call('router.members', { replicas: [member] })).toEqual({ ok: true, value: null })
  rig.ingest.tell(fleetOf(2, [{ id: 'r1', url: first.url }])) // of the time before, and late
  rig.ingest.tell(fleetOf(3, [member]))
  const route = `POST /internal/route HTTP/1.1\r\nHost: 127.0.0.1:${rig.routerPort}\r\nContent-Length: 0\r\n\r\n`
  expect((await exchange(rig.routerPort, route)).text, 'from the answer on').toContain('#r2"')
  await eventually(async () => {
    const asked = await exchange(rig.routerPort, route)
    const { fleetEpoch, pick } = await rig.made(JSON.parse(asked.text).decision)
    return [fleetEpoch, pick]
  }).toEqual([3, 'r2'])
  const other = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
  expect(other.header('x-signalbox-replica')).toBe('r2')
  expect(await rig.inFlight(), 'the old stream still counts').toBe(1)
  finish()
  const reply = await nextReply(client)
  expect(reply.text.endsWith(doneEvent)).toBe(true)
  const made = await rig.made(other.header('x-signalbox-decision'))
  expect(made).toMatchObject({
    policy: { id: 'consistent-hash', params: { num_virtual_nodes: 100, num_fallback_replicas: 0 } },
    fleetEpoch: 3,
  })
  expect(await rig.inFlight()).toBe(0)
  expect(first.calls, 'nothing new went to the removed one').toHaveLength(1)
})

test('replicas that may not be picked get nothing, and the reasons say why', async () => {
  const [first, second] = [await startReplica(), await startReplica()]
  const replicas = [
    { id: 'r1', url: first.url },
    { id: 'r2', url: second.url },
  ]
  const rig = await startRouter({ replicas })
  await eventually(() => rig.ingest.links).toBe(1)
  rig.ingest.tell(
    fleetOf(
      2,
      replicas.map((each) => ({ ...each, excluded: each.id === 'r1' })),
    ),
  )
  const picks = async () =>
    (await exchange(rig.proxyPort, chatRequest(rig.proxyPort))).header('x-signalbox-decision')
  let made = await rig.made(await picks())
  while (made.fleetEpoch !== 2) made = await rig.made(await picks())
  const calls = first.calls.length
  for (let at = 0; at < 5; at++) await picks()
  expect(first.calls).toHaveLength(calls)
  expect(made.reasons).toMatchObject([
    { replicaId: 'r1', verdict: 'skipped', why: 'excluded', rank: null },
    { replicaId: 'r2', verdict: 'picked', why: 'turn', rank: 0 },
  ])
})

describe.runIf(process.platform === 'linux')('what the system tells of sockets', () => {
  test('who listens on a port', async () => {
    expect(portHolder(await takenPort())).toMatch(new RegExp(`^.+ \\(pid ${process.pid}\\)$`))
    expect(portHolder(1)).toBeNull()
  })

  test('whether the other end is still held', async () => {
    let ownPort = 0
    const accepted = new Promise<number>((resolve) => {
      void nodeNet
        .listen({ host: '127.0.0.1', port: 0 }, (socket) => {
          socket.resume()
          socket.on('error', () => undefined)
          resolve(socket.remotePort ?? 0)
          open.push(async () => void socket.destroy())
        })
        .then((listening) => {
          if (!listening.ok) throw new Error(listening.error.message)
          ownPort = listening.value.port ?? 0
          open.push(() => listening.value.close())
          const client = rawClient(ownPort)
          client.socket.once('connect', () => client.socket.end())
          leave = () => client.socket.destroy()
        })
    })
    let leave: () => void = () => undefined
    const peerPort = await accepted
    expect(tcpPeers()?.(peerPort, ownPort)).toBe(true)
    leave()
    await eventually(() => tcpPeers()?.(peerPort, ownPort)).toBe(false)
  })
})
