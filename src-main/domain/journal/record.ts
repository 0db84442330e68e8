import type { PackedSketch } from '../../base/quantiles'
import type { Bytes, Millis, Tokens } from '../../base/units'
import type { SourceId } from '../fleet/reading'
import type { Replica, ReplicaId, ReplicaState, SourceState } from '../fleet/replica'
import type { Reason, Refusal } from '../routing/decision'
import type { Outcome } from '../routing/outcome'
import type { ParamValue } from '../routing/policy'

/** The streams that happen; each has its own sequence. */
export type Stream = 'cluster' | 'decision'

/** When and where a record was appended. `boot` names one run of the ingest process. */
export interface Stamp {
  readonly stream: Stream
  readonly seq: number
  readonly wallMs: Millis
  readonly monoMs: Millis
  readonly boot: string
}

/** A policy in force. */
export interface PolicyInForce {
  readonly id: string
  readonly params: Readonly<Record<string, ParamValue>>
}

/** What the router said when it named no replica that could be used. */
export interface RouterAnswer {
  /** HTTP status; 0: the connection was closed without an answer. */
  readonly status: 0 | 200 | 500 | 503
  /** The replica id that it named, in Ray's long form; null: none. */
  readonly named: string | null
  /** Its own words; null: none. */
  readonly detail: string | null
}

/** A pick was made, or refused: the first of a request's two records. Holds no prompt and no plain session id. */
export interface DecisionMade {
  readonly kind: 'decided'
  /** The id in `x-signalbox-decision`. */
  readonly id: string
  readonly requestId: string
  readonly wallMs: Millis
  readonly monoMs: Millis
  /** Keyed hash of the session id, 32 hex digits; null when there was none. */
  readonly session: string | null
  readonly method: string
  readonly path: string
  readonly model: string | null
  readonly policy: PolicyInForce
  /** Pick-only names a replica and holds nothing; reserve also holds a slot. */
  readonly mode: 'pick-only' | 'reserve'
  readonly fleetEpoch: number
  /** Estimate from the body's bytes (decision D27). */
  readonly promptTokens: Tokens | null
  readonly truncated: { readonly have: Bytes; readonly full: Bytes } | null
  readonly pick: ReplicaId | null
  readonly fallbacks: readonly ReplicaId[]
  readonly refusal: Refusal | null
  /** Null when a replica was picked. */
  readonly answer: RouterAnswer | null
  readonly reasons: readonly Reason[]
  readonly facts: Readonly<Record<string, number>>
  /** Time from asking the router to its answer, µs. */
  readonly consultUs: number
  /** Asked by our own proxy, or over HTTP at /internal/route by somebody else; the latter has no outcome. */
  readonly asked: 'proxy' | 'http'
  /** Marked by Signalbox's own demo traffic. */
  readonly demo: boolean
}

/** A request ended: its second record, with the id of the first. */
export interface DecisionEnded {
  readonly kind: 'ended'
  readonly id: string
  readonly wallMs: Millis
  readonly monoMs: Millis
  readonly outcome: Outcome
  /** Gaps between the content chunks of the stream, ms, @proxy; null when there were none. Folded, and not kept in rows. */
  readonly itlGaps: PackedSketch | null
}

/** Anything on the decision stream. */
export type DecisionBody = DecisionMade | DecisionEnded

/** A decision with its outcome, null while the request is under way, and what the session's last turn tells. */
export interface DecisionRow extends Omit<DecisionMade, 'kind'> {
  readonly outcome: Outcome | null
  readonly endedWallMs: Millis | null
  /** Replica of the session's previous turn when this pick differs from it (CALC). */
  readonly movedFrom: ReplicaId | null
  /** How many turns of this session were seen before this one; null without a session. */
  readonly turn: number | null
}

/** Names of the faults that can be put on the local planes. */
export const faultNames = [
  'router-down',
  'router-500',
  'router-junk',
  'router-unknown-replica',
  'replica-kill',
] as const
/** One of the fault names. */
export type FaultName = (typeof faultNames)[number]

/** A fault in force. */
export interface ActiveFault {
  readonly name: FaultName
  readonly replicaId: ReplicaId | null
  readonly sinceWallMs: Millis
  /** Null: until it is cleared. */
  readonly untilWallMs: Millis | null
}

/** Our own processes. */
export const roles = ['router', 'ingest', 'fleet', 'traffic'] as const
/** One of our child processes. */
export type Role = (typeof roles)[number]

/** Who did something: the same operating-system user through one of the shells, or nobody. */
export type Actor = 'desktop' | 'browser' | 'cli' | 'signalbox'

/** What happens to the cluster or to Signalbox itself: rare, kept whole, sent whole. */
export type ClusterBody =
  | {
      readonly kind: 'replica.seen'
      readonly replica: Replica
      readonly state: ReplicaState | null
    }
  | {
      readonly kind: 'replica.changed'
      readonly replicaId: ReplicaId
      readonly from: ReplicaState | null
      readonly to: ReplicaState | null
      readonly why: string | null
    }
  | { readonly kind: 'replica.gone'; readonly replicaId: ReplicaId }
  | {
      readonly kind: 'fleet.scaled'
      readonly from: number
      readonly to: number
      readonly added: readonly ReplicaId[]
      readonly removed: readonly ReplicaId[]
      readonly cause: 'operator' | 'failure' | 'unknown'
      readonly epoch: number
    }
  | {
      readonly kind: 'source.turned'
      readonly source: SourceId
      readonly from: SourceState | null
      readonly to: SourceState
      readonly why: string | null
    }
  | {
      readonly kind: 'process.turned'
      readonly role: Role | 'window'
      readonly to: 'up' | 'down' | 'stopped'
      readonly pid: number | null
      readonly lostStreams: number | null
      readonly why: string | null
    }
  | {
      readonly kind: 'store.turned'
      readonly to: 'ok' | 'memory' | 'read-only'
      readonly why: string | null
    }
  | {
      readonly kind: 'fault.turned'
      readonly fault: FaultName
      readonly replicaId: ReplicaId | null
      readonly to: 'on' | 'off'
      readonly forMs: Millis | null
      readonly actor: Actor
    }
  | {
      readonly kind: 'policy.changed'
      readonly from: PolicyInForce
      readonly to: PolicyInForce
      readonly actor: Actor
    }
  | {
      readonly kind: 'traffic.changed'
      readonly running: boolean
      readonly ratePerSecond: number
      readonly actor: Actor
    }
  | {
      readonly kind: 'feed.gap'
      readonly fromWallMs: Millis
      readonly toWallMs: Millis
      readonly why: string
    }
  | { readonly kind: 'clock.jumped'; readonly byMs: Millis }
  | {
      readonly kind: 'note.added'
      readonly text: string
      readonly atWallMs: Millis
      readonly actor: Actor
    }

/** A record of the cluster stream. */
export interface ClusterRecord {
  readonly stamp: Stamp
  readonly body: ClusterBody
}
