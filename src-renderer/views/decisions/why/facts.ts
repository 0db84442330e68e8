import type { Explanation } from '../../../../src-main/contract/rpc'
import type { DecisionRow } from '../../../../src-main/domain/journal/record'
import { sessionHeader } from '../../../../src-main/domain/routing/request'
import { latency } from '../../../format/durations'
import { bytes, count, missing, percent } from '../../../format/numbers'
import { clockMillis, type Zone, zoneName } from '../../../format/times'
import { visible } from '../../../format/visible'
import { words } from '../../../words/en'

/** Names with values, as the drawer lists them and the copied explanation repeats them. */
export type FactRows = readonly (readonly [string, string])[]

const text = words.why

/** What the decision was made from. */
export function inputFacts({ row, policy }: Explanation, zone: Zone): FactRows {
  const { facts, truncated, turn } = row
  const keyed = policy?.signals.includes('session-key') ?? true
  const session =
    row.session === null
      ? text.inputs.sessionAbsent
      : keyed
        ? text.inputs.sessionPresent(visible(row.session))
        : text.inputs.sessionUnused
  const optional: readonly (readonly [string, string | null])[] = [
    [text.inputs.virtualNodes, figure(facts.virtualNodes)],
    [text.inputs.ringPoints, figure(facts.ringPoints)],
    [
      text.inputs.turn,
      facts.turn === undefined || facts.of === undefined ? null : text.inputs.turnOf(facts.turn, facts.of),
    ],
    [
      text.inputs.prompt,
      row.promptTokens === null ? null : text.inputs.promptTokens(count(row.promptTokens)),
    ],
  ]
  return [
    [text.inputs.request, visible(row.requestId)],
    [text.inputs.time, `${clockMillis(row.wallMs, zone)} ${zoneName(row.wallMs, zone)}`],
    [text.inputs.policy, visible(row.policy.id)],
    [text.inputs.session, session],
    [text.inputs.header, sessionHeader],
    [text.inputs.epoch, String(row.fleetEpoch)],
    [text.inputs.candidates, String(row.reasons.length)],
    [text.inputs.fallbacks, row.fallbacks.length === 0 ? missing : row.fallbacks.map(visible).join(', ')],
    ...optional.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    [
      text.inputs.body,
      truncated ? text.inputs.truncated(bytes(truncated.have), bytes(truncated.full)) : text.inputs.whole,
    ],
    [text.inputs.mode, text.inputs.modes[row.mode]],
    ...(turn === null ? [] : [[words.decisions.columns.turn, String(turn + 1)] as const]),
  ]
}

const figure = (value: number | undefined) => (value === undefined ? null : count(value))

/** What became of the request. */
export function outcomeFacts({ outcome }: DecisionRow): FactRows {
  if (!outcome) return []
  const { promptTokens: prompt, outputTokens: output, cachedTokens: cached } = outcome
  const shown = text.outcome
  return [
    [shown.status, outcome.status === 0 ? shown.noStatus : String(outcome.status)],
    [shown.reason, visible(outcome.reason)],
    [shown.serveReason, outcome.serveReason ?? missing],
    [shown.finish, outcome.finish === null ? shown.unknown : visible(outcome.finish)],
    [
      shown.tokens,
      prompt === null && output === null
        ? shown.unknown
        : shown.tokensOf(
            prompt === null ? missing : count(prompt),
            output === null ? missing : count(output),
          ),
    ],
    [
      shown.cached,
      cached === null
        ? shown.unknown
        : shown.cachedOf(count(cached), prompt ? percent(cached / prompt) : missing),
    ],
    [shown.attempts, String(outcome.attempts)],
    [shown.bytes, shown.bytesOf(bytes(outcome.bytesIn), bytes(outcome.bytesOut))],
    [shown.streamed, outcome.streamed ? shown.yes : shown.no],
  ]
}

/** One bar of the waterfall. */
export interface TimingStep {
  readonly id: string
  readonly title: string
  readonly fromMs: number
  readonly toMs: number
}

/** Where the time went, measured in our proxy. Steps that were not measured are not made up. */
export function timingOf({ consultUs, outcome }: DecisionRow): readonly TimingStep[] {
  const routerMs = consultUs / 1_000
  const router = { id: 'router', title: text.timing.router, fromMs: 0, toMs: routerMs }
  if (!outcome) return [router]
  const { ttftMs, durationMs } = outcome
  const total = { id: 'total', title: text.timing.total, fromMs: 0, toMs: durationMs }
  if (ttftMs === null)
    return [router, { id: 'end', title: text.timing.end, fromMs: routerMs, toMs: durationMs }, total]
  return [
    router,
    { id: 'first', title: text.timing.first, fromMs: 0, toMs: ttftMs },
    { id: 'stream', title: text.timing.stream, fromMs: ttftMs, toMs: durationMs },
    total,
  ]
}

/** The gaps between chunks in words, or null when none were measured. */
export function gapsOf({ outcome }: DecisionRow): string | null {
  const { itlMsP50, itlMsMax } = outcome ?? {}
  return itlMsP50 == null || itlMsMax == null ? null : text.timing.gaps(latency(itlMsP50), latency(itlMsMax))
}
