import { describe, expect, test } from 'vitest'
import { configure } from '../../../src-main/app/router/configuration'
import { createDecider } from '../../../src-main/app/router/decide'
import { startingFleet } from '../../../src-main/app/router/membership'
import { createReport, type PendingDecision } from '../../../src-main/app/router/report'
import { createDraw } from '../../../src-main/base/draw'
import type { RecordNotes } from '../../../src-main/contract/links'
import { createTransportPair } from '../../../src-main/contract/memory-transport'
import { createPeer } from '../../../src-main/contract/peer'
import type { Transport } from '../../../src-main/contract/transport'
import type { DecisionEnded } from '../../../src-main/domain/journal/record'
import { createManualClock, type ManualClock } from '../../helpers/manual-clock'

const settle = async () => {
  for (let at = 0; at < 10; at++) await Promise.resolve()
}

/** A pending decision as the deciding step leaves it. */
function pendingDecisions(clock: ManualClock) {
  const draw = createDraw(1)
  const configuration = configure({ id: 'round-robin', params: {} }, draw)
  if (!configuration.ok) throw new Error(configuration.error.message)
  const replicas = ['a', 'b', 'c'].map((id) => ({ id, model: 'm', url: 'http://127.0.0.1:1' }))
  const decider = createDecider({
    clock,
    workedMs: clock.monoMs,
    draw,
    prefix: 'p#',
    configuration: configuration.value,
    fleet: startingFleet(replicas, 0),
  })
  let count = 0
  return (sessionText: string | null = null): PendingDecision => {
    const id = `t-${++count}`
    const request = { id, model: 'm', sessionText, promptTokens: 3, truncated: null }
    const { decision } = decider.decide(request, true)
    return {
      id,
      question: {
        requestId: `q-${count}`,
        method: 'POST',
        path: '/v1',
        request,
        asked: 'proxy',
        demo: false,
      },
      decision,
      configuration: configuration.value,
      answer: null,
      fleetEpoch: 0,
      wallMs: clock.wallMs(),
      monoMs: clock.monoMs(),
      consultUs: 5,
    }
  }
}

const ended = (id: string): DecisionEnded => ({
  kind: 'ended',
  id,
  wallMs: 0,
  monoMs: 0,
  itlGaps: null,
  outcome: {
    end: 'done',
    status: 200,
    reason: 'ok',
    serveReason: null,
    served: 'a',
    rank: 0,
    attempts: 1,
    ttftMs: 1,
    itlMsP50: null,
    itlMsMax: null,
    durationMs: 2,
    promptTokens: null,
    outputTokens: null,
    cachedTokens: null,
    finish: null,
    streamed: false,
    bytesIn: 1,
    bytesOut: 1,
  },
})

/** An ingest that can be away, and a report that dials it. */
function setUp() {
  const clock = createManualClock()
  const batches: RecordNotes['records'][] = []
  const hellos: RecordNotes['hello'][] = []
  let ingestEnd: Transport | null = null
  let up = false
  const dials: number[] = []
  const report = createReport({
    timers: clock,
    digests: { sha256: (text) => text, keyed: (text) => `keyed(${text})` },
    hello: () => ({ pid: 7, boot: 'abcd', inFlight: 3 }),
    onFleet: () => undefined,
    dial: async () => {
      dials.push(clock.monoMs())
      if (!up) return null
      const [router, ingest] = createTransportPair()
      ingestEnd = ingest
      createPeer<Record<string, never>, Record<string, never>, Record<string, never>, RecordNotes>(ingest, {
        serves: {},
        handlers: {},
        onNote: { hello: (hello) => hellos.push(hello), records: (batch) => batches.push(batch) },
      })
      return router
    },
  })
  const advance = async (ms: number) => {
    await settle()
    for (let at = 0; at < ms; at += 5) {
      clock.advance(5)
      await settle()
    }
  }
  return {
    clock,
    report,
    batches,
    hellos,
    dials,
    advance,
    pending: pendingDecisions(clock),
    setUp: (value: boolean) => {
      up = value
    },
    cut: () => ingestEnd?.close('killed'),
    records: () => batches.flatMap(({ records }) => records),
  }
}

