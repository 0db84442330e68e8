import type { DecisionRow } from '../../../../src-main/domain/journal/record'
import { latency } from '../../../format/durations'
import { visible } from '../../../format/visible'
import { words } from '../../../words/en'

/** One station on a request's way; a broken one is where it went wrong. */
export interface Hop {
  readonly title: string
  readonly broken: boolean
}

const text = words.why

/** The way of a request from its client to the replica that answered; at most one hop is broken. */
export function hopsOf(row: DecisionRow): readonly Hop[] {
  const { outcome, pick, refusal } = row
  const unrouted = outcome?.serveReason != null
  const hops: Hop[] = [
    { title: text.path.client, broken: outcome?.end === 'client_left' },
    { title: row.asked === 'http' ? text.path.http : text.path.proxy, broken: false },
    { title: text.path.consult(latency(row.consultUs / 1_000)), broken: unrouted },
    {
      title: pick === null ? text.path.nobody : text.path.pick(visible(pick)),
      broken: pick === null && refusal !== null && !unrouted,
    },
  ]
  if (row.asked === 'http' || (pick === null && outcome?.served == null)) return hops
  const failed = outcome !== null && (outcome.end === 'broke' || outcome.end === 'refused')
  return [...hops, { title: servedTitle(row), broken: failed && pick !== null && !unrouted }]
}

function servedTitle({ outcome }: DecisionRow): string {
  if (!outcome) return text.agreement.pending
  return outcome.served === null ? text.path.nobody : text.path.served(visible(outcome.served))
}
