import { beforeEach, describe, expect, test } from 'vitest'
import { createDraw } from '../../../src-main/base/draw'
import { createConnection } from '../../../src-renderer/state/connection'
import { createFeed } from '../../../src-renderer/state/feed'
import { createFeedStores, type FeedStores } from '../../../src-renderer/state/feed-stores'
import { createServerTime } from '../../../src-renderer/state/server-clock'
import { createManualClock, type ManualClock } from '../../helpers/manual-clock'
import { aRow, aSecond, aSummary, startWallMs } from '../builders'
import { createScriptedServer, type ScriptedServer, settled } from '../scripted-server'

let clock: ManualClock
let server: ScriptedServer
let stores: FeedStores
let connection: ReturnType<typeof createConnection>

beforeEach(async () => {
  clock = createManualClock(startWallMs)
  server = createScriptedServer(clock, { 'status.read': () => new Promise(() => {}) })
  stores = createFeedStores((job) => job())
  const time = createServerTime(clock)
  const feed = createFeed({
    stores,
    time,
    resync: (stream) => void connection.call('feed.resync', { stream }),
  })
  connection = createConnection({
    dial: server.dial,
    clock,
    draw: createDraw(1),
    onFrame: (frame) => feed.take(frame),
    onLost: () => feed.lost(),
    position: () => feed.position(),
  })
  connection.start()
  await settled()
  await server.hello()
  for (const stream of ['cluster', 'decisions', 'seconds'] as const) await server.snapshot(stream, [], 10)
  await server.snapshot('summary', aSummary(), 10)
})

const ids = () => stores.decisions.get().items.map(({ id }) => id)
const gaps = () => stores.gaps.get().map(({ stream, why }) => `${stream}: ${why}`)
const phase = () => connection.link.get().phase
const wait = async (ms: number) => {
  clock.advance(ms)
  await settled()
}