describe('records on their way to ingest', () => {
  test('wait while ingest is away, and arrive in order when it comes', async () => {
    const { report, advance, pending, setUp: turn, records, hellos } = setUp()
    await settle()
    report.made(pending())
    report.ended(ended('t-1'))
    report.made(pending())
    await advance(300)
    expect(report.linked).toBe(false)
    turn(true)
    await advance(1_000)
    expect(hellos, 't-1 has ended, t-2 has not').toEqual([
      { pid: 7, boot: 'abcd', inFlight: 3, open: ['t-2'] },
    ])
    expect(records().map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'decided t-1',
      'ended t-1',
      'decided t-2',
    ])
    expect(report.dropped).toBe(0)
  })

  test('the pause between dials doubles from 100 ms to 2 s', async () => {
    const { dials, advance } = setUp()
    await advance(8_000)
    expect(dials).toEqual([0, 100, 300, 700, 1_500, 3_100, 5_100, 7_100])
  })

  test('come in batches, 50 ms after the first one', async () => {
    const { report, advance, pending, setUp: turn, batches } = setUp()
    turn(true)
    await advance(200)
    report.made(pending())
    report.made(pending())
    await advance(45)
    expect(batches).toHaveLength(0)
    await advance(10)
    expect(batches.map(({ records }) => records.length)).toEqual([2])
  })

  test('a lost link is made again, and says hello again', async () => {
    const { report, advance, pending, setUp: turn, cut, hellos, records } = setUp()
    turn(true)
    await advance(200)
    cut()
    await advance(5)
    expect(report.linked).toBe(false)
    report.made(pending())
    await advance(400)
    expect(hellos).toHaveLength(2)
    expect(records()).toHaveLength(1)
  })

  test('past the limit the newest are dropped and counted, and ingest is told once', async () => {
    const { report, advance, setUp: turn, batches, records } = setUp()
    await settle()
    for (let at = 0; at < 50_100; at++) report.ended(ended(`t-${at}`))
    const { dropped } = report
    expect(dropped).toBeGreaterThan(0)
    expect(dropped).toBeLessThan(30_000)
    turn(true)
    await advance(3_000)
    expect(records()).toHaveLength(50_100 - dropped)
    expect(batches.map(({ droppedBefore }) => droppedBefore).filter((count) => count > 0)).toEqual([dropped])
  })

  test('a session leaves only as its keyed hash; the reasons are one for each candidate', async () => {
    const { report, advance, pending, setUp: turn, records } = setUp()
    turn(true)
    report.made(pending('secret-session'))
    await advance(300)
    const [record] = records()
    expect(record).toMatchObject({
      kind: 'decided',
      session: 'keyed(secret-session)',
      mode: 'pick-only',
      consultUs: 5,
    })
    expect(JSON.stringify(record).replace('keyed(secret-session)', '')).not.toContain('secret')
    expect(record?.kind === 'decided' && record.reasons.map(({ replicaId }) => replicaId).sort()).toEqual([
      'a',
      'b',
      'c',
    ])
  })

  test('reasons show the load as it was at the pick, however late they are made', async () => {
    const { report, advance, pending, setUp: turn, records } = setUp()
    await settle()
    for (let at = 0; at < 4; at++) report.made(pending())
    turn(true)
    await advance(1_000)
    const loads = records().map((record) =>
      record.kind === 'decided'
        ? record.reasons.reduce((sum, { facts }) => sum + (facts.inFlight ?? 0), 0)
        : -1,
    )
    expect(loads).toEqual([0, 1, 2, 3])
  })

  test('a stop sends what waits and closes', async () => {
    const { report, advance, pending, setUp: turn, records } = setUp()
    turn(true)
    await advance(200)
    report.made(pending())
    await report.stop()
    await settle()
    expect(records()).toHaveLength(1)
    expect(report.linked).toBe(false)
  })
})
