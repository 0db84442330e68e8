import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { Health } from '../../src-main/app/control/health'
import { routerNotes } from '../../src-main/app/control/links-in'
import { fail, ok } from '../../src-main/base/result'
import type { ClusterBody } from '../../src-main/domain/journal/record'
import { startConsole } from '../helpers/in-process'
import { createManualClock } from '../helpers/manual-clock'
import { until } from '../helpers/until'

/** Real sockets on a busy machine take their time. */
const withinMs = 20_000

const started: ReturnType<typeof startConsole>[] = []
async function aConsole(...args: Parameters<typeof startConsole>) {
  const console = startConsole(...args)
  started.push(console)
  const ready = await console.control.ready
  if (!ready.ok) throw new Error(ready.error.message)
  const { call } = console
  const status = async () => {
    const report = await call('status.read', {})
    return report.ok ? report.value : expect.fail(report.error.message)
  }
  const story = async (): Promise<ClusterBody[]> => {
    const records = await call('timeline.read', { fromWallMs: 0, toWallMs: Date.now() + 1_000 })
    return records.ok ? records.value.map(({ body }) => body) : []
  }
  const told = (want: Partial<ClusterBody>) =>
    until(`a record like ${JSON.stringify(want)}`, async () =>
      (await story()).some((body) =>
        Object.entries(want).every(([key, value]) => (body as never)[key] === value),
      ),
    )
  const ask = (session = 'a', more: Readonly<Record<string, unknown>> = { max_tokens: 5 }) =>
    fetch(`${ready.value.proxyUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': session },
      body: JSON.stringify({
        model: 'demo-8b',
        messages: [{ role: 'user', content: 'hello' }],
        ...more,
      }),
    })
  return { ...console, ready: ready.value, status, story, told, ask }
}
const isOff = (body: ClusterBody) => body.kind === 'fault.turned' && body.to === 'off'
afterEach(async () => {
  for (const console of started.splice(0)) await console.stop()
})

test('two consoles live in one process and do not hear of each other', { timeout: withinMs }, async () => {
  const [one, two] = [await aConsole(), await aConsole({ replicas: 2 })]
  expect([one.ready.replicas.length, two.ready.replicas.length]).toEqual([3, 2])
  expect((await one.ask()).status).toBe(200)
  const lasts = await Promise.all([one, two].map(({ call }) => call('decisions.last', { last: 10 })))
  await until('the decision of the first', async () => {
    const last = await one.call('decisions.last', { last: 10 })
    return last.ok && last.value.rows.length === 1
  })
  expect(lasts[1]).toMatchObject({ ok: true, value: { rows: [] } })
})

describe('an action', () => {
  test('is audited before and after, and told in the story with its actor', {
    timeout: withinMs,
  }, async () => {
    const { call, audited, told, status } = await aConsole()
    expect(await call('fleet.scale', { replicas: 4 })).toEqual(
      ok({ from: 3, to: 4, added: ['r4'], removed: [] }),
    )
    expect(audited).toEqual(['intent fleet.scale', 'outcome fleet.scale done'])
    await told({ kind: 'fleet.scaled', from: 3, to: 4, cause: 'operator' } as never)
    await until('r4 ready', async () => (await status()).fleet?.replicas.length === 4)
  })
  test('F70 does not begin when its intent cannot be written', { timeout: withinMs }, async () => {
    const refusal = fail({ code: 'audit_unavailable', message: 'the disk is full' })
    const { call, ready, status } = await aConsole({}, () => refusal)
    expect(await call('fleet.scale', { replicas: 5 })).toEqual(refusal)
    expect(await call('faults.set', { name: 'router-down', replicaId: null, forMs: null })).toEqual(refusal)
    expect((await status()).health.faults).toEqual([])
    expect(ready.replicas).toHaveLength(3)
  })
  test('of somebody who may only look is refused', { timeout: withinMs }, async () => {
    const { connect, audited } = await aConsole()
    const { call } = connect({ actor: 'browser', mayOperate: false })
    expect(await call('fleet.scale', { replicas: 5 })).toMatchObject({ error: { code: 'read_only' } })
    expect(await call('status.read', {})).toMatchObject({ ok: true })
    expect(audited).toEqual([])
  })
  test('under --read-only is refused to everybody', { timeout: withinMs }, async () => {
    const { call } = await aConsole({ readOnly: true })
    expect(await call('traffic.set', { running: true, ratePerSecond: 1 })).toMatchObject({
      error: { code: 'read_only' },
    })
  })
})

describe('a policy', () => {
  test('is changed hot, remembered, and told', { timeout: withinMs }, async () => {
    const { call, remembered, told, status } = await aConsole()
    expect(await call('policy.set', { id: 'round-robin', params: {} })).toEqual(ok(null))
    expect((await status()).health.policy).toEqual({ id: 'round-robin', params: {} })
    expect(remembered).toEqual([{ policy: { id: 'round-robin', params: {} }, ratePerSecond: 5 }])
    await told({ kind: 'policy.changed' })
  })
  test.each([
    [{ id: 'round-robbin', params: {} }, 'no_such_policy', 'did you mean round-robin?'],
    [
      { id: 'consistent-hash', params: { virtual_nodes: 5 } },
      'bad_params',
      'did you mean num_virtual_nodes?',
    ],
    [{ id: 'consistent-hash', params: { num_virtual_nodes: 0 } }, 'bad_params', 'must be at least 1'],
    [{ id: 'consistent-hash', params: { num_virtual_nodes: true } }, 'bad_params', 'must be a number'],
    [{ id: 'round-robin', params: { seed: 1 } }, 'bad_params', 'has no parameters'],
  ] as const)(
    '%j is refused with the way out, and changes nothing',
    { timeout: withinMs },
    async (params, code, words) => {
      const { call, status, remembered } = await aConsole()
      expect(await call('policy.set', params)).toMatchObject({
        error: { code, message: expect.stringContaining(words) },
      })
      expect([(await status()).health.policy.id, remembered]).toEqual(['consistent-hash', []])
    },
  )
})

describe('a fault', () => {
  test('of the router takes the place of the one before, and its clearing is told', {
    timeout: withinMs,
  }, async () => {
    const { call, status, ask, told } = await aConsole()
    await call('faults.set', { name: 'router-down', replicaId: null, forMs: null })
    await call('faults.set', { name: 'router-junk', replicaId: null, forMs: null })
    expect((await status()).health.faults.map(({ name }) => name)).toEqual(['router-junk'])
    expect((await ask()).headers.get('x-serve-reason')).toBe('unparseable_replica_id')
    expect(await call('faults.clear', {})).toEqual(ok({ cleared: 1 }))
    expect((await ask()).status).toBe(200)
    await told({ kind: 'fault.turned', fault: 'router-down', to: 'off' })
    await told({ kind: 'fault.turned', fault: 'router-junk', to: 'off' })
  })
  test('with a time limit ends by itself', { timeout: withinMs }, async () => {
    const { call, status } = await aConsole()
    await call('faults.set', { name: 'router-500', replicaId: null, forMs: 150 })
    await until('no fault', async () => (await status()).health.faults.length === 0)
  })
  test('that kills a replica ends with a fresh one under a new id', { timeout: withinMs }, async () => {
    const { call, status } = await aConsole()
    const set = await call('faults.set', { name: 'replica-kill', replicaId: 'r2', forMs: null })
    expect(set).toMatchObject({ ok: true, value: { replicaId: 'r2' } })
    const again = await call('faults.set', { name: 'replica-kill', replicaId: 'r2', forMs: null })
    expect(again).toMatchObject({
      error: { code: 'no_such_replica', message: expect.stringContaining('r1, r3') },
    })
    await call('faults.clear', {})
    const ids = async () => (await status()).fleet?.replicas.map(({ replica }) => replica.id)
    await until('r1, r3 and r4', async () => (await ids())?.join() === 'r1,r3,r4')
  })
  test('of two killed replicas each ends by itself', { timeout: withinMs }, async () => {
    const { call, status } = await aConsole()
    await call('faults.set', { name: 'replica-kill', replicaId: 'r1', forMs: 100 })
    await call('faults.set', { name: 'replica-kill', replicaId: 'r2', forMs: null })
    const left = async () => (await status()).health.faults.map(({ replicaId }) => replicaId).join()
    await until('only r2 killed', async () => (await left()) === 'r2')
    const ids = async () => (await status()).fleet?.replicas.map(({ replica }) => replica.id).join()
    await until('r4 in the place of r1', async () => (await ids()) === 'r2,r3,r4')
  })
  test('of the router on a replica is refused', { timeout: withinMs }, async () => {
    const { call } = await aConsole()
    expect(await call('faults.set', { name: 'router-down', replicaId: 'r1', forMs: null })).toMatchObject({
      error: { code: 'bad_params' },
    })
  })
})

describe('what happens at the same time', () => {
  test('a fault that two clear at once ends once', { timeout: withinMs }, async () => {
    const { call, connect, story } = await aConsole()
    await call('faults.set', { name: 'replica-kill', replicaId: 'r1', forMs: null })
    const other = connect({ actor: 'browser', mayOperate: true })
    const cleared = await Promise.all([call('faults.clear', {}), other.call('faults.clear', {})])
    expect(cleared).toEqual([ok({ cleared: 1 }), ok({ cleared: 0 })])
    await until('its end told', async () => (await story()).some(isOff))
    expect((await story()).filter(isOff)).toHaveLength(1)
  })
  test('a kill whose replica scale has replaced is over: clearing adds no other one', {
    timeout: withinMs,
  }, async () => {
    const { call, status, told } = await aConsole()
    await call('faults.set', { name: 'replica-kill', replicaId: 'r1', forMs: null })
    expect(await call('fleet.scale', { replicas: 3 })).toMatchObject({
      value: { from: 3, to: 3, added: ['r4'], removed: ['r1'] },
    })
    expect((await status()).health.faults).toEqual([])
    await told({ kind: 'fault.turned', fault: 'replica-kill', to: 'off' })
    expect(await call('faults.clear', {})).toEqual(ok({ cleared: 0 }))
    const ids = async () => (await status()).fleet?.replicas.map(({ replica }) => replica.id).join()
    await until('r2, r3 and r4 alone', async () => (await ids()) === 'r2,r3,r4')
  })
  test('scaling down while requests run breaks none of them', { timeout: withinMs }, async () => {
    const { call, ask } = await aConsole({ replicas: 6, speed: 4 })
    const sessions = Array.from({ length: 24 }, (_, index) => `s${index}`)
    let scaled = false
    const keepAsking = async (session: string) => {
      const statuses = []
      do statuses.push((await ask(session)).status)
      while (!scaled)
      return [...statuses, (await ask(session)).status]
    }
    const asking = Promise.all(sessions.map(keepAsking))
    expect(await call('fleet.scale', { replicas: 2 })).toMatchObject({
      value: { removed: expect.any(Array) },
    })
    scaled = true
    expect([...new Set((await asking).flat())]).toEqual([200])
  })
  test('streams that run at replicas that are scaled away end whole', { timeout: withinMs }, async () => {
    const { call, ask } = await aConsole({ replicas: 4, speed: 4 })
    const stream = async (session: string) => {
      const response = await ask(session, { max_tokens: 300, ignore_eos: true, stream: true })
      return { replica: response.headers.get('x-signalbox-replica'), text: response.text() }
    }
    const streams = await Promise.all(Array.from({ length: 16 }, (_, index) => stream(`s${index}`)))
    expect(new Set(streams.map(({ replica }) => replica)).size).toBe(4)
    await call('fleet.scale', { replicas: 1 })
    for (const { text } of streams) expect((await text).trimEnd().endsWith('data: [DONE]')).toBe(true)
  })
})

test.each([
  [0, true],
  [23 * 3_600_000, true],
  [25 * 3_600_000, false],
])('a note that lies %i ms ahead of now is taken: %s', { timeout: withinMs }, async (aheadMs, taken) => {
  const { call } = await aConsole({ replicas: 1 })
  expect((await call('notes.add', { text: 'a note', atWallMs: Date.now() + aheadMs })).ok).toBe(taken)
})

test('records that do not arrive are told after three seconds, and it is told when they do again', () => {
  const clock = createManualClock()
  const health = { standing: new Map(), droppedRecords: 0 } as never as Health
  let recording = true
  const note = routerNotes(health, clock, () => recording)['router.status']
  const told = (ingestLinked: boolean) => {
    note({ inFlight: 0, droppedRecords: 7, ingestLinked })
    return health.standing.get('unrecorded')?.text
  }
  expect([told(true), told(false), told(false)]).toEqual([undefined, undefined, undefined])
  expect(told(false)).toMatch(/Decisions are not recorded: .*7 records lost so far/)
  expect(told(true)).toBe(undefined)
  recording = false // ingest is known to be away: that is a banner of its own
  expect([told(false), told(false), told(false), told(false)]).toEqual(Array(4).fill(undefined))
})

describe('a process that ends', () => {
  test('router: back on the same ports with policy and faults in force', { timeout: withinMs }, async () => {
    const { call, end, ready, status, ask } = await aConsole()
    await call('policy.set', { id: 'round-robin', params: {} })
    await call('faults.set', { name: 'router-500', replicaId: null, forMs: null })
    await end('router', 'signal SIGKILL')
    await until('the router up', async () => {
      const router = (await status()).health.processes.find(({ role }) => role === 'router')
      return router?.state === 'up' && router.restarts === 1
    })
    const { health } = await status()
    expect([health.proxyUrl, health.policy.id]).toEqual([ready.proxyUrl, 'round-robin'])
    await until(
      'the fault again',
      async () => (await ask()).headers.get('x-serve-reason') === 'router_non_200',
    )
    expect(health.banners[0]?.text).toMatch(/^The router process ended \(signal SIGKILL\) and was restarted/)
  })
  test('router: tries again and says why while its port is taken, and is back when it is free', {
    timeout: withinMs,
  }, async () => {
    const { end, ready, status, ask } = await aConsole()
    const squatter = createServer()
    const port = Number(new URL(ready.proxyUrl).port)
    await end('router', 'signal SIGKILL', () => once(squatter.listen(port, '127.0.0.1'), 'listening'))
    const said = async () => (await status()).health.banners.map(({ text }) => text).join()
    await until('the reason', async () =>
      /router process cannot begin its work: port \d+ of 127.0.0.1 is held by/.test(await said()),
    )
    squatter.close()
    await until('served again', async () => (await ask().catch(() => null))?.status === 200)
    expect(await said()).not.toContain('cannot begin')
  })
  test('ingest left down: scaling still reaches the router', { timeout: withinMs }, async () => {
    const { call, end, ask, status } = await aConsole({ replicas: 1 })
    for (let time = 0; time < 5; time++) {
      await end('ingest', 'exit 1')
      await until('ended or started', async () =>
        (await status()).health.processes.some(
          ({ role, state }) => role === 'ingest' && state !== 'restarting',
        ),
      )
    }
    const last = await call('decisions.last', { last: 1 })
    expect(last).toMatchObject({
      error: { code: 'process_down', message: expect.stringContaining('left down') },
    })
    await call('fleet.scale', { replicas: 4 })
    const used = new Set<string | null>()
    await until('four replicas used', async () => {
      used.add((await ask(`s${used.size}${Math.random()}`)).headers.get('x-signalbox-replica'))
      return used.size === 4
    })
  })
  test('ingest: requests go on, and it knows the fleet again', { timeout: withinMs }, async () => {
    const { end, status, ask, call } = await aConsole()
    await end('ingest', 'exit 1')
    expect((await ask()).status).toBe(200)
    await until('three replicas again', async () => (await status()).fleet?.replicas.length === 3)
    await until('a decision again', async () => {
      await (await ask()).text()
      const last = await call('decisions.last', { last: 1 })
      return last.ok && last.value.rows.length === 1
    })
  })
  test('fleet: as many replicas as before, under new ids', { timeout: withinMs }, async () => {
    const { end, status, ask } = await aConsole()
    await end('fleet', 'exit 1')
    const ids = async () => (await status()).fleet?.replicas.map(({ replica }) => replica.id).join()
    await until('r4, r5 and r6', async () => (await ids()) === 'r4,r5,r6')
    await until('requests served', async () => (await ask()).status === 200)
  })
  test('traffic: goes on at the rate that was set', { timeout: withinMs }, async () => {
    const { call, end, status } = await aConsole()
    await call('traffic.set', { running: true, ratePerSecond: 40 })
    await until('some sent', async () => (await status()).health.traffic.sent > 5)
    await end('traffic', 'exit 1')
    await until('traffic up', async () =>
      (await status()).health.processes.some(
        ({ role, restarts, state }) => role === 'traffic' && restarts === 1 && state === 'up',
      ),
    )
    const before = (await status()).summary?.lastRequestWallMs ?? 0
    await until(
      'more requests',
      async () => ((await status()).summary?.lastRequestWallMs ?? 0) > before + 500,
    )
    expect((await status()).health.traffic).toMatchObject({ running: true, ratePerSecond: 40 })
  })
})
