import { describe, expect, test } from 'vitest'
import { configurePolicy } from '../../../src-main/app/router/configuration'
import { type Answer, createConsult } from '../../../src-main/app/router/consult'
import { createDecider } from '../../../src-main/app/router/decide'
import { startingFleet } from '../../../src-main/app/router/membership'
import type { PendingDecision } from '../../../src-main/app/router/report'
import { createDraw } from '../../../src-main/base/draw'
import type { ReplicaState } from '../../../src-main/domain/fleet/replica'
import type { FaultName } from '../../../src-main/domain/journal/record'
import type { Choice } from '../../../src-main/domain/routing/decision'
import { definePolicy, picked, refused } from '../../../src-main/domain/routing/policy'
import { createManualClock } from '../../helpers/manual-clock'
import { fleetOf } from '../../helpers/router-rig'

const replicas = ['a', 'b', 'c'].map((id, at) => ({ id, model: 'm', url: `http://127.0.0.1:${at + 1}` }))

/** A router whose policy does what the test says. */
function routerOf(choose: () => Choice, faults: FaultName[] = []) {
  const clock = createManualClock()
  const policy = definePolicy<Record<string, never>, null>({
    id: 'scripted',
    title: 'Scripted',
    summary: 'Does what the test says.',
    source: 'the test',
    signals: [],
    params: {},
    init: () => null,
    choose,
    explain: () => [],
  })
  const configuration = configurePolicy(policy, { id: 'scripted', params: {} }, createDraw(1))
  if (!configuration.ok) throw new Error(configuration.error.message)
  let idleMs = 0
  const decider = createDecider({
    clock,
    workedMs: () => clock.monoMs() - idleMs,
    draw: createDraw(1),
    prefix: 'P#',
    configuration: configuration.value,
    fleet: startingFleet(replicas, 0),
  })
  const reported: PendingDecision[] = []
  let count = 0
  const consult = createConsult({
    decider,
    clock,
    nextId: () => `d-${++count}`,
    faults: () => new Set(faults),
    report: (pending) => reported.push(pending),
    prefix: 'P#',
  })
  const ask = (asked: 'proxy' | 'http' = 'proxy'): Answer =>
    consult({
      requestId: 'q',
      method: 'POST',
      path: '/',
      request: { model: null, sessionText: null, promptTokens: null, truncated: null },
      asked,
      demo: false,
    })
  /** Time goes by in which others have the processor. */
  const stall = (ms: number) => {
    clock.advance(ms)
    idleMs += ms
  }
  return { ask, decider, clock, stall, reported, faults }
}

describe('an answer of the deciding step', () => {
  test('a pick: 200 with the long id, its fallbacks, and a place held for the proxy only', () => {
    const { ask, decider } = routerOf(() => picked([1, 2, 0]))
    const answer = ask()
    expect(answer).toMatchObject({
      decisionId: 'd-1',
      status: 200,
      replicaId: 'P#b',
      fallbacks: ['P#c', 'P#a'],
      refusal: null,
    })
    expect(decider.inFlight.counts).toEqual(new Map([['b', 1]]))
    expect([...decider.membership.candidates.inFlight]).toEqual([0, 1, 0])
    expect(ask('http').hold).toBeNull()
    expect(decider.inFlight.total).toBe(1)
    answer.hold?.release()
    answer.hold?.release()
    expect(decider.inFlight.total, 'released once, however often').toBe(0)
  })

  test('two requests in one tick see each other', () => {
    const seen: number[][] = []
    const { ask, decider } = routerOf(() => {
      seen.push([...decider.membership.candidates.inFlight])
      return picked([0])
    })
    ask()
    ask()
    expect(seen).toEqual([
      [0, 0, 0],
      [1, 0, 0],
    ])
  })

  const troubles: readonly { name: string; choose: () => Choice; is: Partial<Answer> }[] = [
    {
      name: 'throws',
      choose: () => {
        throw new Error('broken')
      },
      is: { status: 500, refusal: 'policy_failed' },
    },
    { name: 'names nobody', choose: () => picked([]), is: { status: 500, refusal: 'policy_bad_answer' } },
    {
      name: 'names an index that is not there',
      choose: () => picked([7]),
      is: { status: 503, refusal: 'unknown_replica' },
    },
    {
      name: 'names a fraction',
      choose: () => picked([0.5]),
      is: { status: 503, refusal: 'unknown_replica' },
    },
    {
      name: 'names NaN',
      choose: () => picked([Number.NaN]),
      is: { status: 503, refusal: 'unknown_replica' },
    },
    {
      name: 'names an unknown fallback',
      choose: () => picked([0, -1]),
      is: { status: 503, refusal: 'unknown_replica' },
    },
    {
      name: 'refuses: no replica',
      choose: () => refused('no_replica'),
      is: { status: 503, refusal: 'no_replica' },
    },
    {
      name: 'refuses: at capacity',
      choose: () => refused('at_capacity'),
      is: { status: 503, refusal: 'at_capacity' },
    },
  ]
  test.each(troubles)('a policy that $name (F22)', ({ choose, is }) => {
    const { ask, decider, reported } = routerOf(choose)
    expect(ask()).toMatchObject({ replicaId: null, hold: null, ...is })
    expect(decider.inFlight.total).toBe(0)
    expect(reported).toHaveLength(1)
  })

  test('an answer that took more than 250 ms is thrown away; the next one counts again', () => {
    let takesMs = 251
    const { ask, clock, decider } = routerOf(() => {
      clock.advance(takesMs)
      return picked([0])
    })
    expect(ask()).toMatchObject({ status: 500, refusal: 'policy_timeout', hold: null })
    expect(decider.inFlight.total).toBe(0)
    takesMs = 250
    expect(ask()).toMatchObject({ status: 200, replicaId: 'P#a' })
  })

  test('time in which the machine did not let the router run is not charged to the policy', () => {
    let worksMs = 200
    const { ask, clock, stall } = routerOf(() => {
      stall(3_000)
      clock.advance(worksMs)
      return picked([0])
    })
    expect(ask()).toMatchObject({ status: 200, replicaId: 'P#a' })
    worksMs = 251
    expect(ask()).toMatchObject({ status: 500, refusal: 'policy_timeout' })
  })

  test('an excluded replica may not be named', () => {
    const { ask, decider } = routerOf(() => picked([1]))
    decider.see(
      fleetOf(
        2,
        replicas.map((each) => ({ ...each, excluded: each.id === 'b' })),
      ),
    )
    expect(ask()).toMatchObject({ status: 503, refusal: 'unknown_replica' })
  })

  test('a fault hides the policy: it is not asked, and nothing is held', () => {
    let asked = 0
    const { ask, decider, reported } = routerOf(() => {
      asked++
      return picked([0])
    }, ['router-junk'])
    expect(ask()).toMatchObject({ status: 200, replicaId: null, refusal: null, hold: null })
    expect([asked, decider.inFlight.total, reported[0]?.decision]).toEqual([0, 0, null])
  })

  test.each([
    ['router-down', { status: 0, named: null, detail: null }],
    ['router-500', { status: 500, named: null, detail: 'Internal Server Error' }],
    ['router-junk', { status: 200, named: null, detail: null }],
    ['router-unknown-replica', { status: 200, named: 'P#no-such-replica', detail: null }],
  ] as const)('what was answered under %s is on record', (fault, answer) => {
    const { ask, reported } = routerOf(() => picked([0]), [fault])
    ask()
    expect(reported[0]?.answer).toEqual(answer)
  })

  test('so are the words of a refusal; of a pick the decision itself tells', () => {
    const answers = [refused('no_replica'), picked([0])].map((choice) => {
      const { ask, reported } = routerOf(() => choice)
      ask()
      return reported[0]?.answer
    })
    expect(answers).toEqual([{ status: 503, named: null, detail: 'No replicas are available.' }, null])
  })
})

