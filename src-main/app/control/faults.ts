import { ok, type Result } from '../../base/result'
import { createTurns } from '../../base/turns'
import type { Millis } from '../../base/units'
import type { CallError } from '../../contract/wire'
import type { ReplicaId } from '../../domain/fleet/replica'
import type { ActiveFault, Actor, FaultName } from '../../domain/journal/record'
import type { Clock } from '../../ports/seams/clock'
import type { Stoppable, Timers } from '../../ports/seams/timers'
import { done, refuse } from './answers'
import type { Cluster } from './cluster'
import type { Health } from './health'

/** Faults on the local planes: set, timed, cleared, and told to the story of the cluster. */
export interface Faults {
  set(
    name: FaultName,
    replicaId: ReplicaId | null,
    forMs: Millis | null,
    actor: Actor,
  ): Promise<Result<ActiveFault, CallError>>
  /** Ends them all; killed replicas are replaced by fresh ones. Answers how many there were. */
  clear(actor: Actor): Promise<Result<number, CallError>>
  /** Sets how many replicas run. A kill ends with that, when its replica was struck off or replaced. */
  scale(replicas: number, actor: Actor): ReturnType<Cluster['scale']>
  stop(): void
}

interface Parts {
  readonly clock: Clock
  readonly timers: Timers
  readonly health: Health
  readonly cluster: Cluster
  readonly publish: () => void
}

/** No fault at first. Only one fault of the router can be in force; a new one takes the place of the old. */
export function createFaults({ clock, timers, health, cluster, publish }: Parts): Faults {
  const endings = new Map<ActiveFault, Stoppable>()
  const inTurn = createTurns() // faults and scale change the same set: each sees what the one before it left

  const forget = (fault: ActiveFault, actor: Actor) => {
    endings.get(fault)?.stop()
    endings.delete(fault)
    health.faults = health.faults.filter((each) => each !== fault)
    const { name, replicaId } = fault
    cluster.record({ kind: 'fault.turned', fault: name, replicaId, to: 'off', forMs: null, actor })
  }
  const end = async (fault: ActiveFault, actor: Actor): Promise<Result<null, CallError>> => {
    if (!health.faults.includes(fault)) return done // somebody was faster
    forget(fault, actor)
    const { name, replicaId } = fault
    const result = await (name === 'replica-kill' && replicaId !== null
      ? cluster.replaceKilled(replicaId)
      : cluster.applyFaults())
    publish()
    return result
  }
  const begin = (fault: ActiveFault, forMs: Millis | null, actor: Actor) => {
    health.faults = [...health.faults, fault]
    if (forMs !== null)
      endings.set(
        fault,
        timers.after(forMs, () => void inTurn(() => end(fault, 'signalbox'))),
      )
    cluster.record({
      kind: 'fault.turned',
      fault: fault.name,
      replicaId: fault.replicaId,
      to: 'on',
      forMs,
      actor,
    })
    publish()
  }
  const make = (name: FaultName, replicaId: ReplicaId | null, forMs: Millis | null): ActiveFault => {
    const sinceWallMs = clock.wallMs()
    return { name, replicaId, sinceWallMs, untilWallMs: forMs === null ? null : sinceWallMs + forMs }
  }
  const kill = async (asked: ReplicaId | null, forMs: Millis | null, actor: Actor) => {
    const living = cluster.living()
    const replicaId = asked ?? living[0] ?? null
    if (replicaId === null) return refuse('no_replica', 'no replica is running, so none can be killed')
    if (!living.includes(replicaId)) {
      return refuse(
        'no_such_replica',
        `there is no running replica ${replicaId}; there are: ${living.join(', ')}`,
      )
    }
    const killed = await cluster.kill(replicaId)
    if (!killed.ok) return killed
    const fault = make('replica-kill', replicaId, forMs)
    begin(fault, forMs, actor)
    return ok(fault)
  }
  const setRouterFault = async (name: FaultName, forMs: Millis | null, actor: Actor) => {
    for (const old of health.faults.filter((each) => each.name !== 'replica-kill')) forget(old, actor)
    const fault = make(name, null, forMs)
    begin(fault, forMs, actor)
    const applied = await cluster.applyFaults()
    return applied.ok ? ok(fault) : applied
  }
  return {
    set: (name, replicaId, forMs, actor) =>
      inTurn(async () => {
        if (name === 'replica-kill') return kill(replicaId, forMs, actor)
        if (replicaId !== null)
          return refuse('bad_params', `${name} acts on the router, not on a replica; leave the replica out`)
        return setRouterFault(name, forMs, actor)
      }),
    clear: (actor) =>
      inTurn(async () => {
        const active = [...health.faults]
        for (const fault of active) {
          const ended = await end(fault, actor)
          if (!ended.ok) return ended
        }
        return ok(active.length)
      }),
    scale: (replicas, actor) =>
      inTurn(async () => {
        const scaled = await cluster.scale(replicas)
        const struckOff = ({ replicaId }: ActiveFault) => replicaId !== null && !cluster.has(replicaId)
        for (const fault of health.faults.filter(struckOff)) forget(fault, actor)
        publish()
        return scaled
      }),
    stop() {
      for (const ending of endings.values()) ending.stop()
    },
  }
}
