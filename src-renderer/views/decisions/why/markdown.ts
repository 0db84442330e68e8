import type { Explanation } from '../../../../src-main/contract/rpc'
import { latency } from '../../../format/durations'
import { missing, percent } from '../../../format/numbers'
import { visible } from '../../../format/visible'
import { words } from '../../../words/en'
import { type FactRows, inputFacts, outcomeFacts, timingOf } from './facts'
import { verdictOf } from './verdict'

const text = words.why

/** The drawer as Markdown, for a ticket; times in UTC. Values from data are escaped, so that they stay text there, too. */
export function explanationMarkdown(explanation: Explanation): string {
  const { row } = explanation
  const candidates = row.reasons.map(({ rank, replicaId, verdict, why, facts }) => [
    rank === null ? missing : String(rank),
    visible(replicaId),
    `${text.verdicts[verdict]}: ${text.because[why]}`,
    facts.inFlight === undefined ? missing : String(facts.inFlight),
    facts.kvUsedRatio === undefined ? missing : percent(facts.kvUsedRatio),
    facts.ageMs === undefined ? missing : latency(facts.ageMs),
  ])
  const { columns } = text
  return [
    `## ${escaped(text.title(row.id))}`,
    escaped(verdictOf(row)),
    section(text.sections.inputs, list(inputFacts(explanation, 'utc'))),
    section(
      text.sections.candidates,
      table(
        [columns.rank, columns.replica, columns.verdict, columns.inFlight, columns.kv, columns.age],
        candidates,
      ),
    ),
    section(
      `${text.sections.timing} ${text.timing.place}`,
      list(timingOf(row).map(({ title, fromMs, toMs }) => [title, latency(toMs - fromMs)])),
    ),
    section(text.sections.outcome, list(outcomeFacts(row))),
    section(
      text.sections.policy,
      list([
        [
          visible(row.policy.id),
          Object.entries(row.policy.params)
            .map(([name, value]) => `${name} ${value}`)
            .join(', '),
        ],
      ]),
    ),
  ].join('\n\n')
}

const section = (title: string, body: string) => `### ${title}\n\n${body}`
const list = (rows: FactRows) =>
  rows.map(([name, value]) => `- ${escaped(name)}: ${escaped(value)}`).join('\n')
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => (cell === '---' ? cell : escaped(cell))).join(' | ')} |`)
    .join('\n')

/** What means something to Markdown or HTML is taken at its word. */
const escaped = (value: string) => visible(value).replace(/[\\`*_{}[\]<>#|!&~]/g, (sign) => `\\${sign}`)
