import { describe, expect, test } from 'vitest'
import { createWorkload, demoShape, type Turn } from '../../src-main/sim/workload'

const answer = (turn: Turn) => `Answer ${turn.conversation}.${turn.turn}`

/** Plays a workload with answers that take some time, and returns the turns in order of asking. */
function play(
  seed: number,
  seconds: number,
  { perSecond = 6, answerMs = 300 } = {},
): { turn: Turn; atMs: number }[] {
  const workload = createWorkload(seed)
  const asked: { turn: Turn; atMs: number }[] = []
  const answering: { turn: Turn; atMs: number }[] = []
  for (let nowMs = 0; nowMs < seconds * 1_000; nowMs += workload.gapMs(perSecond)) {
    while ((answering[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const { turn, atMs } = answering.shift() as { turn: Turn; atMs: number }
      workload.answered(turn, answer(turn), atMs)
    }
    const turn = workload.take(nowMs)
    if (!turn) continue
    asked.push({ turn, atMs: nowMs })
    answering.push({ turn, atMs: nowMs + answerMs })
  }
  return asked
}

describe('demo workload', () => {
  const asked = play(7, 1_200)
  const turns = asked.map(({ turn }) => turn)

  test('arrivals are a Poisson process of the rate', () => {
    expect(asked.length / 1_200).toBeCloseTo(6, 0)
    const gaps = asked.slice(1).map(({ atMs }, at) => atMs - (asked[at]?.atMs ?? 0))
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length
    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1)
  })

  test('the same seed asks the same, another seed something else, and speed changes only when', () => {
    expect(play(7, 60)).toEqual(play(7, 60))
    expect(play(8, 60)[0]?.turn).not.toEqual(play(7, 60)[0]?.turn)
    const slow = play(7, 120, { answerMs: 5_000 }).map(({ turn }) => turn)
    const key = (turn: Turn) => `${turn.conversation}.${turn.turn}`
    const known = new Map(turns.map((turn) => [key(turn), turn]))
    const both = slow.filter((turn) => known.has(key(turn)))
    expect(both.length).toBeGreaterThan(100)
    for (const turn of both) expect(turn).toEqual(known.get(key(turn)))
  })

  test('a turn holds the earlier turns and their answers, word for word', () => {
    const last = new Map<number, Turn>()
    for (const turn of turns) {
      const before = last.get(turn.conversation)
      expect(turn.turn).toBe(before ? before.turn + 1 : 0)
      if (before)
        expect(turn.messages.slice(0, -1)).toEqual([
          ...before.messages,
          { role: 'assistant', content: answer(before) },
        ])
      expect(turn.messages[0]?.role).toBe('system')
      expect(turn.messages.at(-1)?.role).toBe('user')
      last.set(turn.conversation, turn)
    }
  })

  test('conversations have about six turns, at most fourteen', () => {
    // The last minutes hold unfinished ones.
    const finished = asked.filter(({ atMs }) => atMs < 1_000_000).map(({ turn }) => turn)
    const lengths = new Map<number, number>()
    for (const turn of turns) lengths.set(turn.conversation, turn.turn + 1)
    const whole = [...new Set(finished.map((turn) => turn.conversation))].map(
      (each) => lengths.get(each) ?? 0,
    )
    expect(Math.max(...whole)).toBeLessThanOrEqual(demoShape.turnsMost)
    expect(whole.reduce((sum, each) => sum + each, 0) / whole.length).toBeGreaterThan(4.5)
    expect(whole.reduce((sum, each) => sum + each, 0) / whole.length).toBeLessThan(7)
  })

  test('system prompts are few and shared, the first far more often than the last', () => {
    const counts = new Map<string, number>()
    for (const turn of turns.filter((each) => each.turn === 0))
      counts.set(turn.messages[0]?.content ?? '', (counts.get(turn.messages[0]?.content ?? '') ?? 0) + 1)
    const sorted = [...counts.values()].sort((a, b) => b - a)
    expect(sorted.length).toBe(demoShape.systemPrompts)
    expect((sorted[0] ?? 0) / (sorted.at(-1) ?? 1)).toBeGreaterThan(4)
  })

  test('a small share sends no session id, another is not streamed', () => {
    const first = turns.filter((turn) => turn.turn === 0)
    const keyless = first.filter((turn) => turn.sessionId === null).length / first.length
    expect(keyless).toBeGreaterThan(0.01)
    expect(keyless).toBeLessThan(0.06)
    const whole = turns.filter((turn) => !turn.stream).length / turns.length
    expect(whole).toBeGreaterThan(0.03)
    expect(whole).toBeLessThan(0.07)
  })

  test('session ids are unique per conversation and the texts are plain ASCII', () => {
    const ids = new Map(
      turns.flatMap((turn) => (turn.sessionId ? [[turn.sessionId, turn.conversation]] : [])),
    )
    expect(new Set(ids.values()).size).toBe(ids.size)
    for (const turn of turns.slice(0, 200)) expect(turn.messages.at(-1)?.content).toMatch(/^[ -~\n]+$/)
  })
})

describe('trouble', () => {
  test('a turn that failed is asked again later, the same; a refused one ends its conversation', () => {
    const workload = createWorkload(1, { ...demoShape, conversationsMost: 1, turnsMean: 10 })
    const turn = workload.take(0) as Turn
    expect(workload.take(0)).toBeNull()
    workload.failed(turn, 0, true)
    expect(workload.take(60_000)).toBe(turn)
    workload.failed(turn, 60_000, false)
    expect(workload.conversations).toBe(0)
    expect((workload.take(60_000) as Turn).conversation).toBe(1)
  })

  test('an answer that comes twice or after its turn was given up changes nothing', () => {
    const workload = createWorkload(1, { ...demoShape, turnsMean: 10 })
    const turn = workload.take(0) as Turn
    workload.failed(turn, 0, false)
    workload.answered(turn, 'late', 1)
    expect(workload.conversations).toBe(0)
  })

  test('conversations never outgrow their limit, and at the limit the next in thought goes on early', () => {
    const workload = createWorkload(1, { ...demoShape, conversationsMost: 3, turnsMean: 10 })
    const turns = [0, 0, 0].map((nowMs) => workload.take(nowMs) as Turn)
    for (const turn of turns) workload.answered(turn, 'yes', 0)
    expect(workload.take(1)?.turn).toBe(1)
    expect(workload.conversations).toBeLessThanOrEqual(3)
  })
})
