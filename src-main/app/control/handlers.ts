import { ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { Handlers } from '../../contract/peer'
import type { Rpc } from '../../contract/rpc'
import type { CallError } from '../../contract/wire'
import type { Actor } from '../../domain/journal/record'
import type { HealthView } from '../../domain/journal/views'
import { policies } from '../../domain/policies'
import { nearest, paramsOf } from '../../domain/routing/params'
import type { AnyPolicy } from '../../domain/routing/policy'
import { done, refuse } from './answers'
import type { Cluster } from './cluster'
import type { AuditBody, ControlSeams } from './control'
import type { Faults } from './faults'
import type { Health } from './health'
import type { Hub, Subscription } from './hub'

/** How far ahead a note may lie, ms: a planned change, and clocks that differ. */
const noteAheadMs: Millis = 86_400_000

interface Parts {
  readonly seams: ControlSeams
  readonly hub: Hub
  readonly health: Health
  readonly picture: () => HealthView
  readonly cluster: Cluster
  readonly faults: Faults
  readonly subscription: Subscription
  readonly actor: Actor
  readonly publish: () => void
}

/** Each call of rpc.ts and the line that answers it, for one connected screen or script. */
export function createHandlers(parts: Parts): Handlers<Rpc> {
  const { hub, health, picture, cluster, faults, subscription, actor, publish } = parts
  const { ingest } = cluster
  const audited = createAudited(parts)
  const remember = () => {
    parts.seams.remember({ policy: health.policy, ratePerSecond: health.traffic.ratePerSecond })
    publish()
  }
  return {
    'feed.open': async ({ resume }) => {
      subscription.open(resume)
      return ok({ epoch: hub.epoch })
    },
    'feed.seen': async ({ seqs }) => {
      subscription.seen(seqs)
      return done
    },
    'feed.resync': async ({ stream }) => {
      subscription.resync(stream)
      return done
    },
    'console.open': async () =>
      actor === 'cli'
        ? ok({ url: parts.seams.shell.open() })
        : refuse('role', 'a page cannot make links to itself; run signalbox open in a terminal'),
    'console.revoke': () =>
      audited('console.revoke', {}, async () => {
        parts.seams.shell.revoke()
        return done
      }),
    'status.read': async () =>
      ok({ health: picture(), fleet: hub.latest('fleet'), summary: hub.latest('summary') }),
    'decisions.last': (params) => ingest('ingest.last', params),
    'decisions.explain': async (params) => {
      const found = await ingest('ingest.explain', params)
      if (!found.ok) return found
      return ok({ ...found.value, policy: policyInfo(policies.find(found.value.row.policy.id)) })
    },
    'decisions.groups': (params) => ingest('ingest.groups', params),
    'timeline.read': (params) => ingest('ingest.timeline', params),
    'policies.list': async () => ok(policies.all().flatMap((policy) => policyInfo(policy) ?? [])),
    'policy.set': ({ id, params }) =>
      audited('policy.set', { policy: id, params: JSON.stringify(params) }, async () => {
        const policy = policies.find(id)
        if (!policy)
          return refuse(
            'no_such_policy',
            `there is no policy ${id}; did you mean ${nearest(id, policies.ids())}?`,
          )
        const checked = paramsOf(policy, params)
        if (!checked.ok) return refuse('bad_params', checked.error.message)
        const from = health.policy
        const to = { id, params: checked.value }
        const set = await cluster.setPolicy(to)
        if (!set.ok) return set
        cluster.record({ kind: 'policy.changed', from, to, actor })
        remember()
        return done
      }),
    'fleet.scale': ({ replicas }) =>
      audited('fleet.scale', { replicas }, async () => {
        const from = cluster.size // as the timeline counts: a killed one is struck off by this
        const scaled = await faults.scale(replicas, actor)
        return scaled.ok
          ? ok({ from, to: replicas, added: scaled.value.added, removed: scaled.value.removed })
          : scaled
      }),
    'faults.set': ({ name, replicaId, forMs }) =>
      audited('faults.set', { name, replicaId, forMs }, async () => {
        const set = await faults.set(name, replicaId, forMs, actor)
        return set.ok ? ok({ replicaId: set.value.replicaId, untilWallMs: set.value.untilWallMs }) : set
      }),
    'faults.clear': () =>
      audited('faults.clear', {}, async () => {
        const cleared = await faults.clear(actor)
        return cleared.ok ? ok({ cleared: cleared.value }) : cleared
      }),
    'traffic.set': ({ running, ratePerSecond }) =>
      audited('traffic.set', { running, ratePerSecond }, async () => {
        const set = await cluster.setTraffic(running, ratePerSecond)
        if (!set.ok) return set
        cluster.record({ kind: 'traffic.changed', running, ratePerSecond, actor })
        remember()
        return done
      }),
    'notes.add': async ({ text, atWallMs }) => {
      if (atWallMs > parts.seams.clock.wallMs() + noteAheadMs)
        return refuse(
          'bad_params',
          'the note lies more than a day in the future; give the time of what it is about',
        )
      cluster.record({ kind: 'note.added', text, atWallMs, actor })
      return done
    },
  }
}

/** Writes the intent durably, acts, writes the outcome. Without an intent nothing happens (security page 3.7, F70). */
function createAudited({ seams, actor }: Parts) {
  return async <Reply>(
    action: string,
    params: AuditBody,
    act: () => Promise<Result<Reply, CallError>>,
  ): Promise<Result<Reply, CallError>> => {
    const intent = seams.audit('intent', { ...params, action, actor })
    if (!intent.ok) return intent
    const result = await act()
    seams.audit('outcome', { action, actor, result: result.ok ? 'done' : result.error.code })
    return result
  }
}

function policyInfo(policy: AnyPolicy | null) {
  if (!policy) return null
  const { id, title, summary, source, signals, params } = policy
  return { id, title, summary, source, signals, params }
}
