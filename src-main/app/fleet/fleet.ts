import { fail, ok, type Result } from '../../base/result'
import type { Millis, Tokens } from '../../base/units'
import type { fleetLink } from '../../contract/links'
import type { CheckedOf, Handlers } from '../../contract/peer'
import type { CallError } from '../../contract/wire'
import type { Replica, ReplicaId } from '../../domain/fleet/replica'
import type { HostedReplica, ReplicaHost } from '../../ports/replica-host'

/** The embedded cluster: replicas by number, which may be scaled, killed and replaced while traffic runs. */
export interface Fleet {
  readonly handlers: Handlers<typeof fleetLink>
  /** Ends every replica at once. */
  close(): Promise<void>
}

/** How long a replica that is scaled away may finish its streams. */
export const scaleDownWaitMs: Millis = 30_000
/**
 * KV capacity of a demo replica. With session affinity its conversations and the shared instructions fit; spread over all
 * replicas they do not, and the hit rate tells which it was. Measured with the demo traffic at 8 replicas and 6 requests/s.
 */
export const demoKvTokens: Tokens = 32_768

interface Member {
  readonly replica: Replica
  readonly hosted: HostedReplica
  alive: boolean
}
type Start = CheckedOf<(typeof fleetLink)['fleet.start']>

/** A fleet without replicas until `fleet.start` comes. */
export function createFleet(host: ReplicaHost): Fleet {
  let started: Start | null = null
  let nextNumber = 1
  /** In the order of their numbers; killed ones stay until they are replaced. */
  let members: Member[] = []
  const draining = new Set<HostedReplica>()
  const inTurn = createTurns()

  const listed = () => members.map(({ replica }) => replica)
  const living = () => members.filter(({ alive }) => alive)

  /** Opens replicas under the next numbers: all of them, or none. */
  async function add(start: Start, count: number): Promise<Result<readonly Replica[], CallError>> {
    const numbers = Array.from({ length: count }, () => nextNumber++)
    const opened = await Promise.all(numbers.map((number) => openMember(host, start, `r${number}`)))
    const added = opened.flatMap((each) => (each.ok ? [each.value] : []))
    const failed = opened.find((each) => !each.ok)
    if (failed && !failed.ok) {
      await Promise.all(added.map(({ hosted }) => hosted.kill()))
      return failed
    }
    members = [...members, ...added]
    return ok(added.map(({ replica }) => replica))
  }
  /** Takes the newest away: they finish what runs, in the background. */
  function remove(count: number): readonly ReplicaId[] {
    const leaving = living().slice(-count)
    members = members.filter((each) => !leaving.includes(each))
    for (const { hosted } of leaving) {
      draining.add(hosted)
      void hosted.drain(scaleDownWaitMs).then(() => draining.delete(hosted))
    }
    return leaving.map(({ replica }) => replica.id)
  }

  const handlers: Fleet['handlers'] = {
    'fleet.start': (start) =>
      inTurn(async () => {
        if (started) return refused('already_started', 'the embedded cluster runs already')
        nextNumber = start.firstNumber
        const added = await add(start, start.replicas)
        if (!added.ok) return added
        started = start
        return ok({ replicas: listed() })
      }),
    'fleet.scale': ({ replicas }) =>
      inTurn(async () => {
        if (!started) return notStarted
        const more = replicas - living().length
        const added = more > 0 ? await add(started, more) : ok([])
        if (!added.ok) return added
        const removed = more < 0 ? remove(-more) : []
        return ok({ replicas: listed(), added: added.value.map(({ id }) => id), removed })
      }),
    'fleet.kill': ({ replicaId }) =>
      inTurn(async () => {
        const member = members.find(({ replica }) => replica.id === replicaId)
        if (!member)
          return refused('no_such_replica', `there is no replica ${replicaId} in the embedded cluster`)
        if (!member.alive) return refused('already_killed', `replica ${replicaId} was killed before`)
        member.alive = false
        await member.hosted.kill()
        return ok(null)
      }),
    'fleet.replace': () =>
      inTurn(async () => {
        if (!started) return notStarted
        const dead = members.filter(({ alive }) => !alive)
        const added = await add(started, dead.length)
        if (!added.ok) return added
        members = members.filter((each) => !dead.includes(each))
        return ok({ replicas: listed() })
      }),
  }
  return {
    handlers,
    close: () =>
      inTurn(async () => {
        const all = [...members.map(({ hosted }) => hosted), ...draining]
        members = []
        await Promise.all(all.map((hosted) => hosted.kill()))
      }),
  }
}

async function openMember(
  host: ReplicaHost,
  start: Start,
  id: ReplicaId,
): Promise<Result<Member, CallError>> {
  const { model, profile, kvTokens = demoKvTokens, seed, speed } = start
  const opened = await host.open({ id, model, profile, kvTokens, seed, speed, host: start.host })
  if (!opened.ok) return refused('replica_failed', opened.error.message)
  return ok({ replica: { id, model, url: opened.value.url }, hosted: opened.value, alive: true })
}

/** Runs jobs one after the other, so that no two changes of the fleet overlap. */
function createTurns(): <T>(job: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (job) => {
    const turn = last.then(job)
    last = turn.catch(() => undefined) // whoever asked hears of it; the next in line does not care
    return turn
  }
}

const refused = (code: string, message: string) => fail({ code, message })
const notStarted = refused('not_started', 'the embedded cluster has not been started')
