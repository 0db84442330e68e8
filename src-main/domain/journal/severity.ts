import type { Millis } from '../../base/units'
import { known } from '../fleet/reading'
import type { FleetSnapshot } from '../fleet/replica'
import { ratioOf, type Share, type SummaryView } from './views'

/** How users fare, and the rule that says so: what the headline, the bell and the command line's exit code agree on. */
export interface Severity {
  readonly level: 'ok' | 'warning' | 'critical'
  /** `failing`: a run of bad windows; `over`: one that ended so lately that the last minute's figures still hold it. */
  readonly by: 'failing' | 'over' | 'errors' | 'breaks' | 'down' | null
}

/**
 * Thresholds of ux.md 6.1: more is bad. A share of a handful says little: without a run of failures it takes five of them to
 * be critical, and three broken streams to be told at all.
 */
const limits = { errors: 0.005, critical: 0.02, criticalLeast: 5, breaks: 0.001, breaksLeast: 3 } as const
/** The span of the figures of errors. */
const figuresMs: Millis = 60_000
/** A run of failures that is over is told for this long. */
const newsMs: Millis = 600_000

/** Whether so many failures are told. */
export const areErrorsBad = (errors: Share): boolean => (ratioOf(errors) ?? 0) > limits.errors
/** Whether so many broken streams are told. */
export const areBreaksBad = (breaks: Share): boolean =>
  (ratioOf(breaks) ?? 0) > limits.breaks && breaks.part >= limits.breaksLeast

/** The last run of failures that is over, while it is news. */
export const runThatIsOver = ({ failed }: SummaryView, wallMs: Millis): SummaryView['failed'] =>
  failed === null || wallMs - failed.toWallMs > newsMs ? null : failed

/** How many replicas there are, and how many of them are known to be down. */
export function downOf(fleet: FleetSnapshot | null): { readonly down: number; readonly all: number } {
  const replicas = fleet?.replicas ?? []
  return { down: replicas.filter(({ state }) => known(state) === 'down').length, all: replicas.length }
}

/** What is worst now. A client's own errors and aborts count for nothing here. */
export function severityOf(
  summary: SummaryView | null,
  fleet: FleetSnapshot | null,
  wallMs: Millis,
): Severity {
  const { down, all } = downOf(fleet)
  if (summary !== null && summary.failingSinceWallMs !== null) return { level: 'critical', by: 'failing' }
  if (down > 0 && down === all) return { level: 'critical', by: 'down' }
  return (
    (summary && feltBy(summary, wallMs)) ??
    (down > 0 ? { level: 'warning', by: 'down' } : { level: 'ok', by: null })
  )
}

function feltBy(summary: SummaryView, wallMs: Millis): Severity | null {
  const { errors, breaks, failed } = summary
  if (failed !== null && wallMs - failed.toWallMs < figuresMs) return { level: 'warning', by: 'over' }
  const critical = (ratioOf(errors) ?? 0) > limits.critical && errors.part >= limits.criticalLeast
  if (areErrorsBad(errors)) return { level: critical ? 'critical' : 'warning', by: 'errors' }
  return areBreaksBad(breaks) ? { level: 'warning', by: 'breaks' } : null
}
