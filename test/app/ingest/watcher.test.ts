import { describe, expect, test } from 'vitest'
import { watchClocks } from '../../../src-main/app/ingest/clock-watch'
import {
  downAfter,
  type HealthSign,
  nextHealth,
  unknownHealth,
  upAfter,
} from '../../../src-main/app/ingest/replica-health'
import { createWatcher, type WatcherOptions } from '../../../src-main/app/ingest/watcher'
import { createDraw } from '../../../src-main/base/draw'
import { fail, ok, type Result } from '../../../src-main/base/result'
import { absent, known, observed } from '../../../src-main/domain/fleet/reading'
import {
  type EngineReadings,
  type FleetSnapshot,
  isEligible,
  type Replica,
} from '../../../src-main/domain/fleet/replica'
import type { ClusterBody } from '../../../src-main/domain/journal/record'
import type { EngineReport, PollError } from '../../../src-main/ports/fleet-source'
import { createManualClock } from '../../helpers/manual-clock'

describe('health signs', () => {
  const rows: readonly { name: string; signs: readonly HealthSign[]; states: readonly string[] }[] = [
    { name: 'one good read makes it ready', signs: ['good'], states: ['ready'] },
    {
      name: 'one failed read changes nothing',
      signs: ['good', 'failed', 'good', 'failed'],
      states: ['ready', 'ready', 'ready', 'ready'],
    },
    {
      name: 'two failed reads take it down',
      signs: ['good', 'failed', 'failed'],
      states: ['ready', 'ready', 'down'],
    },
    {
      name: 'a refused connection takes it down at once',
      signs: ['good', 'refused'],
      states: ['ready', 'down'],
    },
    { name: 'refused from the start is down at once', signs: ['refused'], states: ['down'] },
    { name: 'one that never was well', signs: ['failed', 'failed'], states: ['starting', 'down'] },
    {
      name: 'two good reads bring it back',
      signs: ['refused', 'good', 'good'],
      states: ['down', 'down', 'ready'],
    },
    {
      name: 'good reads must be in a row',
      signs: ['refused', 'good', 'failed', 'good', 'good'],
      states: ['down', 'down', 'down', 'down', 'ready'],
    },
  ]
  test.each(rows)('$name', ({ signs, states }) => {
    const seen = signs.map((_, at) => signs.slice(0, at + 1).reduce(nextHealth, unknownHealth).state)
    expect(seen).toEqual(states)
  })
  test('the limits are those of the table', () => {
    expect([upAfter, downAfter]).toEqual([2, 2])
  })
})

const aReplica = (id: string, url = `http://127.0.0.1/${id}`): Replica => ({ id, model: 'demo-8b', url })
const someReadings = (id: string, at: number): EngineReadings => ({
  running: observed(3, `engine:${id}`, at),
  waiting: observed(0, `engine:${id}`, at),
  maxOngoing: absent('not-exported', `engine:${id}`),
  kvUsedRatio: observed(0.5, `engine:${id}`, at),
  cacheHitRatio: absent('never-received', `engine:${id}`),
  preemptionsPerMinute: absent('never-received', `engine:${id}`),
  outputTokensPerSecond: absent('never-received', `engine:${id}`),
  ttftMsP50: absent('never-received', `engine:${id}`),
  ttftMsP99: absent('never-received', `engine:${id}`),
  itlMsP99: absent('never-received', `engine:${id}`),
  latencySamples: 0,
})
type Answer = 'good' | 'wrong-model' | 'no-figures' | PollError['kind']

