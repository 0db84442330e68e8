import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { OutcomeMark } from '../../field/outcome'
import { latency, latencyUnit } from '../../format/durations'
import { shortId } from '../../format/ids'
import { missing, percent, shortCount } from '../../format/numbers'
import { clockMillis, type Zone } from '../../format/times'
import { visible } from '../../format/visible'
import { Mark } from '../../kit/mark'
import type { Column } from '../../kit/table/columns'
import { words } from '../../words/en'

const text = words.decisions
/** The field's short name of a policy, the whole name of one that has none. */
function shortPolicy(id: string): string {
  const short: Readonly<Record<string, string>> = words.field.policyShort
  return (Object.hasOwn(short, id) ? short[id] : undefined) ?? visible(id)
}

const none = <span className="text-faint">{missing}</span>
const mono = (content: string) => <span className="font-mono">{content}</span>

/** The columns of the list (ux.md 6.2), as far as a local router knows them. */
export const decisionColumns = (zone: Zone): readonly Column<DecisionRow>[] => [timeColumn(zone), ...columns]

const timeColumn = (zone: Zone): Column<DecisionRow> => ({
  id: 'time',
  title: text.columns.time,
  width: '7.25rem',
  cell: ({ wallMs }) => mono(clockMillis(wallMs, zone)),
})

const columns: readonly Column<DecisionRow>[] = [
  {
    id: 'outcome',
    title: text.columns.outcome,
    help: text.help.outcome,
    width: 'minmax(9rem, 1.4fr)',
    cell: (row) => <OutcomeMark row={row} />,
  },
  {
    id: 'session',
    title: text.columns.session,
    help: text.help.session,
    width: '5.75rem',
    cell: ({ session }) => <Session session={session} />,
  },
  {
    id: 'request',
    title: text.columns.request,
    width: '8rem',
    cell: ({ requestId }) => mono(visible(requestId)),
  },
  {
    id: 'policy',
    title: text.columns.policy,
    width: '5rem',
    cell: ({ policy }) => <span title={visible(policy.id)}>{shortPolicy(policy.id)}</span>,
  },
  {
    id: 'model',
    title: text.columns.model,
    width: '7rem',
    cell: ({ model }) => (model === null ? none : visible(model)),
  },
  {
    id: 'pick',
    title: text.columns.pick,
    help: text.help.pick,
    width: '4rem',
    cell: ({ pick }) => (pick === null ? none : mono(visible(pick))),
  },
  {
    id: 'served',
    title: text.columns.served,
    help: text.help.served,
    width: '5rem',
    cell: (row) => <Served row={row} />,
  },
  {
    id: 'rank',
    title: text.columns.rank,
    help: text.help.rank,
    width: '2.5rem',
    align: 'right',
    cell: ({ outcome }) => outcome?.rank ?? none,
  },
  {
    id: 'moved',
    title: text.columns.moved,
    help: text.help.moved,
    width: '4.5rem',
    cell: ({ movedFrom }) =>
      movedFrom === null ? none : <span className="text-warn">← {visible(movedFrom)}</span>,
  },
  {
    id: 'turn',
    title: text.columns.turn,
    help: text.help.turn,
    width: '3.5rem',
    align: 'right',
    cell: ({ turn }) => turn ?? none,
  },
  {
    id: 'router',
    title: text.columns.router,
    unit: text.unit.ms,
    help: text.help.router,
    width: '5.25rem',
    align: 'right',
    cell: ({ consultUs }) => figure(consultUs / 1_000, 'ms'),
  },
  {
    id: 'ttft',
    title: text.columns.ttft,
    unit: text.unit.ms,
    help: text.help.ttft,
    width: '5rem',
    align: 'right',
    cell: ({ outcome }) => figure(outcome?.ttftMs ?? null, 'ms'),
  },
  {
    id: 'duration',
    title: text.columns.duration,
    unit: text.unit.s,
    help: text.help.duration,
    width: '4.5rem',
    align: 'right',
    cell: ({ outcome }) => figure(outcome?.durationMs ?? null, 's'),
  },
  {
    id: 'promptTokens',
    title: text.columns.promptTokens,
    unit: text.unit.tokens,
    help: text.help.promptTokens,
    width: '4.5rem',
    align: 'right',
    cell: ({ promptTokens, outcome }) => {
      const known = outcome?.promptTokens ?? promptTokens
      return known === null ? none : shortCount(known)
    },
  },
  {
    id: 'outputTokens',
    title: text.columns.outputTokens,
    unit: text.unit.tokens,
    width: '4.5rem',
    align: 'right',
    cell: ({ outcome }) => (outcome?.outputTokens == null ? none : shortCount(outcome.outputTokens)),
  },
  {
    id: 'cached',
    title: text.columns.cached,
    help: text.help.cached,
    width: '4.5rem',
    align: 'right',
    cell: ({ outcome }) => cachedShare(outcome?.cachedTokens ?? null, outcome?.promptTokens ?? null),
  },
  {
    id: 'finish',
    title: text.columns.finish,
    width: '4.5rem',
    cell: ({ outcome }) => (outcome?.finish == null ? none : visible(outcome.finish)),
  },
]

/** A latency in the column's unit, without it: the heading says it. */
function figure(ms: number | null, unit: 'ms' | 's') {
  if (ms === null) return none
  return <span title={latency(ms, latencyUnit(ms))}>{latency(ms, unit).replace(/ .*$/, '')}</span>
}

function cachedShare(cached: number | null, prompt: number | null) {
  if (cached === null || prompt === null || prompt === 0) return none
  return <span title={`${cached} / ${prompt}`}>{percent(cached / prompt)}</span>
}

function Session({ session }: { readonly session: string | null }) {
  if (session === null)
    return (
      <Mark tone="warn" title={words.field.noSessionHelp}>
        {words.field.noSession}
      </Mark>
    )
  return mono(shortId(session))
}

/** `=` when the pick answered; a replica of its own with a warning when another did. */
function Served({ row: { pick, outcome } }: { readonly row: DecisionRow }) {
  const served = outcome?.served ?? null
  if (served === null) return none
  if (served === pick) return <span className="font-mono text-faint">=</span>
  return <Mark tone="warn">{visible(served)}</Mark>
}
