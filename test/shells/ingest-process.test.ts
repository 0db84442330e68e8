import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, test, vi } from 'vitest'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { storeFile } from '../../src-main/adapters/store/schema'
import { absent, known } from '../../src-main/domain/fleet/reading'
import type { DecisionMade } from '../../src-main/domain/journal/record'
import { aDecision, anEnd } from '../helpers/a-row'
import { anEngine } from '../helpers/an-engine'
import { anIngest, aRouter } from '../helpers/an-ingest'
import { exchange } from '../helpers/raw-client'
import { startRouter } from '../helpers/router-rig'
import { aTempFolder } from '../helpers/temp-folder'
import { until } from '../helpers/until'

vi.setConfig({ testTimeout: 30_000 }) // the disk and the machine are shared

async function started(own: { store?: boolean; folder?: string; pollEveryMs?: number } = {}) {
  const folder = own.folder ?? aTempFolder()
  const listenPath = join(folder, 'ingest.sock')
  const storeFolder = own.store === false ? null : join(folder, 'store')
  const ingest = anIngest()
  const start = await ingest.call('ingest.start', {
    storeFolder,
    listenPath,
    pollEveryMs: own.pollEveryMs ?? 200,
    boot: `b${Math.round(nodeClock.monoMs())}`,
  })
  return { ...ingest, folder, listenPath, start }
}
const now = (own: Partial<DecisionMade>) =>
  aDecision({ monoMs: nodeClock.monoMs(), wallMs: nodeClock.wallMs(), ...own })
/** Ids in the store's file, as somebody else reads them. */
function storedIds(folder: string): string[] {
  const path = join(folder, 'store', storeFile)
  if (!existsSync(path)) return []
  const database = new DatabaseSync(path, { readOnly: true, timeout: 500 })
  try {
    return database
      .prepare('SELECT id FROM decisions')
      .all()
      .map((row) => String((row as { id: unknown }).id))
  } finally {
    database.close()
  }
}
const end = (id: string, outcome = {}) => ({
  ...anEnd(id, nodeClock.monoMs(), outcome),
  wallMs: nodeClock.wallMs(),
})

