import type { Millis } from '../../../src-main/base/units'
import { known } from '../../../src-main/domain/fleet/reading'
import type { FleetSnapshot } from '../../../src-main/domain/fleet/replica'
import type { ActiveFault, FaultName } from '../../../src-main/domain/journal/record'
import { downOf, runThatIsOver, type Severity, severityOf } from '../../../src-main/domain/journal/severity'
import { type HealthView, ratioOf, type SummaryView } from '../../../src-main/domain/journal/views'
import { endedClause, failuresFilter } from '../../field/clause'
import { type ClusterEvent, inOneLine } from '../../field/events'
import { reasonText } from '../../field/reasons'
import { duration, latency } from '../../format/durations'
import { count, percent, rate } from '../../format/numbers'
import { clock, moment, type Zone, zoneName } from '../../format/times'
import { visible } from '../../format/visible'
import type { Tone } from '../../kit/mark'
import type { Link } from '../../state/connection'
import type { Move } from '../../state/place'
import { words } from '../../words/en'

/** The answer to "are users hurting, since when, and why" in three lines. */
export interface Headline {
  readonly tone: Tone
  readonly severity: string
  readonly sentence: string
  readonly before: string
  readonly likely: string
  /** When it began; the timeline opens around it. */
  readonly onsetWallMs: Millis | null
  /** Where the proof is, no wider than what the sentence is about; null when there is nothing to prove. */
  readonly evidence: Move | null
}

/** What the headline is made from. */
export interface HeadlineFacts {
  readonly summary: SummaryView
  readonly health: HealthView | null
  readonly fleet: FleetSnapshot | null
  readonly events: readonly ClusterEvent[]
  readonly link: Link
  readonly nowWallMs: Millis
  readonly zone: Zone
}

/** Clients' errors are told from this share on. */
const clientErrorsLeast = 0.01
/** A run is known to the first failure of its last second: its others fall into the second after it. */
const lastSecondMs: Millis = 1_000
const minuteMs: Millis = 60_000
/** Without a request for this long there is nothing to judge. */
const idleMs: Millis = 60_000
/** Dead replicas that are named. */
const namesMax = 4
/** Changes are looked for this long before the onset. */
const beforeMs: Millis = 600_000
/** A single reason that explains this share of the failures is "likely", less is "possible" (ux.md 8). */
const likelyShare = 0.8

const text = words.overview.headline

/** The state of things as a sentence, and what probably lies behind it. */
export function headlineOf(facts: HeadlineFacts): Headline {
  const { summary, link } = facts
  if (link.phase !== 'open' && link.phase !== 'connecting') return old(facts)
  const { level, by } = severityOf(summary, facts.fleet, facts.nowWallMs)
  const run = runThatIsOver(summary, facts.nowWallMs)
  if (by === 'failing' || by === 'errors') return failing(facts, level)
  if (by === 'breaks') return breaking(facts)
  return {
    ...(by === 'over' && run ? ending(facts, run) : standing(facts, level)),
    before: run ? over(facts, run) : '',
    likely: circumstances(facts),
    onsetWallMs: run?.fromWallMs ?? null,
  }
}

const shareOf = ({ summary }: HeadlineFacts) => percent(ratioOf(summary.errors) ?? 0)

type Run = NonNullable<SummaryView['failed']>

/** A run of failures ended just now: the last minute's figures are still its own. */
function ending(facts: HeadlineFacts, { toWallMs }: Run): Headline {
  const { nowWallMs, zone } = facts
  const at = moment(toWallMs, nowWallMs, zone)
  const { down, all } = downOf(facts.fleet)
  const dead = down === 0 ? '' : `${text.down(down, all)} · `
  const ended = text.ending(at, zoneName(toWallMs, zone), shareOf(facts))
  return {
    ...plain('warn', words.overview.severity.warning, dead + ended),
    evidence: overEvidence(facts),
  }
}

