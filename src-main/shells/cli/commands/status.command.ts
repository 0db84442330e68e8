import type { Millis } from '../../../base/units'
import type { StatusReport } from '../../../contract/rpc'
import { known } from '../../../domain/fleet/reading'
import { downOf, runThatIsOver, severityOf } from '../../../domain/journal/severity'
import { ratioOf, type Share, type SummaryView } from '../../../domain/journal/views'
import { plain } from '../../plain'
import { defineCommand } from '../command'
import { table } from '../print'

export default defineCommand({
  id: 'status',
  define: (command, context) =>
    command
      .description('prints how the cluster and the console are; exits 0 well, 1 warning, 2 critical')
      .action(async () => {
        const { json, print, ask } = context()
        const report = await ask('status.read', {})
        print(json ? JSON.stringify({ verdict: verdict(report), ...report }) : words(report))
        process.exitCode = { ok: 0, warning: 1, critical: 2 }[verdict(report)]
      }),
})

/** The page's judgement (`domain/journal/severity.ts`), or worse when the console itself is not well or a fault is on. */
function verdict({ health, fleet, summary }: StatusReport): 'ok' | 'warning' | 'critical' {
  const { level } = severityOf(summary, fleet, summary?.takenWallMs ?? 0)
  const warned = (as: 'critical' | 'warning') => health.banners.some(({ severity }) => severity === as)
  if (level === 'critical' || warned('critical')) return 'critical'
  return level === 'warning' || warned('warning') || health.faults.length > 0 ? 'warning' : 'ok'
}

/** Beside the errors, since they are none of the cluster's. */
const clientErrors = ({ part }: Share) => (part === 0 ? '' : `  client errors ${part}`)

function runOf(summary: SummaryView): readonly string[] {
  const { failingSinceWallMs: since, takenWallMs } = summary
  if (since !== null) return [`requests fail since ${timeOf(since)}`]
  const run = runThatIsOver(summary, takenWallMs)
  return run === null
    ? []
    : [`requests failed from ${timeOf(run.fromWallMs)} to ${timeOf(run.toWallMs)}; over since`]
}

const timeOf = (wallMs: Millis) => `${new Date(wallMs).toISOString().slice(0, 19)}Z`

function words(report: StatusReport): string {
  const { health, fleet, summary } = report
  const errors = summary ? ratioOf(summary.errors) : null
  const replicas = fleet?.replicas ?? []
  const { down, all } = downOf(fleet)
  const lines = [
    `${verdict(report).toUpperCase()}  ${health.environment} ${health.cluster}  policy ${health.policy.id}  proxy ${health.proxyUrl ?? '—'}`,
    summary
      ? `${summary.requestsPerSecond.toFixed(1)} req/s  errors ${errors === null ? '—' : `${(errors * 100).toFixed(2)} %`} (n ${summary.errors.whole}, 1 m)${clientErrors(summary.clientErrors)}  TTFT p99 ${summary.ttftMs.p99 === null ? '—' : `${summary.ttftMs.p99.toFixed(0)} ms`} @proxy`
      : 'no figures yet',
    ...(summary ? runOf(summary) : []),
    ...(down === 0 ? [] : [`${down} of ${all} replicas down`]),
    ...health.faults.map(
      ({ name, replicaId }) => `FAULT: ${name}${replicaId ? ` on ${replicaId}` : ''} is in force`,
    ),
    ...health.banners.map(({ severity, text }) => `${severity.toUpperCase()}: ${plain(text)}`),
    '',
    table(
      ['REPLICA', 'STATE', 'RUNNING', 'WAITING', 'KV %'],
      replicas.map((each) => {
        const kv = known(each.kvUsedRatio)
        return [
          each.replica.id,
          each.excluded ? 'excluded' : known(each.state),
          known(each.running),
          known(each.waiting),
          kv === null ? null : Math.round(kv * 1000) / 10,
        ]
      }),
    ),
    '',
    table(
      ['PROCESS', 'STATE', 'PID', 'RESTARTS'],
      health.processes.map((each) => [each.role, each.state, each.pid, each.restarts]),
    ),
  ]
  return lines.join('\n')
}