describe('the ingest process', () => {
  test('says what became of its store, listens for the owner alone, and cannot be started twice', async () => {
    const { start, call, listenPath, folder } = await started()
    expect(start).toEqual({ ok: true, value: { store: 'ok', why: null, moved: null } })
    expect(statSync(listenPath).mode & 0o777).toBe(0o600)
    expect(existsSync(join(folder, 'store', storeFile))).toBe(true)
    expect(
      await call('ingest.start', { storeFolder: null, listenPath, pollEveryMs: 200, boot: 'x' }),
    ).toMatchObject({
      ok: false,
      error: { code: 'started' },
    })
  })

  test('refuses everything before it is started, in words', async () => {
    const { call } = anIngest()
    expect(await call('ingest.last', { last: 1 })).toMatchObject({
      ok: false,
      error: { code: 'not_started' },
    })
    expect(await call('ingest.targets', { replicas: [], cause: 'operator' })).toMatchObject({ ok: false })
  })

  test('says why it cannot listen, and can be started again', async () => {
    const { call } = anIngest()
    const start = { storeFolder: null, pollEveryMs: 200, boot: 'x' }
    const file = join(aTempFolder(), 'file')
    writeFileSync(file, '')
    expect(await call('ingest.start', { ...start, listenPath: join(file, 'a.sock') })).toMatchObject({
      ok: false,
      error: {
        code: 'listen_failed',
        message: expect.stringContaining('no socket for the router can be opened'),
      },
    })
    expect((await call('ingest.start', { ...start, listenPath: join(aTempFolder(), 'a.sock') })).ok).toBe(
      true,
    )
  })

  test('a fleet is read and told to control and router; a crash and its replacement are told in turn', async () => {
    const { call, heard, listenPath } = await started()
    const router = await aRouter(listenPath, 'router-1')
    const engines = await Promise.all(['r1', 'r2', 'r3'].map((id) => anEngine(id)))
    const asked = performance.now()
    await call('ingest.targets', { replicas: engines.map(({ replica }) => replica), cause: 'operator' })
    const first = await until('a ready fleet', () => router.fleets[0])
    expect(performance.now() - asked).toBeLessThan(2_000)
    expect(first.replicas.map(({ state }) => known(state))).toEqual(['ready', 'ready', 'ready'])
    expect(first.replicas[0]).toMatchObject({
      running: { value: 2, source: 'engine:r1' },
      kvUsedRatio: { value: 0.25 },
    })

    await engines[1]?.stop()
    const hurt = await until('a replica that is down', () =>
      heard.fleets.find(({ replicas }) => replicas.some(({ state }) => known(state) === 'down')),
    )
    expect(hurt.epoch).toBe(first.epoch + 1)
    const fresh = await anEngine('r4')
    await call('ingest.targets', {
      replicas: [engines[0], engines[2], fresh].flatMap((each) => (each ? [each.replica] : [])),
      cause: 'failure',
    })
    await until('the fleet with its replacement', () =>
      router.fleets.find(
        ({ replicas }) =>
          replicas.length === 3 &&
          replicas.every(({ state, replica }) => known(state) === 'ready' && replica.id !== 'r2'),
      ),
    )
    const kinds = heard.cluster.map(({ body }) => body.kind)
    expect(kinds.filter((kind) => kind === 'replica.seen')).toHaveLength(4)
    expect(kinds).toEqual(
      expect.arrayContaining(['replica.changed', 'source.turned', 'replica.gone', 'fleet.scaled']),
    )
    expect(heard.cluster.map(({ stamp }) => stamp.seq)).toEqual(heard.cluster.map((_, at) => at + 1))
  })

  test('a replica whose engine no connector reads says so; the others are read all the same', async () => {
    const { call, heard } = await started()
    const [good, other] = [await anEngine('r1'), await anEngine('r2')]
    const replicas = [good.replica, { ...other.replica, engine: 'no-such-engine' }]
    expect(await call('ingest.targets', { replicas, cause: 'operator' })).toMatchObject({ ok: true })
    const fleet = await until('a whole look', () =>
      heard.fleets.find(({ replicas: [, second] }) => second && known(second.state) === 'down'),
    )
    expect(known(fleet.replicas[0]?.state ?? absent('never-received', null))).toBe('ready')
    expect(fleet.sources[1]).toMatchObject({
      kind: 'no-such-engine',
      state: 'unsupported',
      lastError: expect.stringContaining('replica r2 declares the engine "no-such-engine"'),
    })
    expect(other.reads()).toBe(0)
  })

  test('a router that comes later is told the fleet at once, and load figures keep coming', async () => {
    const { call, listenPath } = await started()
    const engine = await anEngine('r1')
    await call('ingest.targets', { replicas: [engine.replica], cause: 'operator' })
    await until('a read', () => engine.reads() > 0)
    const router = await aRouter(listenPath, 'router-1')
    await until('the fleet', () => router.fleets.length > 0)
    const { length } = router.fleets
    const asked = performance.now()
    await until('more figures', () => router.fleets.length > length)
    expect(performance.now() - asked).toBeLessThan(2_000)
  })

  test('a decision is in the feed, in the figures and in searches, with and without its reasons', async () => {
    const { call, heard, listenPath } = await started()
    const router = await aRouter(listenPath, 'router-1')
    router.tell(now({ id: 'a', session: 's1' }))
    await until('the row as it begins', () =>
      heard.decisions.find(({ id, outcome }) => id === 'a' && outcome === null),
    )
    router.tell(end('a'), now({ id: 'b', session: 's1', pick: 'r2' }))
    const row = await until('the row with its end', () =>
      heard.decisions.find(({ outcome }) => outcome !== null),
    )
    expect(row).toMatchObject({ id: 'a', outcome: { status: 200 }, reasons: [] })
    await until('the figures', () => heard.summaries.find(({ errors }) => errors.whole === 1))
    await until('the second', () => heard.seconds.find(({ outcomes }) => outcomes.ok === 1))

    const last = await call('ingest.last', { last: 5 })
    expect(last).toMatchObject({
      ok: true,
      value: { matched: 2, rows: [{ id: 'b', movedFrom: 'r1', turn: 1 }, { id: 'a' }] },
    })
    expect(await call('ingest.last', { last: 5, filter: 'moved:*' })).toMatchObject({
      ok: true,
      value: { matched: 1 },
    })
    const explained = await call('ingest.explain', { id: 'b' })
    expect(explained.ok && explained.value.row.reasons).toHaveLength(2)
    expect(explained.ok && explained.value.session.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await call('ingest.groups', { by: 'outcome' })).toMatchObject({ ok: true, value: { searched: 2 } })
  })

  test('[F42] a router that dies: its last words count, what it left open is lost, once', async () => {
    const { call, heard, listenPath } = await started()
    const router = await aRouter(listenPath, 'router-1')
    router.tell(...Array.from({ length: 20 }, (_, at) => now({ id: `d${at}` })))
    router.tell(end('d0'), end('d1'))
    router.end()
    expect(await call('ingest.routerLost', {})).toEqual({ ok: true, value: { lostStreams: 18 } })
    expect(await call('ingest.routerLost', {})).toEqual({ ok: true, value: { lostStreams: 0 } })
    expect(await call('ingest.groups', { by: 'reason', filter: 'outcome:broken' })).toMatchObject({
      ok: true,
      value: { groups: [{ key: 'router_lost', count: 18, failed: 18 }] },
    })
    const next = await aRouter(listenPath, 'router-2')
    next.tell(now({ id: 'n' }))
    await until('the new router', () => heard.decisions.find(({ id }) => id === 'n'))
    expect(await call('ingest.routerLost', {})).toEqual({ ok: true, value: { lostStreams: 0 } })
  })

  test('a router whose link broke and came back has lost nothing', async () => {
    const { call, heard, listenPath } = await started()
    const router = await aRouter(listenPath, 'router-1')
    router.tell(now({ id: 'a' }))
    await until('the row', () => heard.decisions.length > 0)
    router.end()
    const again = await aRouter(listenPath, 'router-1')
    again.tell(end('a'))
    await until('its end', () => heard.decisions.find(({ outcome }) => outcome?.status === 200))
    expect(await call('ingest.routerLost', {})).toEqual({ ok: true, value: { lostStreams: 0 } })
  })

  test('[F75] records that a router had to drop are a gap in the story, with their number', async () => {
    const { heard, listenPath } = await started()
    const router = await aRouter(listenPath, 'router-1')
    router.dropped(1_234)
    const gap = await until('the gap', () => heard.cluster.find(({ body }) => body.kind === 'feed.gap'))
    expect(gap.body).toMatchObject({ why: '1234 decision records were lost on the way from the router' })
    await until('the figure', () => heard.summaries.find(({ tail }) => tail.dropped === 1_234))
  })

  test('rubbish on the socket harms nobody', async () => {
    const { heard, listenPath } = await started()
    const router = await aRouter(listenPath, 'router-1')
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      '\u0000\u0001\n',
      '{"k":"note"}\n',
      '[1,2,3]\n',
      `${'['.repeat(5_000)}\n`,
    ]) {
      const socket = createConnection({ path: listenPath })
      socket.on('error', () => {})
      const closed = new Promise((done) => socket.once('close', done))
      socket.end(bytes)
      await closed
    }
    const odd: unknown[] = [
      null,
      7,
      {},
      { kind: 'ended', id: 'x' },
      { kind: 'decided', id: '' },
      { kind: 'ended', id: 'y', wallMs: 1, monoMs: 1, outcome: { end: 'never' } },
    ]
    router.peer.note('records', { records: odd as never, droppedBefore: 0 })
    router.peer.note('records', {} as never)
    router.peer.note('hello', null as never)
    router.tell(now({ id: 'a' }))
    await until('the good record', () => heard.decisions.find(({ id }) => id === 'a'))
    await until('the count of the others', () =>
      heard.summaries.find(({ tail }) => tail.dropped === odd.length + 1),
    )
  })

  test('what control has to say is a record of the same stream', async () => {
    const { call, heard } = await started()
    const body = { kind: 'note.added', text: 'hello', atWallMs: 1, actor: 'cli' } as const
    await call('ingest.record', { body })
    const record = await until('the record', () => heard.cluster[0])
    expect(record).toMatchObject({ body, stamp: { stream: 'cluster', seq: 1 } })
    expect(await call('ingest.timeline', { fromWallMs: 0, toWallMs: nodeClock.wallMs() })).toEqual({
      ok: true,
      value: [record],
    })
  })
})

