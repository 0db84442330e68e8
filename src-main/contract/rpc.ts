import { z } from 'zod'
import type { Millis } from '../base/units'
import type { FleetSnapshot } from '../domain/fleet/replica'
import { type ClusterRecord, type DecisionRow, faultNames } from '../domain/journal/record'
import type { HealthView, SummaryView } from '../domain/journal/views'
import type { ParamSpec } from '../domain/routing/policy'
import { changes, reads } from './peer'

/** What `signalbox status` prints and the frame of every screen shows. */
export interface StatusReport {
  readonly health: HealthView
  readonly fleet: FleetSnapshot | null
  readonly summary: SummaryView | null
}

/** A policy as the picker shows it. */
export interface PolicyInfo {
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly source: string
  readonly signals: readonly string[]
  readonly params: Readonly<Record<string, ParamSpec>>
}

/** Everything the "why this replica" drawer shows of one request. */
export interface Explanation {
  readonly row: DecisionRow
  /** The session's last turns, oldest first, this one included; at most 20. */
  readonly session: readonly DecisionRow[]
  readonly policy: PolicyInfo | null
}

/** Decisions of the full population by one field. */
export interface DecisionGroups {
  readonly by: string
  readonly groups: readonly {
    readonly key: string
    readonly count: number
    readonly failed: number
    readonly ttftMsP50: Millis | null
    readonly ttftMsP99: Millis | null
  }[]
  readonly searched: number
  readonly fromWallMs: Millis | null
}

/** Rows that a filter left, newest first, and how many were looked at. */
export interface DecisionPage {
  readonly rows: readonly DecisionRow[]
  readonly matched: number
  readonly searched: number
  /** The oldest decision that could be searched. */
  readonly fromWallMs: Millis | null
}

// Every number and every text of every call has its bounds here, so that nothing absurd reaches a handler, the journal or a
// screen; test/contract/rpc.test.ts walks the table and asks for the forgotten ones.

const filterText = z.string().max(1_000)
/** Last message of each stream that a screen has; unknown streams are passed over, but not any number of them. */
const seqs = z
  .record(z.string().max(16), z.int().nonnegative())
  .refine((given) => Object.keys(given).length <= 32, 'has too many streams')
/** Instants that a date can hold: what is asked for may lie anywhere. */
const anyInstant = z.number().min(-8.64e15).max(8.64e15)
/** Instants at which something can have been noted: what is stored is drawn for good. */
const notedInstant = z
  .number()
  .min(Date.UTC(2000, 0, 1))
  .max(Date.UTC(2100, 0, 1))
/** Whatever a policy may take; its own table says which of it (`domain/routing/params.ts`). */
const paramValue = z.union([z.number().min(-1e12).max(1e12), z.boolean(), z.string().max(256)])
const groupField = z.enum(['outcome', 'reason', 'replica', 'session', 'policy'])

/**
 * Every call that a screen or the command line may make. A new one is an entry here and a line in
 * `app/control/handlers.ts`; the compiler asks for the line.
 */
export const rpc = {
  /** Starts the feed of this connection, from where the screen was, if that is still kept. */
  'feed.open': reads<{ readonly epoch: string }>()(
    z.strictObject({
      protocol: z.int().min(1).max(1_000),
      resume: z
        .strictObject({
          epoch: z.string().max(64),
          seqs,
        })
        .nullable(),
    }),
  ),
  /** The screen has drawn everything up to these sequence numbers; the server thins for a screen that falls behind. */
  'feed.seen': reads<null>()(z.strictObject({ seqs })),
  /** Asks for a stream anew after a gap. */
  'feed.resync': reads<null>()(
    z.strictObject({
      stream: z.enum(['cluster', 'decisions', 'seconds', 'fleet', 'summary', 'health']),
    }),
  ),
  /** For the command line: brings the window to the front, or makes a new one-time link to the page. */
  'console.open': reads<{ readonly url: string | null }>()(z.strictObject({})),
  /** Ends every browser session; the way back in is a new link. */
  'console.revoke': changes<null>()(z.strictObject({})),
  'status.read': reads<StatusReport>()(z.strictObject({})),
  'decisions.last': reads<DecisionPage>()(
    z.strictObject({
      last: z.int().min(1).max(1_000),
      filter: filterText.default(''),
    }),
  ),
  'decisions.explain': reads<Explanation>()(z.strictObject({ id: z.string().min(1).max(128) })),
  'decisions.groups': reads<DecisionGroups>()(
    z.strictObject({ by: groupField, filter: filterText.default('') }),
  ),
  'timeline.read': reads<readonly ClusterRecord[]>()(
    z.strictObject({ fromWallMs: anyInstant, toWallMs: anyInstant }),
  ),
  'policies.list': reads<readonly PolicyInfo[]>()(z.strictObject({})),
  'policy.set': changes<null>()(
    z.strictObject({
      id: z.string().min(1).max(64),
      params: z
        .record(z.string().max(64), paramValue)
        .refine((given) => Object.keys(given).length <= 64, 'has too many entries'),
    }),
  ),
  'fleet.scale': changes<{
    readonly from: number
    readonly to: number
    readonly added: readonly string[]
    readonly removed: readonly string[]
  }>()(z.strictObject({ replicas: z.int().min(1).max(64) })),
  'faults.set': changes<{
    readonly replicaId: string | null
    readonly untilWallMs: Millis | null
  }>()(
    z.strictObject({
      name: z.enum(faultNames),
      replicaId: z.string().min(1).max(64).nullable(),
      forMs: z.int().min(100).max(86_400_000).nullable(),
    }),
  ),
  'faults.clear': changes<{ readonly cleared: number }>()(z.strictObject({})),
  'traffic.set': changes<null>()(
    z.strictObject({
      running: z.boolean(),
      ratePerSecond: z.number().min(0.1).max(500),
    }),
  ),
  'notes.add': changes<null>()(
    z.strictObject({ text: z.string().max(500).trim().min(1), atWallMs: notedInstant }),
  ),
}
/** The table of calls. */
export type Rpc = typeof rpc
/** A name of a call. */
export type RpcName = keyof Rpc
