import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventually } from '../helpers/eventually'
import { chatRequest, nextReply, rawClient } from '../helpers/raw-client'
import { startRouter } from '../helpers/router-rig'
import {
  answerJson,
  answerStream,
  beginStream,
  chunkOf,
  contentEvent,
  type ScriptedCall,
  startReplica,
} from '../helpers/scripted-replica'

const streaming = { body: { stream: true } }

/** How long after a client left its replica may still be busy (security page, SR-049); shared cores get slack. */
const freedWithinMs = 100 + 150

describe('F28: a client that leaves', () => {
  const rows: readonly { name: string; script: (call: ScriptedCall) => void; status: number }[] = [
    { name: 'while the replica thinks', script: () => undefined, status: 0 },
    { name: 'after the headers', script: (call) => beginStream(call), status: 200 },
    {
      name: 'in the middle of a stream',
      script: (call) => {
        beginStream(call)
        call.chunk(contentEvent('a'))
      },
      status: 200,
    },
    {
      name: 'inside an event',
      script: (call) => {
        beginStream(call)
        call.chunk('data: {"a"')
      },
      status: 200,
    },
  ]
  for (const how of ['destroy', 'reset'] as const)
    test.each(rows)(`$name (${how}): the replica is free within 100 ms`, async ({ script, status }) => {
      const replica = await startReplica(script)
      const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
      const client = rawClient(rig.proxyPort)
      client.send(chatRequest(rig.proxyPort, streaming))
      await eventually(() => replica.calls.length).toBe(1)
      if (status === 200) await eventually(() => client.received().length).toBeGreaterThan(0)
      const leftMs = performance.now()
      if (how === 'destroy') client.socket.destroy()
      else client.socket.resetAndDestroy()
      await replica.calls[0]?.closed
      expect(performance.now() - leftMs).toBeLessThan(freedWithinMs)
      await eventually(() => rig.ingest.ended[0]?.outcome).toMatchObject({
        end: 'client_left',
        reason: 'client_left',
        status,
      })
      expect(await rig.inFlight()).toBe(0)
    })

  test('while it does not read', async () => {
    const replica = await startReplica((call) => {
      beginStream(call)
      const block = chunkOf(`data: ${'x'.repeat(60_000)}\n\n`)
      for (let at = 0; at < 200; at++) call.send(block)
    })
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const client = rawClient(rig.proxyPort)
    client.socket.pause()
    client.send(chatRequest(rig.proxyPort, streaming))
    await eventually(() => replica.calls[0]?.socket.writableLength ?? 0).toBeGreaterThan(1_000_000)
    client.socket.destroy()
    await replica.calls[0]?.closed
    expect(await rig.inFlight()).toBe(0)
  })

  test('while it still uploads', async () => {
    const replica = await startReplica()
    const rig = await startRouter({
      replicas: [{ id: 'r1', url: replica.url }],
      limits: { prefixMaxBytes: 4 },
    })
    const client = rawClient(rig.proxyPort)
    client.send(`${chatRequest(rig.proxyPort).slice(0, -5)}`)
    await eventually(() => replica.connections).toBe(1)
    client.socket.destroy()
    await eventually(() => rig.ingest.ended[0]?.outcome.end).toBe('client_left')
    expect(await rig.inFlight()).toBe(0)
    expect(replica.calls, 'no whole request').toHaveLength(0)
  })
})

describe.runIf(process.platform === 'linux')('F29: a client that half-closes', () => {
  test('still gets its whole answer', async () => {
    let answer: () => void = () => undefined
    const replica = await startReplica((call) => {
      answer = () => answerStream(call)
    })
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const client = rawClient(rig.proxyPort)
    client.socket.end(chatRequest(rig.proxyPort, streaming))
    await eventually(() => replica.calls.length).toBe(1)
    const seen = rig.status.length
    await eventually(() => rig.status.length).toBeGreaterThan(seen + 5) // several looks at it have passed
    answer()
    const reply = await nextReply(client)
    expect([reply.status, reply.whole, reply.text.endsWith('data: [DONE]\n\n')]).toEqual([200, true, true])
  })

  test('and leaves later: the replica is freed at the next look', async () => {
    const replica = await startReplica(() => undefined)
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const client = rawClient(rig.proxyPort)
    client.socket.end(chatRequest(rig.proxyPort))
    await eventually(() => replica.calls.length).toBe(1)
    expect(await rig.inFlight()).toBe(1)
    client.socket.destroy()
    await replica.calls[0]?.closed
    expect(await rig.inFlight()).toBe(0)
  })
})

test('where the system cannot tell, a half-closed client counts as gone', async () => {
  const replica = await startReplica(() => undefined)
  const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }], seams: { peers: null } })
  const client = rawClient(rig.proxyPort)
  client.send(chatRequest(rig.proxyPort))
  await eventually(() => replica.calls.length).toBe(1)
  client.socket.end()
  await replica.calls[0]?.closed
  expect(await rig.inFlight()).toBe(0)
})

test('whatever clients and replicas do, every count returns to 0 and every decision ends once', async () => {
  const behaviours: readonly ((call: ScriptedCall) => void)[] = [
    (call) => answerStream(call),
    (call) => answerJson(call, { choices: [] }),
    (call) => call.socket.destroy(),
    (call) => call.socket.resetAndDestroy(),
    (call) => {
      beginStream(call)
      call.chunk(contentEvent('a'))
      setTimeout(() => call.socket.destroy(), 3)
    },
    () => undefined,
  ]
  let pickBehaviour = 0
  const replicas = await Promise.all(
    [0, 1, 2].map(() => startReplica((call) => behaviours[pickBehaviour++ % behaviours.length]?.(call))),
  )
  const rig = await startRouter({
    replicas: replicas.map(({ url }, at) => ({ id: `r${at}`, url })),
    limits: { replyHeaderStreamMs: 60 },
  })
  const step = fc.record({ behaviour: fc.nat(5), leaveAfterMs: fc.option(fc.nat(12)), half: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      await Promise.all(
        steps.map(async ({ behaviour, leaveAfterMs, half }) => {
          pickBehaviour = behaviour
          const client = rawClient(rig.proxyPort)
          if (half) client.socket.end(chatRequest(rig.proxyPort, streaming))
          else client.send(chatRequest(rig.proxyPort, streaming))
          if (leaveAfterMs !== null) setTimeout(() => client.socket.destroy(), leaveAfterMs)
          await Promise.race([client.closed, nextReply(client).catch(() => undefined)])
          client.socket.destroy()
        }),
      )
    }),
    { seed: 20260101, numRuns: 15 },
  )
  await eventually(() => rig.inFlight()).toBe(0)
  await eventually(() => rig.ingest.made.length - rig.ingest.ended.length).toBe(0)
  const ids = rig.ingest.ended.map(({ id }) => id)
  expect(new Set(ids).size, 'one end each').toBe(ids.length)
  expect(new Set(ids)).toEqual(new Set(rig.ingest.made.map(({ id }) => id)))
  expect(ids.length).toBeGreaterThan(20)
})