describe('over restarts', () => {
  test('history, an open request and epochs go on', async () => {
    const first = await started()
    const router = await aRouter(first.listenPath, 'router-1')
    const engines = await Promise.all(['r1', 'r2'].map((id) => anEngine(id)))
    const replicas = engines.map(({ replica }) => replica)
    await first.call('ingest.targets', { replicas: replicas.slice(0, 1), cause: 'operator' })
    await until('a fleet', () => first.heard.fleets.length > 0)
    await first.call('ingest.targets', { replicas, cause: 'operator' })
    await until('a scaled fleet', () => first.heard.fleets.find((fleet) => fleet.replicas.length === 2))
    router.tell(now({ id: 'done', session: 's1' }), end('done'), now({ id: 'open', session: 's1' }))
    await until('both rows', () => first.heard.decisions.some(({ id }) => id === 'open'))
    await first.stop()
    expect(existsSync(first.listenPath)).toBe(false)

    const second = await started({ folder: first.folder })
    const again = await aRouter(second.listenPath, 'router-1')
    again.tell(end('open'))
    const row = await until('the end of the open request', () => second.heard.decisions[0])
    expect(row).toMatchObject({ id: 'open', turn: 1, outcome: { status: 200 } })
    expect(await second.call('ingest.last', { last: 10 })).toMatchObject({
      ok: true,
      value: { rows: [{ id: 'open' }, { id: 'done' }] },
    })
    again.tell(now({ id: 'next', session: 's1', pick: 'r2' }))
    const next = await until('the next turn', () => second.heard.decisions.find(({ id }) => id === 'next'))
    expect(next).toMatchObject({ turn: 2, movedFrom: 'r1' })
    await second.call('ingest.targets', { replicas, cause: 'operator' })
    const fleet = await until('a fleet', () => second.heard.fleets[0])
    expect(fleet.epoch).toBeGreaterThan(first.heard.fleets.at(-1)?.epoch ?? 0)
    const story = await second.call('ingest.timeline', { fromWallMs: 0, toWallMs: nodeClock.wallMs() })
    expect(story.ok && story.value.some(({ body }) => body.kind === 'fleet.scaled')).toBe(true)
  })

  test('[F89] a store that is no database: the start says what was moved, and the story, too', async () => {
    const first = await started()
    await first.stop()
    writeFileSync(join(first.folder, 'store', storeFile), 'not a database '.repeat(1_000))
    const second = await started({ folder: first.folder })
    expect(second.start).toMatchObject({
      ok: true,
      value: { store: 'ok', moved: expect.stringMatching(/^quarantine-/) },
    })
    await until('the record', () =>
      second.heard.cluster.find(
        ({ body }) => body.kind === 'store.turned' && body.why?.includes('quarantine-'),
      ),
    )
  })

  test('[F91] a store whose folder is a file: memory with the reason; everything else works', async () => {
    const folder = aTempFolder()
    writeFileSync(join(folder, 'store'), '')
    const { start, call, listenPath, heard } = await started({ folder })
    expect(start).toMatchObject({
      ok: true,
      value: { store: 'memory', why: expect.stringContaining('cannot be used') },
    })
    const router = await aRouter(listenPath, 'router-1')
    router.tell(now({ id: 'a' }))
    await until('the row', () => heard.decisions.length > 0)
    expect(await call('ingest.last', { last: 1 })).toMatchObject({ ok: true, value: { rows: [{ id: 'a' }] } })
  })

  test('without a store everything stays in memory', async () => {
    const { start, folder } = await started({ store: false })
    expect(start).toEqual({ ok: true, value: { store: 'memory', why: null, moved: null } })
    expect(existsSync(join(folder, 'store'))).toBe(false)
  })
})

