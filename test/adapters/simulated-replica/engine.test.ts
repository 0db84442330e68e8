import { describe, expect, test } from 'vitest'
import {
  createEngine,
  type EngineObserver,
  type Job,
} from '../../../src-main/adapters/simulated-replica/engine'
import { present } from '../../../src-main/base/assert'
import { findPreset } from '../../../src-main/sim/presets'
import { createManualClock } from '../../helpers/manual-clock'

const preset = present(findPreset('llama-3.1-8b_h100'), 'preset')
const request = (id: string, promptTokens: number, outputTokens: number) => ({
  id,
  promptTokens,
  outputTokens,
  finish: 'stop' as const,
  blocks: Array.from({ length: 1_000 }, (_, at) => at),
})

function start(speed: number) {
  const clock = createManualClock()
  const log: string[] = []
  const observer: EngineObserver = {
    token: (job: Job, gapMs) => log.push(`${job.sequence.request.id} ${job.produced} +${gapMs.toFixed(1)}`),
    finished: (job, reason) => log.push(`${job.sequence.request.id} ${reason}`),
    step: () => {},
  }
  return { clock, log, engine: createEngine({ preset, speed, clock, timers: clock, observer }) }
}

describe('an engine on the wall clock', () => {
  test.each([1, 10])('at speed %i the first token of 1,024 comes after 43 ms of engine time', (speed) => {
    const { clock, log, engine } = start(speed)
    engine.submit(request('a', 1_024, 3), () => {})
    clock.advance(42.5 / speed)
    expect(log).toEqual([])
    clock.advance(1 / speed)
    expect(log).toHaveLength(1)
    clock.advance(100)
    expect(log.at(-1)).toBe('a stop')
    expect(clock.pending).toBe(0)
  })

  test('what falls due in one wake-up is told at once, token by token', () => {
    const clock = createManualClock()
    const told: number[] = []
    // A timer that is always 50 ms late, as on a busy machine.
    const late = { after: (ms: number, job: () => void) => clock.after(ms + 50, job), every: clock.every }
    const observer = { token: () => {}, finished: () => {}, step: () => {} }
    const engine = createEngine({ preset, speed: 1, clock, timers: late, observer })
    const job = engine.submit(request('a', 16, 20), () => told.push(job.produced))
    clock.advance(1_000)
    expect(told.length).toBeLessThan(6)
    expect(told.at(-1)).toBe(20)
    expect(job).toMatchObject({ finished: 'stop', produced: 20 })
  })

  test('an aborted job tells nothing any more, and closing aborts the rest and stops the clock', () => {
    const { clock, log, engine } = start(1)
    const told: string[] = []
    const first = engine.submit(request('a', 16, 50), () => told.push('a'))
    engine.submit(request('b', 16, 50), () => told.push('b'))
    clock.advance(60)
    engine.abort(first)
    engine.abort(first)
    const before = told.filter((id) => id === 'a').length
    clock.advance(60)
    expect(told.filter((id) => id === 'a')).toHaveLength(before)
    expect(engine.stats).toMatchObject({ running: 1 })
    engine.close()
    expect(engine.stats).toMatchObject({ running: 0, waiting: 0, arriving: 0, kvUsedRatio: 0 })
    expect(log.filter((line) => line.endsWith('abort'))).toEqual(['a abort', 'b abort'])
    expect(clock.pending).toBe(0)
  })

  test('the same requests at the same instants give the same story', () => {
    const tell = () => {
      const { clock, log, engine } = start(10)
      for (let at = 0; at < 30; at++) {
        engine.submit(request(`${at}`, 100 + 37 * at, 5 + at), () => {})
        clock.advance(3)
      }
      clock.advance(2_000)
      return log
    }
    expect(tell()).toEqual(tell())
    expect(tell()).toHaveLength(30 + (30 * (5 + 34)) / 2)
  })
})
