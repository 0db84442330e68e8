import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { present } from '../../src-main/base/assert'
import type { fleetLink } from '../../src-main/contract/links'
import { createTransportPair } from '../../src-main/contract/memory-transport'
import { createPeer, type ParamsOf } from '../../src-main/contract/peer'
import type { Replica } from '../../src-main/domain/fleet/replica'
import { composeFleet, type FleetProcess } from '../../src-main/shells/fleet-process'
import { ask, realSeams } from '../helpers/simulated-replica'
import { until } from '../helpers/until'

vi.setConfig({ testTimeout: 20_000 }) // real sockets on a machine that may be busy

const open: FleetProcess[] = []
afterEach(async () => {
  for (const fleet of open.splice(0)) await fleet.close()
})

type Start = ParamsOf<(typeof fleetLink)['fleet.start']>
const start: Start = {
  replicas: 3,
  seed: 1,
  speed: 100,
  model: 'demo-8b',
  profile: 'llama-3.1-8b_h100',
  host: '127.0.0.1',
}

/** Real timers, but the two seconds for which a draining replica takes new requests are a quarter of one. */
const quickGrace = {
  every: realSeams.timers.every,
  after: (ms: number, job: () => void) => realSeams.timers.after(ms === 2_000 ? 250 : ms, job),
}

/** A fleet over a link, and control's end of it. */
function compose() {
  const [ours, theirs] = createTransportPair()
  const fleet = composeFleet(theirs, { ...realSeams, timers: quickGrace })
  open.push(fleet)
  const { call } = createPeer<
    Record<string, never>,
    typeof fleetLink,
    Record<string, never>,
    Record<string, never>
  >(ours, {
    serves: {},
    handlers: {},
  })
  return { fleet, call }
}
async function started(more: Partial<Start> = {}) {
  const { fleet, call } = compose()
  const reply = await call('fleet.start', { ...start, ...more })
  if (!reply.ok) throw new Error(reply.error.message)
  return { fleet, call, replicas: reply.value.replicas }
}
const ids = (replicas: readonly Replica[]) => replicas.map(({ id }) => id)
/** Opens a stream; its text fails when it is cut. Not by `fetch`, which takes a cut for the end when it may not reuse. */
const chat = (url: string, tokensMax = 10_000) =>
  new Promise<{ status: number; text(): Promise<string> }>((resolve, reject) => {
    const sent = request(
      `${url}/v1/chat/completions`,
      { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } },
      (reply) => resolve({ status: reply.statusCode ?? 0, text: () => text(reply) }),
    )
    sent.on('error', reject)
    sent.end(
      JSON.stringify({
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
        max_tokens: tokensMax,
      }),
    )
  })
const status = (url: string) => ask(`${url}/health`).then((reply) => reply.status)
const refused = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.once('error', () => resolve(true))
  })

describe('starting', () => {
  test('every replica is a server of its own, healthy and of the model', async () => {
    const { replicas } = await started()
    expect(ids(replicas)).toEqual(['r1', 'r2', 'r3'])
    expect(new Set(replicas.map(({ url }) => url)).size).toBe(3)
    for (const { url, model } of replicas) {
      expect([model, await status(url)]).toEqual(['demo-8b', 200])
      const models = (await (await ask(`${url}/v1/models`)).json()) as { data: { max_model_len: number }[] }
      expect(models.data[0]?.max_model_len).toBe(24_576)
    }
  })

  test('a fleet that comes again starts with other numbers, and with the size of cache that it is told', async () => {
    const { replicas } = await started({ firstNumber: 12, replicas: 2, kvTokens: 4_096 })
    expect(ids(replicas)).toEqual(['r12', 'r13'])
    const models = (await (await ask(`${replicas[0]?.url}/v1/models`)).json()) as {
      data: { max_model_len: number }[]
    }
    expect(models.data[0]?.max_model_len).toBe(4_096)
  })

  test.each([
    ['another profile', { profile: 'abacus' }, 'replica_failed', /no profile named abacus; there are: llama/],
    [
      'an address that is not ours',
      { host: '203.0.113.7' },
      'replica_failed',
      /replica r1 cannot listen on 203.0.113.7/,
    ],
    ['no replicas', { replicas: 0 }, 'bad_params', /replicas/],
  ] as const)('%s is refused in words, and it can be tried again', async (_, wrong, code, words) => {
    const { call } = compose()
    const reply = await call('fleet.start', { ...start, ...wrong })
    expect(reply).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(words) } })
    expect((await call('fleet.start', start)).ok).toBe(true)
  })

  test('nothing works before, and it starts once', async () => {
    const { call } = compose()
    expect(await call('fleet.scale', { replicas: 2 })).toMatchObject({
      ok: false,
      error: { code: 'not_started' },
    })
    expect(await call('fleet.replace', {})).toMatchObject({ ok: false, error: { code: 'not_started' } })
    await call('fleet.start', start)
    expect(await call('fleet.start', start)).toMatchObject({ ok: false, error: { code: 'already_started' } })
  })
})