/** A watcher whose engines answer what the test says, on a clock that the test moves. */
function aWatch(own: Partial<WatcherOptions> = {}) {
  const clock = createManualClock()
  const answers = new Map<string, Answer>()
  const reads = new Map<string, number>()
  const restarts: string[] = []
  const records: ClusterBody[] = []
  const told: FleetSnapshot[] = []
  const answer = (id: string): Result<EngineReport, PollError> => {
    const what = answers.get(id) ?? 'good'
    const at = clock.monoMs()
    const report = { takenMonoMs: at, startedWallMs: null, bytes: 1, skippedLines: 0, models: ['demo-8b'] }
    if (what === 'good') return ok({ ...report, readings: ok(someReadings(id, at)) })
    if (what === 'wrong-model')
      return ok({ ...report, models: ['other'], readings: ok(someReadings(id, at)) })
    if (what === 'no-figures')
      return ok({ ...report, readings: fail({ kind: 'bad-data', message: 'a login page' }) })
    return fail({ kind: what, message: `${id} is ${what}` })
  }
  const watcher = createWatcher({
    clock,
    timers: clock,
    draw: createDraw(1),
    open: ({ id }) => ({
      id: `engine:${id}`,
      kind: 'vllm',
      target: 'http://127.0.0.1:1',
      read: (signal) => {
        reads.set(id, (reads.get(id) ?? 0) + 1)
        return Promise.resolve(signal.aborted ? fail({ kind: 'aborted' as const, message: '' }) : answer(id))
      },
      restart: () => restarts.push(id),
    }),
    everyMs: 1_000,
    epoch: 0,
    errorsPerMinute: () => absent('never-received', 'router'),
    record: (...bodies) => records.push(...bodies),
    changed: (fleet) => told.push(fleet),
    ...own,
  })
  /** Lets time pass in small steps, so that answers arrive in between. */
  const pass = async (ms: number) => {
    for (let done = 0; done < ms; done += 100) {
      clock.advance(100)
      for (let turn = 0; turn < 6; turn++) await Promise.resolve()
    }
  }
  const states = () => watcher.fleet()?.replicas.map(({ state }) => known(state))
  return { clock, answers, reads, restarts, records, told, watcher, pass, states }
}
const three = ['r1', 'r2', 'r3'].map((id) => aReplica(id))

