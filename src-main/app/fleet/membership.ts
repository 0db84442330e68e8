import { fail, ok, type Result } from '../../base/result'
import type { Millis, Tokens } from '../../base/units'
import type { fleetLink } from '../../contract/links'
import type { CheckedOf } from '../../contract/peer'
import type { CallError } from '../../contract/wire'
import type { Replica, ReplicaId } from '../../domain/fleet/replica'
import type { HostedReplica, ReplicaHost } from '../../ports/replica-host'

/** How long a replica that is scaled away may finish its streams (security page 7.5, drain of one replica). */
const scaleDownWaitMs: Millis = 300_000
/**
 * KV capacity of a demo replica. With session affinity its conversations and the shared instructions fit; spread over all
 * replicas they do not, and the hit rate tells which it was. Measured with the demo traffic at 8 replicas, 6 requests/s:
 * 92 % of prompt tokens are found by session hash, 61 % by round robin (tests hold the difference, not the figures).
 */
export const demoKvTokens: Tokens = 24_576

/** How a fleet was started. */
export type FleetStart = CheckedOf<(typeof fleetLink)['fleet.start']>

/** A replica of the fleet, alive or killed and not yet replaced. */
export interface Member {
  readonly replica: Replica
  readonly hosted: HostedReplica
  alive: boolean
}

/** Who belongs to the embedded cluster, in the order of their numbers. A number is used once (decision D20). */
export interface Membership {
  readonly members: readonly Member[]
  /** Opens replicas under the next numbers: all of them, or none. */
  add(count: number): Promise<Result<readonly Member[], CallError>>
  /** Lets living ones go: they finish what runs, in the background. */
  letGo(leaving: readonly Member[]): void
  /** Strikes killed ones off. */
  forget(dead: readonly Member[]): void
  /** Ends all at once, those that are leaving too. */
  close(): Promise<void>
}

/** A membership without members. */
export function createMembership(host: ReplicaHost, start: FleetStart): Membership {
  let members: readonly Member[] = []
  let nextNumber = start.firstNumber
  const leaving = new Set<HostedReplica>()
  const without = (gone: readonly Member[]) => members.filter((each) => !gone.includes(each))
  return {
    get members() {
      return members
    },
    async add(count) {
      const numbers = Array.from({ length: count }, () => nextNumber++)
      const opened = await Promise.all(numbers.map((number) => openMember(host, start, `r${number}`)))
      const added = opened.flatMap((each) => (each.ok ? [each.value] : []))
      for (const each of opened)
        if (!each.ok) {
          await Promise.all(added.map(({ hosted }) => hosted.kill()))
          return each
        }
      members = [...members, ...added]
      return ok(added)
    },
    letGo(gone) {
      members = without(gone)
      for (const { hosted } of gone) {
        leaving.add(hosted)
        void hosted.drain(scaleDownWaitMs).then(() => leaving.delete(hosted))
      }
    },
    forget(dead) {
      members = without(dead)
    },
    async close() {
      const all = [...members.map(({ hosted }) => hosted), ...leaving]
      members = []
      await Promise.all(all.map((hosted) => hosted.kill()))
    },
  }
}

async function openMember(
  host: ReplicaHost,
  start: FleetStart,
  id: ReplicaId,
): Promise<Result<Member, CallError>> {
  const { model, profile, kvTokens = demoKvTokens, seed, speed } = start
  const opened = await host.open({ id, model, profile, kvTokens, seed, speed, host: start.host })
  if (!opened.ok) return fail({ code: 'replica_failed', message: opened.error.message })
  return ok({ replica: { id, model, url: opened.value.url }, hosted: opened.value, alive: true })
}
