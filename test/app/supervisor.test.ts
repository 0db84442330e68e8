import { describe, expect, test } from 'vitest'
import { createSupervisor, type RoleHooks } from '../../src-main/app/control/supervisor'
import { createTransportPair } from '../../src-main/contract/memory-transport'
import type { Child, Proc } from '../../src-main/ports/seams/proc'
import { createManualClock } from '../helpers/manual-clock'

/** Processes that end when they are told to. */
function someProcesses() {
  const started: { pid: number; end: (how: string) => void; killed: string[] }[] = []
  const proc: Proc = {
    start() {
      const listeners: ((how: string) => void)[] = []
      const killed: string[] = []
      const pid = 100 + started.length
      const child: Child = {
        pid,
        link: createTransportPair()[0],
        onExit: (listener) => void listeners.push(listener),
        kill: (signal) => void killed.push(signal),
      }
      started.push({
        pid,
        killed,
        end: (how) => void listeners.splice(0).forEach((listener) => void listener(how)),
      })
      return child
    },
  }
  return { proc, started }
}

function aSupervisor() {
  const clock = createManualClock()
  const processes = someProcesses()
  const story: string[] = []
  const supervisor = createSupervisor(clock, clock, processes.proc, () => {})
  const hooks: RoleHooks = {
    started: (_link, pid) => void story.push(`started ${pid}`),
    ended: (how) => void story.push(`ended ${how}`),
    gaveUp: (why) => void story.push(`gave up: ${why}`),
  }
  supervisor.start('router', hooks)
  const last = () => processes.started.at(-1) ?? expect.fail('nothing was started')
  return { clock, supervisor, story, last, started: processes.started }
}

describe('F42 a process that ends', () => {
  test('is started again at once, with the way it ended on record', () => {
    const { clock, supervisor, story, last } = aSupervisor()
    supervisor.up('router')
    last().end('signal SIGKILL')
    expect(supervisor.reports()).toMatchObject([
      { role: 'router', state: 'restarting', pid: null, lastExit: 'signal SIGKILL' },
    ])
    clock.advance(0)
    expect(story).toEqual(['started 100', 'ended signal SIGKILL', 'started 101'])
    supervisor.up('router')
    expect(supervisor.reports()).toMatchObject([{ state: 'up', pid: 101, restarts: 1 }])
  })

  test('every restart comes within a second', () => {
    const { clock, started, last } = aSupervisor()
    for (let times = 1; times < 5; times++) {
      last().end('exit 1')
      clock.advance(999)
      expect(started).toHaveLength(times + 1)
    }
  })

  test('five times within a minute is a crash loop and is left down', () => {
    const { clock, supervisor, story, last, started } = aSupervisor()
    for (let times = 0; times < 5; times++) {
      last().end('exit 1')
      clock.advance(1_000)
    }
    expect(started).toHaveLength(5)
    expect(story.at(-1)).toBe('gave up: it ended 5 times within a minute, last with exit 1')
    expect(supervisor.reports()).toMatchObject([{ state: 'stopped', pid: null }])
  })

  test('once in a while is no loop', () => {
    const { clock, last, started } = aSupervisor()
    for (let times = 0; times < 12; times++) {
      last().end('exit 1')
      clock.advance(20_000)
    }
    expect(started).toHaveLength(13)
  })
})

describe('stopping', () => {
  test('asks first, and kills what does not end within five seconds', async () => {
    const { clock, supervisor, last } = aSupervisor()
    const stopped = supervisor.stop()
    expect(last().killed).toEqual(['SIGTERM'])
    clock.advance(5_000)
    expect(last().killed).toEqual(['SIGTERM', 'SIGKILL'])
    last().end('signal SIGKILL')
    await stopped
    expect(clock.pending).toBe(0)
  })

  test('restarts nothing', async () => {
    const { clock, supervisor, last, started } = aSupervisor()
    const stopped = supervisor.stop()
    last().end('exit 0')
    await stopped
    clock.advance(1_000)
    expect(started).toHaveLength(1)
  })
})
