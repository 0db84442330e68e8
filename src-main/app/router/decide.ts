import type { Draw } from '../../base/draw'
import type { Millis } from '../../base/units'
import type { FleetSnapshot, Replica } from '../../domain/fleet/replica'
import { isOpen, openOnes } from '../../domain/routing/candidates'
import { type Choice, type Decision, decided } from '../../domain/routing/decision'
import type { RouteRequest } from '../../domain/routing/request'
import type { Clock } from '../../ports/seams/clock'
import { type Configuration, withFreshMemory } from './configuration'
import { createInFlight, type Hold, type InFlight } from './in-flight'
import { type Membership, nextMembership, type Target, withMembers } from './membership'

/**
 * Longest that a policy may take; a later answer is thrown away (security page 7.5). Both by the clock and by the work of
 * this process: time in which a busy machine did not let it run is not the policy's.
 */
export const policyBudgetMs: Millis = 250

/** What went wrong in the deciding step itself, in the words of the security page's table 7.7. */
export type DecidingTrouble = 'policy_failed' | 'policy_timeout' | 'policy_bad_answer' | 'unknown_replica'

/** A policy's answer: a decision whose columns are frozen, or what was wrong with it. */
export type Decided = { readonly configuration: Configuration; readonly hold: Hold | null } & (
  | { readonly decision: Decision; readonly trouble: null }
  | { readonly decision: null; readonly trouble: DecidingTrouble }
)

/** Replicas to try, the first one first; the request counts as under way at the first one. */
export interface Spare {
  readonly targets: readonly Target[]
  readonly hold: Hold
}

/** The deciding step: no promise, no I/O. */
export interface Decider {
  /** @param hold whether the picked replica's count goes up before this returns */
  decide(request: RouteRequest, hold: boolean): Decided
  /** The two least busy replicas, for requests that no policy is asked about; null when there are none. */
  leastBusy(): Spare | null
  /** False when the fleet is known and none of it serves the model. */
  serves(model: string): boolean
  /** Takes a policy into use; requests under way are not touched. */
  use(configuration: Configuration): void
  /** Takes what was read of the members into use, whole. */
  see(fleet: FleetSnapshot): void
  /** Sets the members: the others get no new request from now on, and what runs there goes on to its end. */
  join(members: readonly Replica[]): void
  readonly inFlight: InFlight
  readonly membership: Membership
  readonly configuration: Configuration
}

/** What a decider is made from. */
export interface DeciderOptions {
  readonly clock: Clock
  /** Processor time that this process has used. */
  readonly workedMs: () => Millis
  readonly draw: Draw
  readonly configuration: Configuration
  readonly fleet: FleetSnapshot
  /** Put before a short replica id to make the long one. */
  readonly prefix: string
}

/** A decider over a policy and a fleet, both of which can be swapped while requests go on. */
export function createDecider({ clock, workedMs, draw, prefix, ...initial }: DeciderOptions): Decider {
  const choices = draw.fork('choices')
  const inFlight = createInFlight()
  let configuration = initial.configuration
  let membership = nextMembership(null, initial.fleet, prefix, inFlight.counts)
  let members = initial.fleet.replicas.map(({ replica }) => replica) as readonly Replica[]
  let turn = 0
  inFlight.follow(membership.candidates)

  const observe = () => {
    const { policy, memory } = configuration
    const { candidates, version } = membership
    try {
      policy.observe?.(memory, { kind: 'fleet-changed', candidates, fleetEpoch: version })
    } catch {
      configuration = withFreshMemory(configuration, draw) // half-changed memory must not decide
    }
  }
  observe()
  const see = (seen: FleetSnapshot) => {
    const before = membership
    membership = nextMembership(before, withMembers(seen, members, before.fleet), prefix, inFlight.counts)
    inFlight.follow(membership.candidates)
    if (membership.version !== before.version) observe()
  }

  return {
    inFlight,
    get membership() {
      return membership
    },
    get configuration() {
      return configuration
    },
    decide(request, hold) {
      const { candidates, version, fleet, targets } = membership
      const decidedMonoMs = clock.monoMs()
      const workedBeforeMs = workedMs()
      let choice: Choice
      try {
        const input = { request, candidates, fleetEpoch: version, draw: choices, monoMs: decidedMonoMs }
        choice = configuration.policy.choose(configuration.memory, input)
      } catch {
        return { configuration, hold: null, decision: null, trouble: 'policy_failed' }
      }
      const tookMs = Math.min(clock.monoMs() - decidedMonoMs, workedMs() - workedBeforeMs)
      const late = tookMs > policyBudgetMs
      const trouble = late ? 'policy_timeout' : troubleOf(choice, membership)
      if (trouble) return { configuration, hold: null, decision: null, trouble }
      const decision = decided({
        id: request.id,
        choice,
        candidates,
        fleetEpoch: fleet.epoch,
        decidedMonoMs,
      })
      const pick = choice.kind === 'picked' ? targets[choice.ranked[0] as number] : undefined
      return { configuration, decision, trouble: null, hold: hold && pick ? inFlight.hold(pick.id) : null }
    },
    leastBusy() {
      const { candidates, targets } = membership
      const open = openOnes(candidates)
      if (open.length === 0) return null
      const start = turn++ % open.length // equals take turns, as HAProxy's leastconn has it
      const rotated = [...open.slice(start), ...open.slice(0, start)]
      const byLoad = rotated.sort(
        (a, b) => (candidates.inFlight[a] as number) - (candidates.inFlight[b] as number),
      )
      const chosen = byLoad.slice(0, 2).map((index) => targets[index] as Target)
      return { targets: chosen, hold: inFlight.hold((chosen[0] as Target).id) }
    },
    serves: (model) =>
      membership.targets.length === 0 || membership.targets.some((target) => target.model === model),
    use(next) {
      configuration = next
      observe()
    },
    see,
    join(next) {
      members = next
      see(membership.fleet)
    },
  }
}

/** Rule R1 of the policies, held at run time too: a bug in a policy must not send a request astray. */
function troubleOf(choice: Choice, { candidates }: Membership): DecidingTrouble | null {
  if (choice.kind === 'refused') return null
  if (choice.ranked.length === 0) return 'policy_bad_answer'
  for (const index of choice.ranked)
    if (!Number.isInteger(index) || !isOpen(candidates, index)) return 'unknown_replica'
  return null
}