describe('[F91] the data folder is deleted while it runs', () => {
  test('folder, socket and store are made anew and said; a linked router goes on, a new one is heard', async () => {
    const { call, heard, folder, listenPath } = await started()
    const router = await aRouter(listenPath, 'router-1')
    router.tell(now({ id: 'before' }), end('before'))
    await until('the row', () => heard.decisions.find(({ outcome }) => outcome !== null))

    rmSync(folder, { recursive: true })
    router.tell(now({ id: 'linked' }), end('linked'))
    await until('word of the socket', () =>
      heard.cluster.find(
        ({ body }) => body.kind === 'note.added' && body.text.includes('a new one was opened'),
      ),
    )
    const turned = await until('word of the store', () => heard.turns[0])
    expect(turned).toMatchObject({ to: 'ok', why: expect.stringContaining('a new one was begun') })
    expect(statSync(listenPath).mode & 0o777).toBe(0o600)
    const fresh = await aRouter(listenPath, 'router-2')
    fresh.tell(now({ id: 'fresh' }), end('fresh'))
    await until('the new router', () => heard.decisions.find(({ id }) => id === 'fresh'))
    expect(await call('ingest.last', { last: 5 })).toMatchObject({
      value: { rows: [{ id: 'fresh' }, { id: 'linked' }, { id: 'before' }] },
    })
    await until('the rows in the new file', () => storedIds(folder).includes('fresh'))
  })

  test('an ingest that starts after it, too: the router finds it and tells what it held meanwhile', async () => {
    const first = await started()
    const rig = await startRouter({ replicas: [], ingestPath: first.listenPath })
    const ask = () =>
      exchange(
        rig.routerPort,
        `POST /internal/route HTTP/1.1\r\nHost: 127.0.0.1:${rig.routerPort}\r\nContent-Length: 0\r\n\r\n`,
      )
    await ask()
    await until('the first decision', () => first.heard.decisions[0])
    await first.stop()
    rmSync(first.folder, { recursive: true })
    await ask()
    const second = await started({ folder: first.folder })
    expect(second.start).toMatchObject({ ok: true, value: { store: 'ok' } })
    await ask()
    await until('both decisions', () => second.heard.decisions.length === 2)
    expect(rig.status.at(-1)).toMatchObject({ droppedRecords: 0, ingestLinked: true })
  })

  test('what cannot be made anew is said, and made when it can be', async () => {
    const { heard, folder, listenPath } = await started()
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'in the way')
    await until('why there is no socket', () =>
      heard.cluster.find(
        ({ body }) => body.kind === 'note.added' && body.text.includes('cannot be opened again'),
      ),
    )
    await until('why the store is in memory', () => heard.turns.find(({ to }) => to === 'memory'))
    rmSync(folder)
    await until('the socket', () => existsSync(listenPath))
    const router = await aRouter(listenPath, 'router-1')
    router.tell(now({ id: 'a' }))
    await until('the row', () => heard.decisions.find(({ id }) => id === 'a'))
  })
})