describe('watching a fleet', () => {
  test('the first look is told when it is whole, within 300 ms: seen, ready, epoch 1', async () => {
    const { watcher, pass, told, records, states } = aWatch()
    expect(watcher.fleet()).toBeNull()
    watcher.targets(three, 'operator')
    expect(watcher.fleet()).toBeNull()
    await pass(300)
    expect(states()).toEqual(['ready', 'ready', 'ready'])
    expect(told.map(({ epoch, replicas }) => [epoch, replicas.length])).toEqual([[1, 3]])
    expect(records.map(({ kind }) => kind)).toEqual(['replica.seen', 'replica.seen', 'replica.seen'])
  })

  test('a replica that refuses connections is down at once; the others are told all the same', async () => {
    const { watcher, pass, answers, states } = aWatch()
    answers.set('r2', 'refused')
    watcher.targets(three, 'operator')
    await pass(300)
    expect(states()).toEqual(['ready', 'down', 'ready'])
  })

  test('seen, down, gone: each is a record, with the reason in words', async () => {
    const { watcher, pass, answers, records, states } = aWatch()
    watcher.targets(three, 'operator')
    await pass(300)
    answers.set('r2', 'refused')
    await pass(1_500)
    expect(states()).toEqual(['ready', 'down', 'ready'])
    watcher.targets(
      [three[0], three[2]].flatMap((each) => each ?? []),
      'failure',
    )
    const about = (id: string) =>
      records.filter(
        (body) =>
          JSON.stringify(body).includes(`"${id}"`) ||
          (body.kind === 'source.turned' && body.source === `engine:${id}`),
      )
    expect(about('r2')).toEqual([
      { kind: 'replica.seen', replica: three[1], state: 'ready' },
      { kind: 'replica.changed', replicaId: 'r2', from: 'ready', to: 'down', why: 'r2 is refused' },
      { kind: 'source.turned', source: 'engine:r2', from: 'ok', to: 'down', why: 'r2 is refused' },
      { kind: 'replica.gone', replicaId: 'r2' },
      { kind: 'fleet.scaled', from: 3, to: 2, added: [], removed: ['r2'], cause: 'failure', epoch: 3 },
    ])
  })

  test('one whose engine nobody reads is never ready, and its source says that it is not supported', async () => {
    const { watcher, pass, answers, states, records } = aWatch()
    answers.set('r2', 'unsupported')
    watcher.targets(three, 'operator')
    await pass(2_500)
    expect(states()).toEqual(['ready', 'down', 'ready'])
    expect(watcher.fleet()?.sources[1]).toMatchObject({
      state: 'unsupported',
      lastError: 'r2 is unsupported',
    })
    expect(records.filter(({ kind }) => kind === 'source.turned')).toHaveLength(1)
  })

  test('the same address with another engine is another replica: it is read anew', async () => {
    const { watcher, pass, reads, records } = aWatch()
    const [r1] = three as [Replica, ...Replica[]]
    watcher.targets([r1], 'operator')
    await pass(300)
    watcher.targets([{ ...r1, engine: 'other' }], 'operator')
    await pass(300)
    expect(reads.get('r1')).toBe(2)
    expect(records.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['replica.gone', 'fleet.scaled']))
  })

  test('the epoch goes up once for each change of membership or eligibility, and for nothing else', async () => {
    const { watcher, pass, answers, told } = aWatch()
    watcher.targets(three, 'operator')
    await pass(5_000)
    expect(told.at(-1)?.epoch).toBe(1)
    answers.set('r1', 'timeout')
    await pass(1_200) // one failed read changes nothing
    expect(told.at(-1)?.epoch).toBe(1)
    await pass(1_200)
    expect(told.at(-1)?.epoch).toBe(2)
    answers.set('r1', 'good')
    await pass(3_000)
    expect(told.at(-1)?.epoch).toBe(3)
    watcher.targets([...three, aReplica('r4')], 'operator')
    expect(told.at(-1)?.epoch).toBe(4)
    expect(told.at(-1)?.replicas.filter(isEligible)).toHaveLength(3)
    await pass(300)
    expect(told.at(-1)?.epoch).toBe(5)
    expect(told.at(-1)?.replicas.filter(isEligible)).toHaveLength(4)
    watcher.targets([...three, aReplica('r4')], 'operator')
    await pass(3_000)
    expect(told.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5])
  })

  test('epochs go on from where the run before ended', async () => {
    const { watcher, pass, told } = aWatch({ epoch: 41 })
    watcher.targets(three, 'operator')
    await pass(300)
    expect(told.map(({ epoch }) => epoch)).toEqual([42])
  })

  test('a scale event names who came and who went, and why; the order of the targets stands', async () => {
    const { watcher, pass, records, told } = aWatch()
    watcher.targets(three, 'operator')
    await pass(300)
    const next = [aReplica('r4'), ...three.slice(1)]
    watcher.targets(next, 'operator')
    await pass(300)
    expect(records.find(({ kind }) => kind === 'fleet.scaled')).toEqual({
      kind: 'fleet.scaled',
      from: 3,
      to: 3,
      added: ['r4'],
      removed: ['r1'],
      cause: 'operator',
      epoch: 2,
    })
    expect(told.at(-1)?.replicas.map(({ replica }) => replica.id)).toEqual(['r4', 'r2', 'r3'])
  })

  test('the same id at another address is another replica', async () => {
    const { watcher, pass, records } = aWatch()
    watcher.targets([aReplica('r1')], 'operator')
    await pass(300)
    watcher.targets([aReplica('r1', 'http://127.0.0.1:2')], 'failure')
    await pass(300)
    expect(records.map(({ kind }) => kind)).toEqual([
      'replica.seen',
      'replica.gone',
      'fleet.scaled',
      'replica.seen',
    ])
  })

  test('reads never overlap and are spread by a tenth of their pace', async () => {
    const { watcher, pass, reads } = aWatch()
    watcher.targets(three, 'operator')
    await pass(60_000)
    for (const { id } of three) {
      expect(reads.get(id)).toBeGreaterThan(50)
      expect(reads.get(id)).toBeLessThan(68)
    }
    watcher.stop()
    const before = reads.get('r1')
    await pass(5_000)
    expect(reads.get('r1')).toBe(before)
  })
})

