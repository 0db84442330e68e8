import type { Millis } from '../../base/units'
import { standings } from '../routing/outcome'
import type { RowFacts } from './row-facts'

/** A field whose values are words: compared whole, or by their beginning with a `*` behind it. */
export interface WordField {
  readonly kind: 'word'
  readonly name: string
  readonly help: string
  /** Every value that can stand, or null when there may be others. */
  readonly values: readonly string[] | null
  /** Short forms that stand for a value. */
  readonly short?: Readonly<Record<string, string>>
  /** True when `yes` and `no` also stand for having a value and having none. */
  readonly yesOrNo?: true
  /** True when values are long hashes, which are also named by their beginning or as lists show them: `a01c…3f`. */
  readonly hashed?: true
  /** What the row has; empty when it has none. */
  readonly read: (facts: RowFacts) => readonly (string | null)[]
}

/** A field whose values are numbers, in ms when it is a time. */
export interface NumberField {
  readonly kind: 'number'
  readonly name: string
  readonly help: string
  readonly unit: 'time' | 'count'
  readonly read: (facts: RowFacts) => number | null
  /** What a `%` is of, as a ratio; absent where it makes no sense. */
  readonly ratio?: (facts: RowFacts) => number | null
}

/** A field that is true or not. */
export interface FlagField {
  readonly kind: 'flag'
  readonly name: string
  readonly help: string
  readonly read: (facts: RowFacts) => boolean
}

/** A field whose values are instants, in UTC. */
export interface InstantField {
  readonly kind: 'instant'
  readonly name: string
  readonly help: string
  readonly read: (facts: RowFacts) => Millis | null
}

/** A field of the filter language. */
export type FilterField = WordField | NumberField | FlagField | InstantField

const word = (
  name: string,
  help: string,
  read: WordField['read'],
  more: Pick<WordField, 'short' | 'yesOrNo' | 'hashed'> & { readonly values?: readonly string[] } = {},
): WordField => ({ kind: 'word', name, help, read, values: null, ...more })
const count = (name: string, help: string, read: NumberField['read']): NumberField => ({
  kind: 'number',
  name,
  help,
  unit: 'count',
  read,
})
const time = (name: string, help: string, read: NumberField['read']): NumberField => ({
  kind: 'number',
  name,
  help,
  unit: 'time',
  read,
})
const flag = (name: string, help: string, read: FlagField['read']): FlagField => ({
  kind: 'flag',
  name,
  help,
  read,
})

const instant = (name: string, help: string, read: InstantField['read']): InstantField => ({
  kind: 'instant',
  name,
  help,
  read,
})

/** Every field, in the order in which help lists them (ux.md 7.2). */
export const filterFields: readonly FilterField[] = [
  word(
    'outcome',
    'how it ended; open while it runs, routed-only when it ran elsewhere',
    (facts) => [facts.outcome],
    {
      values: standings,
    },
  ),
  word('reason', "reason code of the outcome, or Ray's word for it", (facts) => [
    facts.reason,
    facts.serveReason,
  ]),
  word(
    'session',
    'keyed hash of the session, or its beginning; none: no session key',
    (facts) => [facts.session],
    {
      hashed: true,
    },
  ),
  word('req', 'request id', (facts) => [facts.requestId]),
  word('replica', 'picked or served', (facts) => [facts.pick, facts.served]),
  word('pick', 'replica that was picked', (facts) => [facts.pick]),
  word('served', 'replica that answered', (facts) => [facts.served]),
  count('rank', '0 the pick, 1 and on its fallbacks', (facts) => facts.rank),
  word('policy', 'routing policy', (facts) => [facts.policy], {
    short: { rr: 'round-robin', hash: 'consistent-hash', p2c: 'power-of-two' },
  }),
  time('ttft', 'time to first token', (facts) => facts.ttftMs),
  time('dur', 'duration of the request', (facts) => facts.durationMs),
  time('router', 'time from asking the router to its answer', (facts) => facts.consultUs / 1_000),
  count('in', 'prompt tokens', (facts) => facts.promptTokens),
  count('out', 'output tokens', (facts) => facts.outputTokens),
  {
    ...count('cached', 'cached prompt tokens; with % of the prompt', (facts) => facts.cachedTokens),
    ratio: ({ cachedTokens, promptTokens }) =>
      cachedTokens === null || promptTokens === null || promptTokens <= 0
        ? null
        : cachedTokens / promptTokens,
  },
  word('finish', "the engine's finish reason", (facts) => [facts.finish]),
  word('moved', 'replica of the last turn, when it was another', (facts) => [facts.movedFrom], {
    yesOrNo: true,
  }),
  flag('truncated', 'only a part of the body was seen', (facts) => facts.truncated),
  count('attempts', 'replicas that were tried', (facts) => facts.attempts),
  word('asked', 'by our proxy, or over HTTP', (facts) => [facts.asked], { values: ['proxy', 'http'] }),
  flag('demo', 'demo traffic', (facts) => facts.demo),
  word('id', 'decision id', (facts) => [facts.id]),
  instant('at', 'when it was decided, as 2026-01-01T03:07:41Z', (facts) => facts.wallMs),
  instant('ended', 'when it ended, as 2026-01-01T03:07:41Z', ({ wallMs, durationMs }) =>
    durationMs === null ? null : wallMs + durationMs,
  ),
  count('status', 'HTTP status', (facts) => facts.status),
  count('turn', 'turns of the session before this one', (facts) => facts.turn),
  word('model', 'model that was asked for', (facts) => [facts.model]),
]

/** The field of that name, or null. */
export const filterField = (name: string): FilterField | null =>
  filterFields.find((field) => field.name === name.toLowerCase()) ?? null

/** Every word of a row: what `"text"` and `~regex` look through. */
export const wordsOf = (facts: RowFacts): readonly string[] =>
  [
    facts.id,
    facts.requestId,
    facts.outcome,
    facts.reason,
    facts.serveReason,
    facts.session,
    facts.model,
    facts.path,
    facts.policy,
    facts.pick,
    facts.served,
    facts.finish,
    facts.movedFrom,
  ].filter((each): each is string => each !== null)
