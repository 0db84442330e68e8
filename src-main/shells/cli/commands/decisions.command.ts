import type { DecisionRow } from '../../../domain/journal/record'
import { whole } from '../../start-options'
import { defineCommand } from '../command'
import { table } from '../print'

export default defineCommand({
  id: 'decisions',
  define: (command, context) =>
    command
      .description('prints the newest routing decisions, newest first')
      .argument('[filter]', 'which ones, for example outcome:refused or ttft>500ms', '')
      .option('--last <n>', 'how many', whole(1, 1_000), 20)
      .action(async (filter: string, flags: { last: number }) => {
        const { json, print, ask } = context()
        const page = await ask('decisions.last', { last: flags.last, filter })
        const rows = page.rows.map(decisionLine)
        if (json) return print(JSON.stringify(rows))
        print(
          table(
            ['TIME', 'ID', 'SESSION', 'POLICY', 'PICK', 'SERVED', 'RANK', 'STATUS', 'REASON'],
            rows.map((row) => [
              row.time.slice(11, 23),
              row.id,
              row.session?.slice(0, 8) ?? null,
              row.policy,
              row.pick,
              row.served,
              row.rank,
              row.status,
              row.reason,
            ]),
          ),
        )
      }),
})

/** A decision as scripts get it (decision D24). Session is the keyed hash; `status` is null while the request runs; `reason` is Ray's word where it has one. */
export function decisionLine(row: DecisionRow) {
  return {
    id: row.id,
    requestId: row.requestId,
    time: new Date(row.wallMs).toISOString(),
    session: row.session,
    policy: row.policy.id,
    pick: row.pick,
    served: row.outcome?.served ?? null,
    rank: row.outcome?.rank ?? null,
    status: row.outcome?.status ?? null,
    reason: row.outcome?.serveReason ?? row.outcome?.reason ?? row.refusal ?? 'running',
    candidates: row.reasons,
  }
}