describe('the fleet', () => {
  test('counts survive a change of the fleet, by replica id', () => {
    const { ask, decider } = routerOf(() => picked([1]))
    const answer = ask()
    decider.join([...replicas].reverse().slice(0, 2))
    expect([...decider.membership.candidates.inFlight]).toEqual([0, 1])
    answer.hold?.release()
    expect([...decider.membership.candidates.inFlight]).toEqual([0, 0])
  })

  test('a replica that nobody has read keeps what was known of it', () => {
    const { decider } = routerOf(() => picked([0]))
    const told = (states: readonly (ReplicaState | null)[]) =>
      decider.see(
        fleetOf(
          1,
          replicas.map((each, at) => ({ ...each, state: states[at] ?? null })),
        ),
      )
    told(['down', 'ready', null])
    told([null, null, null]) // ingest began anew
    expect(decider.membership.candidates.exclusions).toEqual(['not-ready', null, null])
  })

  test('the version goes up with each change of members or eligibility, and with nothing else', () => {
    const { decider } = routerOf(() => picked([0]))
    const versions = [decider.membership.version]
    const see = (epoch: number, of: Parameters<typeof fleetOf>[1]) => {
      decider.see(fleetOf(epoch, of))
      versions.push(decider.membership.version)
    }
    see(1, replicas)
    see(
      2,
      replicas.map((each) => ({ ...each, excluded: each.id === 'a' })),
    )
    decider.join(replicas.slice(1))
    see(3, replicas.slice(1))
    see(1, replicas.slice(1)) // ingest began anew
    expect(versions).toEqual([1, 1, 2, 3, 3])
  })

  test('members are the fleet: a reading from before cannot undo them, however late it comes', () => {
    const { decider } = routerOf(() => picked([0]))
    const ids = () => decider.membership.candidates.ids.join()
    const d = { id: 'd', model: 'm', url: 'http://127.0.0.1:4' }
    const [a, b, c] = replicas as [(typeof replicas)[0], (typeof replicas)[0], (typeof replicas)[0]]
    decider.join([b, d])
    expect([ids(), decider.membership.candidates.exclusions], 'a new one counts as ready').toEqual([
      'b,d',
      [null, null],
    ])
    decider.see(fleetOf(1, [a, { ...b, state: 'down' }, c]))
    expect([ids(), decider.membership.candidates.exclusions]).toEqual(['b,d', ['not-ready', null]])
    const { version } = decider.membership
    decider.join([b, d])
    expect([ids(), decider.membership.version], 'saying it twice changes nothing').toEqual(['b,d', version])
    decider.see(fleetOf(9, [{ ...d, url: 'http://127.0.0.1:5', state: 'down' }]))
    expect(decider.membership.candidates.exclusions, 'the same id elsewhere is another replica').toEqual([
      'not-ready',
      null,
    ])
    decider.join([])
    expect(ids()).toBe('')
  })
})