/** Nothing fails: replicas that are down are told all the same, before anybody feels it, and also while nobody asks. */
function standing(facts: HeadlineFacts, level: Severity['level']): Headline {
  const { summary, fleet, nowWallMs, zone } = facts
  const { ok, warning, critical, unknown } = words.overview.severity
  const { down, all } = downOf(fleet)
  const told = (tone: Tone, severity: string, sentence: string): Headline => {
    if (down === 0) return { ...plain(tone, severity, sentence), evidence: overEvidence(facts) }
    const whole = `${text.down(down, all)} · ${sentence}`
    const own = level === 'critical' ? plain('crit', critical, whole) : plain('warn', warning, whole)
    return { ...own, evidence: { view: 'replicas' } }
  }
  const last = summary.lastRequestWallMs
  if (last === null) return told('unknown', unknown, text.never)
  if (nowWallMs - last > idleMs) return told('unknown', unknown, text.idle(moment(last, nowWallMs, zone)))
  const figures = [rate(summary.requestsPerSecond, words.overview.rateUnit), shareOf(facts)] as const
  const parts = [
    down === 0 ? text.healthy(...figures) : text.standing(...figures),
    (ratioOf(summary.clientErrors) ?? 0) < clientErrorsLeast
      ? ''
      : text.clientErrors(percent(ratioOf(summary.clientErrors) ?? 0)),
    summary.ttftMs.p99 === null ? '' : text.ttft(latency(summary.ttftMs.p99), count(summary.ttftMs.n)),
    ratioOf(summary.affinity) === null ? '' : text.affinity(percent(ratioOf(summary.affinity) ?? 0)),
  ]
  return told('ok', ok, parts.filter((part) => part !== '').join(' · '))
}

function overEvidence({ summary, nowWallMs }: HeadlineFacts): Move | null {
  const run = runThatIsOver(summary, nowWallMs)
  return run && decisionsOf(failuresFilter, run.fromWallMs, run.toWallMs + lastSecondMs)
}

const over = ({ nowWallMs, zone }: HeadlineFacts, { fromWallMs, toWallMs }: Run): string =>
  text.over(moment(fromWallMs, nowWallMs, zone), moment(toWallMs, nowWallMs, zone), zoneName(toWallMs, zone))

const plain = (tone: Tone, severity: string, sentence: string): Headline => ({
  tone,
  severity,
  sentence,
  before: '',
  likely: '',
  onsetWallMs: null,
  evidence: null,
})

/** Decisions that fit, of that time alone: counted by their reasons, over whatever range the page had. */
const decisionsOf = (outcomes: string, fromWallMs: Millis, toWallMs: Millis | null = null): Move => ({
  view: 'decisions',
  params: {
    by: 'reason',
    q: [outcomes, endedClause(fromWallMs, toWallMs)].filter(Boolean).join(' '),
    from: null,
    to: null,
  },
})

function old({ summary, nowWallMs, zone }: HeadlineFacts): Headline {
  const age = duration(nowWallMs - summary.takenWallMs)
  return plain(
    'stale',
    words.overview.severity.unknown,
    text.old(age, moment(summary.takenWallMs, nowWallMs, zone)),
  )
}

function failing(facts: HeadlineFacts, level: Severity['level']): Headline {
  const { summary, nowWallMs, zone } = facts
  const onset = summary.failingSinceWallMs
  const failed = summary.errors.part
  const main = mainReason(summary)
  const reason =
    main && failed > 0 ? text.reason(percent(Math.min(1, main.count / failed)), reasonText(main.reason)) : ''
  const start =
    onset === null
      ? text.failingShort(shareOf(facts), count(failed))
      : text.failing(moment(onset, nowWallMs, zone), zoneName(onset, zone), shareOf(facts))
  const critical = level === 'critical'
  return {
    tone: critical ? 'crit' : 'warn',
    severity: critical ? words.overview.severity.critical : words.overview.severity.warning,
    sentence: start + reason,
    before: onset === null ? '' : precededBy(facts, onset),
    likely: cause(facts, main !== undefined && failed > 0 && main.count / failed >= likelyShare),
    onsetWallMs: onset,
    evidence: decisionsOf(failuresFilter, onset ?? summary.takenWallMs - minuteMs),
  }
}