describe('what the figures say', () => {
  test('no read yet: everything is absent with its reason, nothing is 0', async () => {
    const { watcher, pass } = aWatch()
    watcher.targets(three, 'operator')
    await pass(300)
    watcher.targets([...three, aReplica('r4')], 'operator')
    const fresh = watcher.fleet()?.replicas[3]
    expect(fresh).toMatchObject({
      state: { absent: 'never-received' },
      running: { absent: 'never-received', source: 'engine:r4' },
      kvUsedRatio: { absent: 'never-received' },
      errorsPerMinute: { absent: 'never-received', source: 'router' },
      upSinceWallMs: null,
    })
  })

  test('figures of a replica that went down stay and grow old; the source says down', async () => {
    const { watcher, pass, answers, clock } = aWatch()
    watcher.targets(three, 'operator')
    await pass(300)
    answers.set('r1', 'refused')
    await pass(20_000)
    const fleet = watcher.fleet()
    const running = fleet?.replicas[0]?.running
    expect(running).toMatchObject({ value: 3 })
    expect(
      clock.monoMs() - (running && 'value' in running ? running.takenMonoMs : clock.monoMs()),
    ).toBeGreaterThan(18_000)
    expect(fleet?.sources[0]).toMatchObject({
      id: 'engine:r1',
      state: 'down',
      lastError: 'r1 is refused',
      everyMs: 1_000,
    })
  })

  test.each<{ answer: Answer; state: string; words: string }>([
    { answer: 'no-figures', state: 'down', words: 'a login page' },
    { answer: 'unsupported', state: 'unsupported', words: 'r1 is unsupported' },
    { answer: 'wrong-model', state: 'ok', words: 'it serves other, not demo-8b' },
  ])(
    '[F39] [F59] an engine that answers $answer: source $state, in words',
    async ({ answer, state, words }) => {
      const { watcher, pass, answers } = aWatch()
      answers.set('r1', answer)
      watcher.targets(three, 'operator')
      await pass(300)
      expect(watcher.fleet()?.sources[0]?.state).toBe(state)
      expect(watcher.fleet()?.replicas[0]?.lastError).toBe(words)
    },
  )

  test('up since: when it was first seen ready, anew after it was down', async () => {
    const { watcher, pass, answers, clock } = aWatch()
    watcher.targets(three, 'operator')
    await pass(300)
    const first = watcher.fleet()?.replicas[0]?.upSinceWallMs
    expect(first).not.toBeNull()
    await pass(3_000)
    expect(watcher.fleet()?.replicas[0]?.upSinceWallMs).toBe(first)
    answers.set('r1', 'refused')
    await pass(1_500)
    expect(watcher.fleet()?.replicas[0]?.upSinceWallMs).toBeNull()
    answers.set('r1', 'good')
    await pass(3_000)
    expect(watcher.fleet()?.replicas[0]?.upSinceWallMs).toBeGreaterThan(clock.wallMs() - 3_000)
  })

  test('after sleep: sources are stale at once, rates start anew, everything is read now', async () => {
    const { watcher, pass, restarts, records, reads } = aWatch()
    watcher.targets(three, 'operator')
    await pass(300)
    const before = reads.get('r1') ?? 0
    watcher.resumed()
    expect(watcher.fleet()?.sources.map(({ state }) => state)).toEqual(['stale', 'stale', 'stale'])
    expect(restarts).toEqual(['r1', 'r2', 'r3'])
    expect(records.filter(({ kind }) => kind === 'source.turned')).toHaveLength(3)
    await pass(200)
    expect(reads.get('r1')).toBe(before + 1)
    expect(watcher.fleet()?.sources.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok'])
  })
})

describe('watching the clocks', () => {
  const watch = () => {
    const clock = createManualClock()
    const seen: (string | number)[] = []
    const stop = watchClocks(clock, clock, {
      jumped: (byMs) => seen.push(byMs),
      suspended: (from, to) => seen.push(`asleep ${to - from}`),
    })
    return { clock, seen, stop }
  }
  test.each([
    { jump: 3_600_000, seen: [3_600_000] },
    { jump: -3_600_000, seen: [-3_600_000] },
    { jump: -56 * 365 * 86_400_000, seen: [-56 * 365 * 86_400_000] },
    { jump: 1_900, seen: [] },
  ])('[F81] the wall clock moved by $jump ms: $seen', ({ jump, seen }) => {
    const run = watch()
    run.clock.advance(3_000)
    run.clock.jump(jump)
    run.clock.advance(5_000)
    expect(run.seen).toEqual(seen)
  })

  test('a tick that comes an hour late is sleep', () => {
    const clock = createManualClock()
    const seen: string[] = []
    let late = 0
    let tick: () => void = () => {}
    watchClocks(
      { monoMs: () => clock.monoMs() + late, wallMs: () => clock.wallMs() + late },
      {
        after: clock.after,
        every(_, job) {
          tick = job
          return { stop() {} }
        },
      },
      {
        jumped: (byMs) => seen.push(`jump ${byMs}`),
        suspended: (from, to) => seen.push(`asleep ${to - from}`),
      },
    )
    clock.advance(1_000)
    tick()
    late = 3_600_000
    clock.advance(1_000)
    tick()
    expect(seen).toEqual(['asleep 3601000'])
  })
})
