import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDraw } from '../../src-main/base/draw'
import { policies } from '../../src-main/domain/policies'
import { type Candidates, isOpen, openOnes } from '../../src-main/domain/routing/candidates'
import { type Choice, decided } from '../../src-main/domain/routing/decision'
import { paramsOf } from '../../src-main/domain/routing/params'
import type { AnyPolicy, RouteInput } from '../../src-main/domain/routing/policy'

// Rules R1 to R5 are spelled out in src-main/domain/policies/README.md. Whatever is in the registry keeps them.
const seeded = { seed: 20260101, numRuns: 150 }

/** A fleet of some replicas, some of which may not be picked, with figures that may be missing. */
const fleets = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 12 }).chain((numbers) =>
  fc.record({
    ids: fc.constant(numbers.map((number) => `r${number}`)),
    out: fc.array(fc.constantFrom(null, null, null, 'not-ready', 'excluded'), {
      minLength: numbers.length,
      maxLength: numbers.length,
    }),
    load: fc.array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(Number.NaN)), {
      minLength: numbers.length,
      maxLength: numbers.length,
    }),
  }),
)
type Fleet = { ids: string[]; out: (null | 'not-ready' | 'excluded')[]; load: number[] }
const requests = fc.record({
  id: fc.uuid(),
  model: fc.constantFrom('m', null),
  sessionText: fc.oneof(fc.constant(null), fc.constant(''), fc.string({ maxLength: 12 })),
  promptTokens: fc.option(fc.nat(10_000)),
  truncated: fc.constant(null),
})
const turns = fc.array(fc.tuple(fleets, requests), { minLength: 1, maxLength: 12 })

function candidatesOf({ ids, out, load }: Fleet): Candidates {
  const column = () => Float64Array.from(load)
  return {
    ids,
    exclusions: out,
    inFlight: Float64Array.from(load, (value) => (Number.isNaN(value) ? 0 : value)),
    maxOngoing: column(),
    running: column(),
    waiting: column(),
    kvUsedRatio: Float64Array.from(load, (value) => value / 20),
    takenMonoMs: column(),
  }
}

/** A policy with its own memory and draws, asked turn by turn. The fleet's epoch changes with every turn. */
function asker(policy: AnyPolicy, seed = 1) {
  const params = paramsOf(policy, {})
  if (!params.ok) throw new Error(params.error.message)
  const draw = createDraw(seed)
  let memory: unknown = policy.init(params.value, draw.fork('memory'))
  const choices = draw.fork('choices')
  return {
    ask(input: Omit<RouteInput, 'draw'>): Choice {
      policy.observe?.(memory, {
        kind: 'fleet-changed',
        candidates: input.candidates,
        fleetEpoch: input.fleetEpoch,
      })
      return policy.choose(memory, { ...input, draw: choices })
    },
    fork() {
      memory = structuredClone(memory)
    },
  }
}

const inputOf = ([fleet, request]: [Fleet, RouteInput['request']], at: number): Omit<RouteInput, 'draw'> => ({
  request,
  candidates: candidatesOf(fleet),
  fleetEpoch: at,
  monoMs: at * 10,
})

describe.each(policies.all())('policy $id', (policy) => {
  test('[R1] it picks only candidates that may be picked, and names only such as fallbacks, each once', () => {
    fc.assert(
      fc.property(turns, (rows) => {
        const { ask } = asker(policy)
        for (const [at, row] of rows.entries()) {
          const input = inputOf(row, at)
          const choice = ask(input)
          if (choice.kind === 'refused') continue
          expect(choice.ranked.length).toBeGreaterThan(0)
          expect(new Set(choice.ranked).size).toBe(choice.ranked.length)
          for (const index of choice.ranked) expect(isOpen(input.candidates, index)).toBe(true)
        }
      }),
      seeded,
    )
  })

  test('[R1] it refuses when nobody may be picked, and only then while nobody is full', () => {
    fc.assert(
      fc.property(turns, (rows) => {
        const { ask } = asker(policy)
        for (const [at, row] of rows.entries()) {
          const input = inputOf(row, at)
          const choice = ask(input)
          if (openOnes(input.candidates).length === 0)
            expect(choice).toMatchObject({ kind: 'refused', refusal: 'no_replica' })
          else if (choice.kind === 'refused') expect(choice.refusal).toBe('at_capacity')
        }
      }),
      seeded,
    )
  })

  test('[R2] exactly one reason for each candidate, made when read, equal to those made at once', () => {
    fc.assert(
      fc.property(turns, (rows) => {
        const { ask } = asker(policy)
        for (const [at, row] of rows.entries()) {
          const input = inputOf(row, at)
          const decision = decided({
            id: 'd',
            choice: ask(input),
            candidates: input.candidates,
            fleetEpoch: at,
            decidedMonoMs: input.monoMs,
          })
          const atOnce = policy.explain(decision)
          input.candidates.inFlight.fill(99)
          const later = policy.explain(decision)
          expect(later).toEqual(atOnce)
          expect(atOnce.map(({ replicaId }) => replicaId).sort()).toEqual([...input.candidates.ids].sort())
          const ranked = decision.choice.kind === 'picked' ? decision.choice.ranked : []
          for (const reason of atOnce) {
            const rank = ranked.indexOf(input.candidates.ids.indexOf(reason.replicaId))
            expect(reason.rank).toBe(rank < 0 ? null : rank)
            expect(reason.verdict === 'picked').toBe(rank === 0)
            expect(reason.verdict === 'fallback').toBe(rank > 0)
            for (const value of Object.values(reason.facts)) expect(Number.isFinite(value)).toBe(true)
          }
        }
      }),
      seeded,
    )
  })

  test('[R3] same memory, same input, same draws: same choice', () => {
    fc.assert(
      fc.property(turns, fc.nat(), (rows, seed) => {
        const [one, two] = [asker(policy, seed), asker(policy, seed)]
        for (const [at, row] of rows.entries())
          expect(two.ask(inputOf(row, at))).toEqual(one.ask(inputOf(row, at)))
      }),
      seeded,
    )
  })

  test('[R4] it does not change the input it was given', () => {
    fc.assert(
      fc.property(turns, (rows) => {
        const { ask } = asker(policy)
        for (const [at, row] of rows.entries()) {
          const input = inputOf(row, at)
          const before = structuredClone(input)
          Object.freeze(input.request)
          Object.freeze(input.candidates.ids)
          Object.freeze(input.candidates.exclusions)
          ask(Object.freeze(input))
          expect(input).toEqual(before)
        }
      }),
      seeded,
    )
  })

  test('[R5] its memory is plain data: a run forked in the middle goes on the same', () => {
    fc.assert(
      fc.property(turns, fc.nat(), (rows, seed) => {
        const [one, two] = [asker(policy, seed), asker(policy, seed)]
        for (const [at, row] of rows.entries()) {
          two.fork()
          expect(two.ask(inputOf(row, at))).toEqual(one.ask(inputOf(row, at)))
        }
      }),
      seeded,
    )
  })
})