describe('messages in order', () => {
  test('are added, and a row that ended replaces itself', async () => {
    await server.items('decisions', [aRow('a', { outcome: null })])
    await server.items('decisions', [aRow('b', { wallMs: startWallMs + 1 }), aRow('a')])
    expect(ids()).toEqual(['a', 'b'])
    expect(stores.decisions.get().items[0]?.outcome).not.toBeNull()
    expect(stores.decisions.get().received).toBe(2)
  })

  test('one that is missing stops its stream: gap, question, snapshot, and on', async () => {
    await server.items('decisions', [aRow('a')])
    await server.items('decisions', [aRow('c')], 13)
    expect(ids()).toEqual(['a'])
    expect(gaps()).toEqual(['decisions: lost'])
    expect(server.resyncs).toEqual(['decisions'])
    await server.items('decisions', [aRow('d')])
    expect(ids()).toEqual(['a'])
    await server.snapshot('decisions', [aRow('a'), aRow('b'), aRow('c'), aRow('d')])
    await server.items('decisions', [aRow('e')])
    expect(ids()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(server.resyncs).toHaveLength(1)
  })

  test('one that came before is let go', async () => {
    await server.items('decisions', [aRow('a')])
    await server.items('decisions', [aRow('x')], 11)
    expect(ids()).toEqual(['a'])
    expect(gaps()).toEqual([])
  })

  test('the other streams go on meanwhile', async () => {
    await server.items('decisions', [aRow('a')], 15)
    await server.value('summary', aSummary({ requestsPerSecond: 99 }))
    expect(stores.summary.get()?.requestsPerSecond).toBe(99)
  })

  test('the last ones lost are found out by two heartbeats', async () => {
    server.seqs.decisions = 12
    await server.beat()
    expect(server.resyncs).toEqual([])
    await server.beat()
    expect(server.resyncs).toEqual(['decisions'])
    expect(gaps()).toEqual(['decisions: lost'])
  })

  test('a kind of frame from a later version is passed over', async () => {
    await server.send({ t: 'aurora' } as never)
    await server.items('decisions', [aRow('a')])
    expect(ids()).toEqual(['a'])
    expect(phase()).toBe('open')
  })

  test('a log keeps its newest thousand', async () => {
    const rows = Array.from({ length: 1_200 }, (_, at) => aRow(`d${at}`, { wallMs: startWallMs + at }))
    await server.items('decisions', rows)
    expect(stores.decisions.get().items).toHaveLength(1_000)
    expect(ids()[0]).toBe('d200')
  })
})

describe('a line that ends', () => {
  test('[F83] comes back inside the ring: no gap, no duplicate', async () => {
    await server.items('decisions', [aRow('a')])
    await server.hangUp('network')
    expect(phase()).toBe('waiting')
    await wait(1_000)
    expect(server.opened[1]).toEqual({
      epoch: 'e1',
      seqs: { cluster: 10, decisions: 11, seconds: 10, summary: 10 },
    })
    await server.hello()
    await server.items('decisions', [aRow('b')], 12)
    await server.items('decisions', [aRow('c')], 13)
    expect(ids()).toEqual(['a', 'b', 'c'])
    expect(gaps()).toEqual([])
    expect(server.resyncs).toEqual([])
  })

  test('beyond the ring: a snapshot, and the gap is marked', async () => {
    await server.items('decisions', [aRow('a')])
    await server.hangUp('network')
    await wait(1_000)
    await server.hello()
    await server.snapshot('decisions', [aRow('y'), aRow('z')], 5_000)
    expect(ids()).toEqual(['y', 'z'])
    expect(gaps()).toEqual(['decisions: beyond-kept'])
  })

  test('[F84] a restarted server has a new epoch: snapshots replace, the gap is drawn on every stream', async () => {
    await server.items('decisions', [aRow('a')])
    await server.items('seconds', [aSecond(0), aSecond(1)])
    await server.hangUp('the server stopped')
    await wait(20_000)
    server.epoch = 'e2'
    await server.hello()
    await server.snapshot('decisions', [aRow('new')], 1)
    await server.snapshot('seconds', [aSecond(20)], 1)
    await server.items('decisions', [aRow('next')], 2)
    expect(ids()).toEqual(['new', 'next'])
    expect(gaps()).toEqual(
      expect.arrayContaining(['decisions: source-restarted', 'seconds: source-restarted']),
    )
    const gap = stores.gaps.get().find(({ stream }) => stream === 'seconds')
    expect([gap?.fromWallMs, gap?.toWallMs]).toEqual([startWallMs, startWallMs + 20_000])
    // what the charts had is still true; between it and the new seconds stands the gap
    expect(stores.seconds.get().items.map(({ wallMs }) => (wallMs - startWallMs) / 1_000)).toEqual([0, 1, 20])
  })

  test('[F85] a page that was too slow is told so, gets a snapshot, and keeps no more than its cap', async () => {
    await server.items('decisions', [aRow('a')])
    await wait(3_000)
    await server.send({
      t: 'gap',
      stream: 'decisions',
      why: 'slow',
      fromWallMs: startWallMs,
      toWallMs: clock.wallMs(),
    })
    await server.items('decisions', [aRow('late')], 4_000)
    expect(ids()).toEqual(['a'])
    await server.snapshot('decisions', [aRow('now')], 4_001)
    await server.items('decisions', [aRow('next')])
    expect(ids()).toEqual(['now', 'next'])
    expect(stores.gaps.get()).toEqual([
      { stream: 'decisions', why: 'slow', fromWallMs: startWallMs, toWallMs: startWallMs + 3_000 },
    ])
  })

  test('[F86] a revoked token ends it: the last data stays, nothing is tried again, calls say why', async () => {
    await server.items('decisions', [aRow('a')])
    await server.hangUp('the session ended', 'unauthorised')
    expect(connection.link.get()).toMatchObject({ phase: 'ended', end: 'unauthorised' })
    await wait(120_000)
    expect(server.opened).toHaveLength(1)
    expect(ids()).toEqual(['a'])
    const change = await connection.call('traffic.set', { running: false, ratePerSecond: 1 })
    expect(change).toMatchObject({ ok: false, error: { code: 'disconnected' } })
  })

  test('silence is called so after five seconds, and the line given up after 35', async () => {
    await wait(5_500)
    expect(phase()).toBe('silent')
    await server.beat()
    expect(phase()).toBe('open')
    await wait(35_500)
    expect(phase()).toBe('waiting')
  })

  test('waits grow to fifteen seconds and start over once something came', async () => {
    server.refuse = { why: 'refused', end: null }
    await server.hangUp('network')
    const waits: number[] = []
    for (let attempt = 0; attempt < 8; attempt++) {
      const link = connection.link.get()
      if (link.phase !== 'waiting') throw new Error(link.phase)
      waits.push(link.retryMonoMs - clock.monoMs())
      await wait(link.retryMonoMs - clock.monoMs())
    }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(500)
    expect(Math.max(...waits)).toBeLessThanOrEqual(15_000)
    expect(waits[7]).toBeGreaterThanOrEqual(7_500)
    server.refuse = null
    connection.retryNow()
    await settled()
    await server.hello()
    await server.hangUp('network')
    const link = connection.link.get()
    expect(link.phase === 'waiting' && link.retryMonoMs - clock.monoMs()).toBeLessThanOrEqual(1_000)
  })

  test('a call without an answer comes back as an error after ten seconds', async () => {
    const silent = connection.call('status.read', {})
    await wait(9_900)
    await server.beat()
    await wait(100)
    expect(await silent).toMatchObject({ ok: false, error: { code: 'timeout' } })
  })
})