describe('scaling', () => {
  test('up takes the next numbers, down takes the newest, and a number never comes again', async () => {
    const { call } = await started()
    expect(await call('fleet.scale', { replicas: 5 })).toMatchObject({
      value: { added: ['r4', 'r5'], removed: [] },
    })
    expect(await call('fleet.scale', { replicas: 2 })).toMatchObject({
      value: { added: [], removed: ['r3', 'r4', 'r5'] },
    })
    const again = await call('fleet.scale', { replicas: 3 })
    expect(again).toMatchObject({ value: { added: ['r6'], removed: [] } })
    expect(again.ok && ids(again.value.replicas)).toEqual(['r1', 'r2', 'r6'])
    expect(await call('fleet.scale', { replicas: 3 })).toMatchObject({ value: { added: [], removed: [] } })
  })

  test('a replica that is scaled away is unhealthy at once, still takes what is on its way, then refuses, finishes, closes', async () => {
    const { call, replicas } = await started({ speed: 2 })
    const { url } = present(replicas[2], 'r3')
    const early = (await chat(url)).text()
    const scaled = await call('fleet.scale', { replicas: 2 })
    expect(scaled).toMatchObject({ value: { removed: ['r3'] } })
    expect(await status(url)).toBe(503)
    const onItsWay = await chat(url)
    expect(onItsWay.status).toBe(200)
    const last = onItsWay.text()
    const refusals: string[] = []
    await until('a refusal', async () => {
      const late = await chat(url, 1)
      const said = await late.text()
      if (late.status === 503) refusals.push(said)
      return late.status === 503
    })
    expect(JSON.parse(refusals[0] ?? '')).toMatchObject({ error: { message: expect.stringContaining('r3') } })
    for (const stream of [early, last]) expect((await stream).endsWith('data: [DONE]\n\n')).toBe(true)
    await until('closed', () => refused(url))
  })

  test('two changes at once come one after the other', async () => {
    const { call } = await started()
    const [first, second] = await Promise.all([
      call('fleet.scale', { replicas: 5 }),
      call('fleet.scale', { replicas: 4 }),
    ])
    expect(first).toMatchObject({ value: { added: ['r4', 'r5'] } })
    expect(second).toMatchObject({ value: { removed: ['r5'] } })
  })
})

describe('killing and replacing', () => {
  test('a killed replica resets its streams at once, refuses connections, and stays listed', async () => {
    const { call, replicas } = await started({ speed: 0.1 })
    const { url } = present(replicas[1], 'r2')
    const stream = await chat(url)
    const idle = connect(Number(new URL(url).port), '127.0.0.1')
    const reset = new Promise<string>((resolve) =>
      idle.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? '')),
    )
    await new Promise((resolve) => idle.once('connect', resolve))
    await status(url) // the idle connection has been accepted by now
    expect(await call('fleet.kill', { replicaId: 'r2' })).toEqual({ ok: true, value: null })
    await expect(stream.text()).rejects.toThrow()
    expect(await reset).toBe('ECONNRESET')
    expect(await refused(url)).toBe(true)
    const replaced = await call('fleet.replace', { replicaId: 'r1' }) // which lives
    expect(replaced.ok && ids(replaced.value.replicas)).toEqual(['r1', 'r2', 'r3'])
  })

  test.each([
    [2, { added: [], removed: ['r3'] }, ['r1', 'r2']],
    [3, { added: ['r4'], removed: ['r3'] }, ['r1', 'r2', 'r4']],
    [1, { added: [], removed: ['r2', 'r3'] }, ['r1']],
  ])(
    'after a kill, scaling to %i leaves so many living ones and strikes the killed one off',
    async (replicas, change, left) => {
      const { call } = await started()
      await call('fleet.kill', { replicaId: 'r3' })
      expect(await call('fleet.scale', { replicas })).toMatchObject({ value: change })
      const after = await call('fleet.replace', {}) // nothing is left to replace
      expect(after.ok && ids(after.value.replicas)).toEqual(left)
    },
  )

  test('replacing gives each killed one a fresh successor with a new id', async () => {
    const { call } = await started()
    await call('fleet.kill', { replicaId: 'r1' })
    await call('fleet.kill', { replicaId: 'r3' })
    const replaced = await call('fleet.replace', {})
    expect(replaced.ok && ids(replaced.value.replicas)).toEqual(['r2', 'r4', 'r5'])
    for (const { url } of replaced.ok ? replaced.value.replicas : []) expect(await status(url)).toBe(200)
    const nothing = await call('fleet.replace', {})
    expect(nothing.ok && ids(nothing.value.replicas)).toEqual(['r2', 'r4', 'r5'])
  })

  test.each([
    ['r9', 'no_such_replica'],
    ['r1', 'already_killed'],
  ])('killing %s: %s', async (replicaId, code) => {
    const { call } = await started()
    await call('fleet.kill', { replicaId: 'r1' })
    expect(await call('fleet.kill', { replicaId })).toMatchObject({ ok: false, error: { code } })
  })
})

test('closing ends everything, a draining replica included', async () => {
  const { fleet, call, replicas } = await started({ speed: 0.1 })
  const streams = await Promise.all(replicas.map(({ url }) => chat(url)))
  await call('fleet.scale', { replicas: 1 })
  await fleet.close()
  for (const stream of streams) await expect(stream.text()).rejects.toThrow()
  for (const { url } of replicas) expect(await refused(url)).toBe(true)
})

test('two fleets live side by side', async () => {
  const [first, second] = [await started(), await started()]
  await first.call('fleet.kill', { replicaId: 'r1' })
  expect(await status(second.replicas[0]?.url ?? '')).toBe(200)
})
