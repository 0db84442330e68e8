import type { DecisionRow } from '../../../domain/journal/record'
import { factsOf } from '../../../domain/journal/row-facts'
import { plain } from '../../plain'
import { whole } from '../../start-options'
import { defineCommand } from '../command'
import { table } from '../print'

export default defineCommand({
  id: 'decisions',
  // `-outcome:ok`, `-ttft>1s`, `-(a:b OR c:d)`, `-"text"`, `-~pattern`; a bare `-word` could be a mistyped option.
  dashed: /^-(?:[a-z][a-z_-]+(?:[:=]|[<>]=?)|[("~])/i,
  define: (command, context) =>
    command
      .description('prints the newest routing decisions, newest first')
      .argument('[filter...]', "which ones, for example outcome:refused 'ttft>500ms' -served:r3")
      .option('--last <n>', 'how many', whole(1, 1_000), 20)
      .action(async (filter: string[], flags: { last: number }) => {
        const { json, print, ask } = context()
        const page = await ask('decisions.last', { last: flags.last, filter: filter.join(' ') })
        const rows = page.rows.map(decisionLine)
        if (json) return print(JSON.stringify(rows))
        if (rows.length === 0) return print(nothing(filter, page.searched))
        const outcomes = page.rows.map((row) => factsOf(row).outcome)
        print(
          table(
            [
              'TIME UTC',
              'DECISION',
              'SESSION',
              'POLICY',
              'PICK',
              'SERVED',
              'RANK',
              'OUTCOME',
              'STATUS',
              'TTFT ms',
              'REASON',
            ],
            rows.map((row, at) => [
              row.time.slice(11, 23),
              row.id,
              row.session?.slice(0, 8) ?? null,
              row.policy,
              row.pick,
              row.served,
              row.rank,
              outcomes[at] ?? null,
              row.status,
              row.ttftMs === null ? null : Math.round(row.ttftMs),
              row.reason,
            ]),
          ),
        )
      }),
})

const nothing = (filter: readonly string[], searched: number): string =>
  filter.length === 0
    ? 'no decisions yet'
    : `nothing matches ${plain(filter.join(' '))} among ${searched} decisions`

/**
 * A decision as scripts get it (decision D24). `id` is the decision's (`x-signalbox-decision`), `requestId` the client's
 * (`x-request-id`). Session is the keyed hash; `status` is null while the request runs; `reason` is Ray's word where it has one.
 * A decision that was asked for over HTTP is `routed only`: the request went elsewhere, and no outcome will come.
 */
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
    ttftMs: row.outcome?.ttftMs ?? null,
    reason: row.outcome?.serveReason ?? row.outcome?.reason ?? row.refusal ?? unended[row.asked],
    candidates: row.reasons,
  }
}

/** What stands for a reason as long as there is no outcome, by who asked. */
const unended = { proxy: 'running', http: 'routed only' } as const
