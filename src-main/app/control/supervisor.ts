import type { Millis } from '../../base/units'
import type { Transport } from '../../contract/transport'
import type { Role } from '../../domain/journal/record'
import type { ProcessReport } from '../../domain/journal/views'
import type { Clock } from '../../ports/seams/clock'
import type { Child, Proc } from '../../ports/seams/proc'
import type { Timers } from '../../ports/seams/timers'

/** Ends within this span count towards a crash loop; at the limit a process is left down (fault F42). */
const loopSpanMs: Millis = 60_000
const loopLimit = 5
/** Pause before a restart: none at first, so that a lost process is back within a second. */
const restartPausesMs: readonly Millis[] = [0, 100, 250, 500]
/** How long a process may take to end by itself before it is killed. */
const stopWaitMs: Millis = 5_000

/** What the owner of a role does with it. */
export interface RoleHooks {
  /** A fresh process is there: link it, start it. */
  started(link: Transport, pid: number | null): void
  /** It ended, and not because we wanted it to. Called before the restart. */
  ended(how: string): void
  /** It ended too often and is left down. */
  gaveUp(why: string): void
}

/** Starts, watches and restarts the other processes. */
export interface Supervisor {
  start(role: Role, hooks: RoleHooks): void
  /** The role's work is up: its start call was answered. */
  up(role: Role): void
  reports(): readonly ProcessReport[]
  /** Ends everything that was started, by id; resolves when all are gone. */
  stop(): Promise<void>
}

interface Watched {
  readonly hooks: RoleHooks
  child: Child | null
  state: ProcessReport['state']
  restarts: number
  sinceWallMs: Millis
  lastExit: string | null
  ends: readonly Millis[]
}

/** A supervisor with nothing started. `changed` is called whenever a report changes. */
export function createSupervisor(clock: Clock, timers: Timers, proc: Proc, changed: () => void): Supervisor {
  const watched = new Map<Role, Watched>()
  let stopping = false

  const turn = (each: Watched, state: Watched['state']) => {
    each.state = state
    each.sinceWallMs = clock.wallMs()
    changed()
  }
  const launch = (role: Role, each: Watched) => {
    if (stopping) return
    const child = proc.start(role)
    each.child = child
    turn(each, 'starting')
    child.onExit((how) => ended(role, each, child, how))
    each.hooks.started(child.link, child.pid)
  }
  const ended = (role: Role, each: Watched, child: Child, how: string) => {
    if (each.child !== child) return
    each.child = null
    each.lastExit = how
    if (stopping) return turn(each, 'stopped')
    const now = clock.monoMs()
    each.ends = [...each.ends.filter((at) => now - at < loopSpanMs), now]
    each.hooks.ended(how)
    if (each.ends.length >= loopLimit) {
      turn(each, 'stopped')
      each.hooks.gaveUp(`it ended ${each.ends.length} times within a minute, last with ${how}`)
      return
    }
    each.restarts++
    turn(each, 'restarting')
    timers.after(restartPausesMs[Math.min(each.ends.length - 1, restartPausesMs.length - 1)] ?? 0, () =>
      launch(role, each),
    )
  }
  return {
    start(role, hooks) {
      const each: Watched = {
        hooks,
        child: null,
        state: 'starting',
        restarts: 0,
        sinceWallMs: clock.wallMs(),
        lastExit: null,
        ends: [],
      }
      watched.set(role, each)
      launch(role, each)
    },
    up(role) {
      const each = watched.get(role)
      if (each?.child) turn(each, 'up')
    },
    reports: () =>
      [...watched].map(([role, { child, state, restarts, sinceWallMs, lastExit }]) => ({
        role,
        pid: child?.pid ?? null,
        state,
        restarts,
        sinceWallMs,
        lastExit,
      })),
    async stop() {
      stopping = true
      const children = [...watched.values()].flatMap(({ child }) => (child ? [child] : []))
      await Promise.all(children.map((child) => endChild(child, timers)))
    },
  }
}

function endChild(child: Child, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    const force = timers.after(stopWaitMs, () => child.kill('SIGKILL'))
    child.onExit(() => {
      force.stop()
      resolve()
    })
    child.kill('SIGTERM')
  })
}