/** What most failures are of. */
const mainReason = ({ reasons }: SummaryView) => [...reasons].sort((a, b) => b.count - a.count).at(0)

function breaking(facts: HeadlineFacts): Headline {
  const { summary } = facts
  const { breaks } = summary
  return {
    ...plain(
      'warn',
      words.overview.severity.warning,
      text.breaks(percent(ratioOf(breaks) ?? 0), count(breaks.part)),
    ),
    likely: cause(facts, false),
    // A stream that its replica left without a word is of the class `timeout`, and broke all the same.
    evidence: decisionsOf('outcome:broken,timeout', summary.takenWallMs - 5 * minuteMs),
  }
}

/** The three changes nearest before the onset, the nearest first. */
function precededBy({ events, nowWallMs, zone }: HeadlineFacts, onset: Millis): string {
  // The onset is the start of a bad window: what set it off may lie a window later than its first second.
  const before = events
    .filter(
      ({ atWallMs, minor, lane }) =>
        !minor &&
        lane !== 'notes' &&
        lane !== 'gaps' &&
        atWallMs <= onset + 5_000 &&
        atWallMs > onset - beforeMs,
    )
    .sort((a, b) => b.atWallMs - a.atWallMs)
    .slice(0, 3)
  if (before.length === 0) return text.nothingBefore
  return text.preceded(
    before.map((event) => text.at(moment(event.atWallMs, nowWallMs, zone), inOneLine(event))).join('; '),
  )
}

/** While nothing fails what is not well is the cause of nothing: it is said as it is. */
function circumstances(facts: HeadlineFacts): string {
  const { down } = downOf(facts.fleet)
  const dead = down === 0 ? '' : text.downNamed(deadNames(facts, down))
  const found = [ownTrouble(facts), dead].filter((each) => each !== '')
  return found.length === 0 ? '' : text.present(found.join('; '))
}

/** Plain rules: a fault that is on, or else our own router process, and replicas that are down. */
function cause(facts: HeadlineFacts, single: boolean): string {
  const trouble = ownTrouble(facts)
  const own = trouble === '' ? '' : text.likely(trouble)
  const down = deadReplicas(facts)
  const dead = down === '' ? '' : own === '' && single ? text.likely(down) : text.possible(down)
  return [own, dead].filter((part) => part !== '').join(' ')
}

/** Which reason codes the faults of the router make (proxy/data-plane.ts); what a killed replica makes is any other. */
const madeBy: Readonly<Partial<Record<FaultName, string>>> = {
  'router-down': 'policy_failed',
  'router-500': 'policy_refused',
  'router-junk': 'policy_bad_answer',
  'router-unknown-replica': 'unknown_replica',
}

/** True when a fault can be what most failures are of; with no failure to explain, any fault that is on is worth naming. */
function explains({ name }: ActiveFault, summary: SummaryView): boolean {
  const main = mainReason(summary)
  if (!main) return true
  return madeBy[name] === undefined
    ? !Object.values(madeBy).includes(main.reason)
    : madeBy[name] === main.reason
}

function ownTrouble({ health, summary, zone }: HeadlineFacts): string {
  const fault = health?.faults.find((each) => explains(each, summary))
  if (fault) return text.fault(fault.name, clock(fault.sinceWallMs, zone), text.faultDemo)
  const router = health?.processes.find(({ role }) => role === 'router')
  return router && router.state !== 'up' ? text.routerDown : ''
}

/** How many replicas are down, and which: told whatever else is wrong. */
function deadReplicas(facts: HeadlineFacts): string {
  const { down, all } = downOf(facts.fleet)
  return down === 0 ? '' : text.replicaDown(down, all, deadNames(facts, down))
}

function deadNames({ fleet }: HeadlineFacts, down: number): string {
  const names = (fleet?.replicas ?? [])
    .filter(({ state }) => known(state) === 'down')
    .slice(0, namesMax)
    .map(({ replica }) => visible(replica.id))
  return [...names, ...(down > namesMax ? ['…'] : [])].join(', ')
}
