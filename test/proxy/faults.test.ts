import { describe, expect, test } from 'vitest'
import type { FaultName } from '../../src-main/domain/journal/record'
import { chatRequest, exchange, rawClient } from '../helpers/raw-client'
import { replicaIdPrefix, startRouter } from '../helpers/router-rig'
import { startReplica } from '../helpers/scripted-replica'

// The four faults of the deciding step: the same cause is seen through the proxy and at the router's own endpoint.
const rows = [
  {
    fault: 'router-down',
    serveReason: 'router_unreachable',
    reason: 'policy_failed',
    endpoint: null,
  },
  {
    fault: 'router-500',
    serveReason: 'router_non_200',
    reason: 'policy_refused',
    endpoint: { status: 500, body: '{"detail":"Internal Server Error"}' },
  },
  {
    fault: 'router-junk',
    serveReason: 'unparseable_replica_id',
    reason: 'policy_bad_answer',
    endpoint: { status: 200, body: null },
  },
  {
    fault: 'router-unknown-replica',
    serveReason: 'unknown_replica_id',
    reason: 'unknown_replica',
    endpoint: { status: 200, body: `"replica_id":"${replicaIdPrefix}no-such-replica"` },
  },
] as const satisfies readonly { fault: FaultName; [key: string]: unknown }[]

/** Ray's HAProxy finds the id by this pattern. */
const quotedId = /"replica_id"\s*:\s*"[^"]*"/
const route = (port: number) =>
  `POST /internal/route HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n`

describe.each(rows)('fault $fault', ({ fault, serveReason, reason, endpoint }) => {
  test('through the proxy: 503 with the word, nothing reaches a replica, the fault goes as it came', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    await rig.fault(fault)
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
    expect(reply.status).toBe(503)
    expect(reply.header('x-serve-reason')).toBe(serveReason)
    expect(reply.header('x-signalbox-reason')).toBe(reason)
    expect(reply.header('x-should-retry')).toBe('true')
    expect(JSON.parse(reply.text)).toEqual({
      error: { message: expect.any(String), type: 'server_error', code: reason, param: null },
    })
    expect(replica.connections).toBe(0)
    const decision = reply.header('x-signalbox-decision')
    expect(await rig.made(decision)).toMatchObject({ pick: null, refusal: null, reasons: [] })
    expect((await rig.ended(decision)).outcome).toMatchObject({
      end: 'refused',
      status: 503,
      reason,
      serveReason,
    })

    const models = await exchange(
      rig.proxyPort,
      chatRequest(rig.proxyPort, { method: 'GET', path: '/v1/models' }),
    )
    expect(models.status, 'only a POST asks the router').toBe(200)

    await rig.fault()
    expect((await exchange(rig.proxyPort, chatRequest(rig.proxyPort))).status).toBe(200)
    expect(await rig.inFlight()).toBe(0)
  })

  test('at the endpoint', async () => {
    const replica = await startReplica()
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    await rig.fault(fault)
    if (endpoint === null) {
      const client = rawClient(rig.routerPort)
      client.send(route(rig.routerPort))
      await client.closed
      expect(client.received()).toHaveLength(0)
      return
    }
    const reply = await exchange(rig.routerPort, route(rig.routerPort))
    expect(reply.status).toBe(endpoint.status)
    if (endpoint.body) expect(reply.text).toContain(endpoint.body)
    else expect(reply.text).not.toMatch(quotedId)
  })
})

test('of several faults the worst one shows', async () => {
  const rig = await startRouter({ replicas: [] })
  await rig.fault('router-unknown-replica', 'router-500')
  const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort))
  expect(reply.header('x-serve-reason')).toBe('router_non_200')
})
