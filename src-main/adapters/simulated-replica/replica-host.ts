import type { Duplex } from 'node:stream'
import { fail, ok } from '../../base/result'
import type { Millis } from '../../base/units'
import type { HostedReplica, ReplicaHost } from '../../ports/replica-host'
import type { Clock } from '../../ports/seams/clock'
import type { Net } from '../../ports/seams/net'
import type { Random } from '../../ports/seams/random'
import type { Timers } from '../../ports/seams/timers'
import { findPreset, presets, withKvTokens } from '../../sim/presets'
import { createReplicaApi } from './api'
import { createEngine, type Engine } from './engine'
import { createEngineMetrics } from './engine-metrics'
import { createGenerations, type Generations } from './generations'
import { type HttpListener, listenHttp } from './http-listener'

/** What simulated replicas need of the machine. */
export interface ReplicaHostSeams {
  readonly net: Net<Duplex>
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
}

/** Opens simulated replicas: each a real HTTP server on a port of its own, with a modelled engine behind it. */
export function createSimulatedReplicaHost(seams: ReplicaHostSeams): ReplicaHost {
  return {
    async open({ id, model, profile, kvTokens, seed, speed, host }) {
      const found = findPreset(profile)
      if (!found) {
        const known = presets.map((each) => each.id).join(', ')
        return fail({ message: `there is no profile named ${profile}; there are: ${known}` })
      }
      const preset = kvTokens === null ? found : withKvTokens(found, kvTokens)
      const { clock, timers } = seams
      const metrics = createEngineMetrics({ preset, model, speed, startedWallMs: clock.wallMs() })
      const engine = createEngine({ preset, speed, clock, timers, observer: metrics })
      const parts = { ...seams, id, model, preset, seed, engine, metrics }
      const generations = createGenerations(parts)
      let draining = false
      const api = createReplicaApi(parts, generations, () => draining)
      const listening = await listenHttp(seams.net, host, api)
      if (!listening.ok) {
        engine.close()
        return fail({ message: `replica ${id} cannot listen on ${host}: ${listening.error.message}` })
      }
      const origin = host.includes(':') ? `[${host}]` : host
      const url = `http://${origin}:${listening.value.port}`
      const onDrain = () => {
        draining = true
      }
      return ok(hosted(url, { generations, engine, listener: listening.value, timers, onDrain }))
    },
  }
}

/** How long a draining replica still takes new requests: those that were on their way when its router was told. */
const graceMs: Millis = 2_000

interface Parts {
  readonly generations: Generations
  readonly engine: Engine
  readonly listener: HttpListener
  readonly timers: Timers
  readonly onDrain: () => void
}

function hosted(url: string, { generations, engine, listener, timers, onDrain }: Parts): HostedReplica {
  let ended: Promise<void> | null = null
  const end = (how: 'reset' | 'close') => {
    ended ??= (async () => {
      const closed = listener.stopAccepting()
      listener.end(how)
      engine.close()
      await closed
    })()
    return ended
  }
  return {
    url,
    async drain(waitMs: Millis) {
      onDrain()
      await new Promise<void>((resolve) => void timers.after(graceMs, resolve))
      generations.stop()
      const late = await firstOf(generations.idle(), timers, waitMs)
      const cut = late ? generations.open : 0
      await end('close')
      return cut
    },
    kill: () => end('reset'),
  }
}

/** True when the time was over first. */
function firstOf(done: Promise<void>, timers: Timers, waitMs: Millis): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = timers.after(waitMs, () => resolve(true))
    void done.then(() => {
      timer.stop()
      resolve(false)
    })
  })
}
