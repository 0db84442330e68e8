import { observed } from '../../domain/fleet/reading'
import {
  type FleetSnapshot,
  isEligible,
  noReadings,
  type Replica,
  type ReplicaId,
  type ReplicaSnapshot,
} from '../../domain/fleet/replica'
import { type Candidates, candidatesOf } from '../../domain/routing/candidates'

/** Where a replica answers. */
export interface Target {
  /** Short id: on the ring, in decisions and headers. */
  readonly id: ReplicaId
  /** Ray's long form: `SERVE_REPLICA::<app>#<deployment>#<id>`. */
  readonly fullId: string
  readonly model: string
  readonly host: string
  readonly port: number
}

/** The fleet as the router uses it, made whole for each snapshot and never changed but for the in-flight column. */
export interface Membership {
  readonly fleet: FleetSnapshot
  /** The router's own count of changes of the set or of eligibility; it never goes back, as an epoch of ingest may. */
  readonly version: number
  readonly candidates: Candidates
  /** In the order of the candidates. */
  readonly targets: readonly Target[]
  readonly byFullId: ReadonlyMap<string, Target>
}

/**
 * The next membership after a snapshot. A snapshot that has not yet read a replica says nothing about its state: what was
 * known before stands, so that a restarted ingest does not empty the fleet.
 * @param counts requests under way, for the in-flight column
 */
export function nextMembership(
  before: Membership | null,
  seen: FleetSnapshot,
  prefix: string,
  counts: ReadonlyMap<ReplicaId, number>,
): Membership {
  const fleet = { ...seen, replicas: seen.replicas.map((each) => withKnownState(each, before)) }
  const candidates = candidatesOf(fleet, counts)
  const targets = fleet.replicas.map(({ replica }) => targetOf(replica, prefix))
  const same = before !== null && sameMembers(before.candidates, candidates)
  return {
    fleet,
    version: before === null ? 1 : same ? before.version : before.version + 1,
    candidates,
    targets,
    byFullId: new Map(targets.map((target) => [target.fullId, target])),
  }
}

/** The fleet that control started the router with: nobody has read it yet, and it counts as ready. */
export const startingFleet = (replicas: readonly Replica[], monoMs: number): FleetSnapshot => ({
  epoch: 0,
  takenMonoMs: monoMs,
  sources: [],
  replicas: replicas.map((replica) => unread(replica, monoMs)),
})

/**
 * What was read of the members, and of nobody else: a reading that is older than the last change of the members cannot
 * bring back a removed replica, nor hide a new one.
 */
export function withMembers(
  seen: FleetSnapshot,
  members: readonly Replica[],
  before: FleetSnapshot,
): FleetSnapshot {
  const of = ({ id, url }: Replica, { replicas }: FleetSnapshot) =>
    replicas.find(({ replica }) => replica.id === id && replica.url === url)
  return {
    ...seen,
    replicas: members.map((each) => of(each, seen) ?? of(each, before) ?? unread(each, seen.takenMonoMs)),
  }
}

function unread(replica: Replica, monoMs: number): ReplicaSnapshot {
  const never = { absent: 'never-received', source: null } as const
  return {
    replica,
    state: observed('ready', 'control', monoMs),
    excluded: false,
    ...noReadings(null),
    errorsPerMinute: never,
    upSinceWallMs: null,
    lastError: null,
  }
}

/** How many replicas may be picked. */
export const eligibleCount = ({ fleet }: Membership): number => fleet.replicas.filter(isEligible).length

function withKnownState(seen: ReplicaSnapshot, before: Membership | null): ReplicaSnapshot {
  if ('value' in seen.state || before === null) return seen
  const known = before.fleet.replicas.find(({ replica }) => replica.id === seen.replica.id)
  return known ? { ...seen, state: known.state } : seen
}

function targetOf(replica: Replica, prefix: string): Target {
  const url = new URL(replica.url)
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return {
    id: replica.id,
    fullId: prefix + replica.id,
    model: replica.model,
    host,
    port: url.port === '' ? 80 : Number(url.port),
  }
}

const sameMembers = (a: Candidates, b: Candidates) =>
  a.ids.length === b.ids.length &&
  a.ids.every((id, at) => id === b.ids[at] && a.exclusions[at] === b.exclusions[at])
