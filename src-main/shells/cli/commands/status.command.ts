import type { StatusReport } from '../../../contract/rpc'
import { known } from '../../../domain/fleet/reading'
import { ratioOf } from '../../../domain/journal/views'
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

/** Share of failed requests from which it is critical, as the page's headline has it (ux.md 6.1). */
const errorsMax = 0.005

function verdict({ health, fleet, summary }: StatusReport): 'ok' | 'warning' | 'critical' {
  const errors = summary ? ratioOf(summary.errors) : null
  if ((errors ?? 0) > errorsMax) return 'critical'
  if (health.banners.some(({ severity }) => severity === 'critical')) return 'critical'
  const down = fleet?.replicas.some(({ state }) => known(state) === 'down') ?? false
  const warned = health.banners.some(({ severity }) => severity === 'warning')
  return down || warned || health.faults.length > 0 ? 'warning' : 'ok'
}

function words({ health, fleet, summary }: StatusReport): string {
  const errors = summary ? ratioOf(summary.errors) : null
  const replicas = fleet?.replicas ?? []
  const lines = [
    `${health.environment} ${health.cluster}  policy ${health.policy.id}  proxy ${health.proxyUrl ?? '—'}`,
    summary
      ? `${summary.requestsPerSecond.toFixed(1)} req/s  errors ${errors === null ? '—' : `${(errors * 100).toFixed(2)} %`} (n ${summary.errors.whole}, 1 m)  TTFT p99 ${summary.ttftMs.p99 === null ? '—' : `${summary.ttftMs.p99.toFixed(0)} ms`} @proxy`
      : 'no figures yet',
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