const openFleet = (ids: string[]): Fleet => ({ ids, out: ids.map(() => null), load: ids.map(() => 0) })
const ask = (sessionText: string | null, id = 'x') =>
  ({ id, model: null, sessionText, promptTokens: null, truncated: null }) as const
const pickOf = (policy: ReturnType<typeof asker>, fleet: Fleet, session: string, epoch: number) => {
  const choice = policy.ask(inputOf([fleet, ask(session)], epoch))
  return choice.kind === 'picked' ? (fleet.ids[choice.ranked[0] as number] ?? null) : null
}

describe('consistent-hash', () => {
  const policy = policies.get('consistent-hash')
  const sessions = Array.from({ length: 400 }, (_, at) => `session-${at}`)

  test('a replica that leaves, or may not be picked, moves only its own sessions; one that joins only takes', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 2, maxLength: 10 }),
        fc.nat(),
        (numbers, pick) => {
          const ids = numbers.map((number) => `r${number}`)
          const gone = ids[pick % ids.length] as string
          const router = asker(policy)
          const all = openFleet(ids)
          const before = new Map(sessions.map((session) => [session, pickOf(router, all, session, 1)]))
          const without = openFleet(ids.filter((id) => id !== gone))
          const out: Fleet = { ...all, out: ids.map((id) => (id === gone ? 'not-ready' : null)) }
          for (const [at, fleet] of [without, out].entries())
            for (const [session, owner] of before) {
              const after = pickOf(router, fleet, session, 2 + at)
              if (owner === gone) expect(after).not.toBe(gone)
              else expect(after).toBe(owner)
            }
          for (const [session, owner] of before)
            expect(pickOf(router, all, session, 9), 'all comes back').toBe(owner)
        },
      ),
      { seed: 20260101, numRuns: 15 },
    )
  })

  test('the same session goes to the same replica, on every router; no session spreads by the request', () => {
    const fleet = openFleet(['r1', 'r2', 'r3', 'r4'])
    const [one, two] = [asker(policy, 1), asker(policy, 2)]
    const picks = new Map<string, number>()
    for (const session of sessions) {
      const pick = pickOf(one, fleet, session, 1) as string
      expect(pickOf(two, fleet, session, 1)).toBe(pick)
      const spread = one.ask(inputOf([fleet, ask(null, session)], 1))
      const to = spread.kind === 'picked' ? (fleet.ids[spread.ranked[0] as number] as string) : ''
      picks.set(to, (picks.get(to) ?? 0) + 1)
    }
    for (const id of fleet.ids) expect(picks.get(id) ?? 0).toBeGreaterThan(sessions.length / 12)
  })
})

describe('round-robin', () => {
  test('exact rotation over the open replicas, from a start that the seed draws', () => {
    fc.assert(
      fc.property(fleets, fc.nat(), (fleet, seed) => {
        const open = openOnes(candidatesOf(fleet))
        fc.pre(open.length > 0)
        const router = asker(policies.get('round-robin'), seed)
        const picks = Array.from({ length: 2 * open.length }, () =>
          router.ask(inputOf([fleet, ask(null)], 1)),
        )
        const order = picks.map((choice) => (choice.kind === 'picked' ? (choice.ranked[0] as number) : -1))
        const start = open.indexOf(order[0] as number)
        expect(order).toEqual(order.map((_, at) => open[(start + at) % open.length]))
        const [first] = picks
        expect(first?.kind === 'picked' && first.ranked, 'the ranks wrap over all of them').toEqual([
          ...open.slice(start),
          ...open.slice(0, start),
        ])
      }),
      seeded,
    )
  })

  test('different seeds start at different replicas', () => {
    const fleet = openFleet(['r1', 'r2', 'r3', 'r4'])
    const starts = Array.from({ length: 40 }, (_, seed) =>
      pickOf(asker(policies.get('round-robin'), seed), fleet, 's', 1),
    )
    expect(new Set(starts).size).toBe(4)
  })
})
