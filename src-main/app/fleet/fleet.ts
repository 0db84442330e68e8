import { fail, ok } from '../../base/result'
import { createTurns } from '../../base/turns'
import type { fleetLink } from '../../contract/links'
import type { Handlers } from '../../contract/peer'
import type { ReplicaHost } from '../../ports/replica-host'
import { createMembership, type Member, type Membership } from './membership'

/** The embedded cluster: replicas that may be scaled, killed and replaced while traffic runs. */
export interface Fleet {
  readonly handlers: Handlers<typeof fleetLink>
  /** Ends every replica at once. */
  close(): Promise<void>
}

/** A fleet without replicas until `fleet.start` comes. */
export function createFleet(host: ReplicaHost): Fleet {
  let fleet: Membership | null = null
  const inTurn = createTurns()
  return {
    handlers: {
      'fleet.start': (start) =>
        inTurn(async () => {
          if (fleet) return refused('already_started', 'the embedded cluster runs already')
          const fresh = createMembership(host, start)
          const added = await fresh.add(start.replicas)
          if (!added.ok) return added
          fleet = fresh
          return ok({ replicas: listed(fresh) })
        }),
      'fleet.scale': ({ replicas }) =>
        inTurn(async () => {
          if (!fleet) return notStarted
          const alive = fleet.members.filter((each) => each.alive)
          const added = await fleet.add(Math.max(0, replicas - alive.length))
          if (!added.ok) return added
          const leaving = alive.slice(replicas) // the newest stand last
          fleet.letGo(leaving)
          const dead = fleet.members.filter((each) => !each.alive)
          fleet.forget(dead) // so many were wanted: a killed one is not to come back beside them
          return ok({
            replicas: listed(fleet),
            added: idsOf(added.value),
            removed: idsOf([...leaving, ...dead]),
          })
        }),
      'fleet.kill': ({ replicaId }) =>
        inTurn(async () => {
          const member = fleet?.members.find(({ replica }) => replica.id === replicaId)
          if (!member)
            return refused('no_such_replica', `there is no replica ${replicaId} in the embedded cluster`)
          if (!member.alive) return refused('already_killed', `replica ${replicaId} was killed before`)
          member.alive = false
          await member.hosted.kill()
          return ok(null)
        }),
      'fleet.replace': ({ replicaId }) =>
        inTurn(async () => {
          if (!fleet) return notStarted
          const dead = fleet.members.filter(
            ({ alive, replica }) => !alive && (replicaId === null || replica.id === replicaId),
          )
          const added = await fleet.add(dead.length)
          if (!added.ok) return added
          fleet.forget(dead)
          return ok({ replicas: listed(fleet) })
        }),
    },
    close: () => inTurn(async () => fleet?.close()),
  }
}

const listed = ({ members }: Membership) => members.map(({ replica }) => replica)
const idsOf = (members: readonly Member[]) => members.map(({ replica }) => replica.id)
const refused = (code: string, message: string) => fail({ code, message })
const notStarted = refused('not_started', 'the embedded cluster has not been started')
