import type { Millis } from '../../src-main/base/units'
import type { ClusterBody, ClusterRecord, PolicyInForce } from '../../src-main/domain/journal/record'
import { duration, latency } from '../format/durations'
import { rate } from '../format/numbers'
import { visible } from '../format/visible'
import type { Tone } from '../kit/mark'
import { words } from '../words/en'

/** Lanes of the timeline, from top to bottom. */
export const lanes = ['changes', 'scale', 'processes', 'faults', 'gaps', 'notes'] as const
/** A lane. */
export type Lane = (typeof lanes)[number]

/** Something that happened to the cluster or to Signalbox, as screens show it. Its texts are safe to draw. */
export interface ClusterEvent {
  readonly id: string
  readonly atWallMs: Millis
  /** End of what lasted, such as a gap. */
  readonly toWallMs: Millis | null
  readonly lane: Lane
  /** On every time chart (ux.md 11). */
  readonly letter: string
  readonly tone: Tone
  /** Minor ones are left out where only causes are listed. */
  readonly minor: boolean
  readonly actor: string
  readonly what: string
  readonly target: string
  readonly change: string
  readonly reason: string
}

const text = words.events
type Shown = Partial<Omit<ClusterEvent, 'id'>> & Pick<ClusterEvent, 'lane' | 'letter' | 'what'>
type Body<Kind> = Extract<ClusterBody, { readonly kind: Kind }>

const shown: { readonly [Kind in ClusterBody['kind']]: (body: Body<Kind>) => Shown } = {
  'replica.seen': ({ replica, state }) => ({
    lane: 'scale',
    letter: 'S',
    what: text.seen,
    target: visible(replica.id),
    change: state ?? text.noState,
    minor: true,
  }),
  'replica.changed': ({ replicaId, from, to, why }) => ({
    lane: 'scale',
    letter: 'S',
    what: text.stateChanged,
    target: visible(replicaId),
    change: text.state(from ?? text.noState, to ?? text.noState),
    reason: visible(why ?? ''),
    tone: to === 'down' ? 'crit' : to === 'draining' ? 'drain' : 'quiet',
    minor: to !== 'down',
  }),
  'replica.gone': ({ replicaId }) => ({
    lane: 'scale',
    letter: 'S',
    what: text.gone,
    target: visible(replicaId),
    minor: true,
  }),
  'fleet.scaled': ({ from, to, added, removed, cause }) => ({
    lane: 'scale',
    letter: 'S',
    what: text.scaled(from, to),
    tone: cause === 'failure' ? 'warn' : 'info',
    change: text.scaledDetail(list(added), list(removed)),
    reason: words.field.cause[cause],
  }),
  'source.turned': ({ source, from, to, why }) => ({
    lane: 'processes',
    letter: 'P',
    what: text.source(visible(source)),
    target: visible(source),
    change: text.state(from ?? text.noState, to),
    reason: visible(why ?? ''),
    tone: to === 'ok' ? 'quiet' : 'warn',
    minor: true,
  }),
  'process.turned': ({ role, to, pid, lostStreams, why }) => ({
    lane: 'processes',
    letter: 'P',
    what: text.process(role, to),
    target: role,
    change: text.processDetail(pid === null ? '' : String(pid), lostStreams ? String(lostStreams) : ''),
    reason: visible(why ?? ''),
    tone: to === 'down' ? 'crit' : 'quiet',
    minor: to !== 'down',
  }),
  'store.turned': ({ to, why }) => ({
    lane: 'processes',
    letter: 'P',
    what: text.storeTurned(words.frame.storeState[to]),
    target: words.frame.store,
    reason: visible(why ?? ''),
    tone: to === 'ok' ? 'quiet' : 'warn',
    minor: to === 'ok',
  }),
  'fault.turned': ({ fault, replicaId, to, forMs, actor }) => ({
    lane: 'faults',
    letter: 'X',
    what: to === 'on' ? text.faultOn(fault) : text.faultOff(fault),
    target: visible(replicaId ?? ''),
    change: to === 'off' ? '' : forMs === null ? text.faultUntilCleared : text.faultFor(duration(forMs)),
    actor: words.field.actor[actor],
    tone: to === 'on' ? 'warn' : 'quiet',
  }),
  'policy.changed': ({ from, to, actor }) => ({
    lane: 'changes',
    letter: 'F',
    what:
      from.id === to.id ? text.policyParams(visible(to.id)) : text.policy(visible(from.id), visible(to.id)),
    change: text.state(params(from), params(to)),
    actor: words.field.actor[actor],
    tone: 'info',
  }),
  'traffic.changed': ({ running, ratePerSecond, actor }) => ({
    lane: 'changes',
    letter: 'F',
    what: text.traffic(running, rate(ratePerSecond, words.overview.rateUnit)),
    actor: words.field.actor[actor],
    tone: 'info',
  }),
  'feed.gap': ({ fromWallMs, toWallMs, why }) => ({
    atWallMs: fromWallMs,
    toWallMs,
    lane: 'gaps',
    letter: 'G',
    what: text.gap,
    reason: visible(why),
    tone: 'stale',
  }),
  'clock.jumped': ({ byMs }) => ({
    lane: 'gaps',
    letter: 'G',
    what: text.clockJumped(latency(byMs)),
    tone: 'warn',
  }),
  'note.added': ({ text: note, atWallMs, actor }) => ({
    atWallMs,
    lane: 'notes',
    letter: 'N',
    what: visible(note),
    actor: words.field.actor[actor],
    tone: 'info',
  }),
}

/** A kind of record from a later version: named, and left at that. */
const unknownKind = ({ kind }: ClusterBody): Shown => ({
  lane: 'processes',
  letter: '?',
  what: visible(String(kind)),
  tone: 'unknown',
  minor: true,
})

/** A record as an event. */
export function eventOf({ stamp, body }: ClusterRecord): ClusterEvent {
  const known = Object.hasOwn(shown, body.kind)
  const show = (known ? shown[body.kind] : unknownKind) as (body: ClusterBody) => Shown
  return {
    id: `${stamp.boot}/${stamp.seq}`,
    atWallMs: stamp.wallMs,
    toWallMs: null,
    tone: 'quiet',
    minor: false,
    actor: words.field.actor.signalbox,
    target: '',
    change: '',
    reason: '',
    ...show(body),
  }
}

/** An event in one line: `03:07:38 scale 8→10 operator` without its time. */
export const inOneLine = ({ what, target, change, reason }: ClusterEvent): string =>
  [what, what.includes(target) ? '' : target, change, reason].filter((part) => part !== '').join(' · ')

/** Longest list of ids that is written out. */
const listMax = 6
const list = (ids: readonly string[]) =>
  ids.length <= listMax
    ? ids.map(visible).join(' ')
    : `${ids.slice(0, listMax).map(visible).join(' ')} +${ids.length - listMax}`

const params = (policy: PolicyInForce) => {
  const given = Object.entries(policy.params).map(([name, value]) => `${name} ${value}`)
  return visible([policy.id, ...given].join(', '))
}
