import type { Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { CallError } from '../../contract/wire'
import type { Role } from '../../domain/journal/record'
import type { Clock } from '../../ports/seams/clock'
import type { Timers } from '../../ports/seams/timers'
import { type Health, keepStanding } from './health'

/** Pace at which a process that cannot begin its work, since its port is taken, tries again. */
const retryEveryMs: Millis = 1_000

interface Parts {
  readonly seams: { readonly clock: Clock; readonly timers: Timers }
  readonly health: Health
  readonly publish: () => void
  /** Takes a refusal for good, as at the start of the console; false when it shall be tried again. */
  readonly giveUp: (why: Result<never, CallError>) => boolean
}

/** Asks a fresh process to begin its work. Answers undefined when it was given up or its process is gone. */
export type Begin = <Reply>(
  role: Role,
  /** Its `generation` changes when the process goes. */
  link: { readonly generation: number },
  ask: () => Promise<Result<Reply, CallError>>,
) => Promise<Reply | undefined>

/** What cannot begin now is shown as a banner and tried again until it works or its process is gone. */
export function createBegin({ seams, health, publish, giveUp }: Parts): Begin {
  const { clock, timers } = seams
  const tell = (role: Role, why: string) => {
    const text = `The ${role} process cannot begin its work: ${why}. It tries again every second.`
    keepStanding(health, { id: bannerOf(role), severity: 'critical', text }, clock.wallMs())
    publish()
  }
  return async (role, link, ask) => {
    const { generation } = link
    const gone = () => link.generation !== generation
    for (;;) {
      const begun = await ask()
      if (gone()) return undefined
      if (begun.ok) {
        health.standing.delete(bannerOf(role))
        return begun.value
      }
      if (giveUp(begun)) return undefined
      tell(role, begun.error.message)
      await new Promise<void>((resolve) => void timers.after(retryEveryMs, resolve))
      if (gone()) return undefined
    }
  }
}

/** The process ended: how it did says more than what it could not begin. */
export function forgetBeginning(health: Health, role: Role): void {
  health.standing.delete(bannerOf(role))
}

const bannerOf = (role: Role) => `begin-${role}`
