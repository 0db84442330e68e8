import type { DecisionMade, FaultName } from '../../domain/journal/record'
import type { Refusal } from '../../domain/routing/decision'
import type { RouteRequest } from '../../domain/routing/request'
import type { Clock } from '../../ports/seams/clock'
import type { Decided, Decider, DecidingTrouble } from './decide'
import type { Hold } from './in-flight'
import type { PendingDecision } from './report'

/** What is asked: where should this request go. */
export interface Question {
  /** The request's id as clients and logs know it. */
  readonly requestId: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly request: Omit<RouteRequest, 'id'>
  /** Our own proxy holds a place at the pick; somebody asking over HTTP holds nothing. */
  readonly asked: DecisionMade['asked']
  readonly demo: boolean
}

/**
 * The deciding step's answer as it looks from outside, in-process and over HTTP alike: what a router replies, or that it
 * replies nothing.
 */
export interface Answer {
  readonly decisionId: string
  /** 0: the connection was closed without an answer. */
  readonly status: 0 | 200 | 500 | 503
  /** The picked replica in Ray's long form, which the asker looks up in its own table; null when the answer names none. */
  readonly replicaId: string | null
  /** The decision's fallback ranks, long form. */
  readonly fallbacks: readonly string[]
  /** Known cause of an answer without a pick; null when the asker has to judge by status and id, as HAProxy does. */
  readonly refusal: Refusal | DecidingTrouble | null
  /** One sentence for the asker; null when there is none. */
  readonly detail: string | null
  /** The place held for this request; whoever asked must release it. */
  readonly hold: Hold | null
}

/** Asks the deciding step. Answers at once and never throws. */
export type Consult = (question: Question) => Answer

/** What the deciding step is made from. */
export interface ConsultOptions {
  readonly decider: Decider
  readonly clock: Clock
  /** Ids of decisions, unique across restarts. */
  readonly nextId: () => string
  /** Faults in force now. */
  readonly faults: () => ReadonlySet<FaultName>
  readonly report: (pending: PendingDecision) => void
  /** Put before a short replica id to make the long one. */
  readonly prefix: string
}

/** What an answer tells besides its id and its hold. */
type Told = Omit<Answer, 'decisionId' | 'hold'>

/** Faults of the deciding step, worst first. Each acts on every asker alike, while the proxy stays up. */
const faultAnswers: readonly (readonly [FaultName, (prefix: string) => Told])[] = [
  ['router-down', () => told(0, null, null)],
  ['router-500', () => told(500, null, 'Internal Server Error')],
  ['router-junk', () => told(200, null, null)],
  // The id must exist nowhere: embedded ids are r1 to rN, Ray's are eight letters and digits.
  ['router-unknown-replica', (prefix) => told(200, `${prefix}no-such-replica`, null)],
]

/** Why the deciding step itself gave no usable answer, for the asker. */
const troubleAnswers: Readonly<Record<DecidingTrouble, Told>> = {
  policy_failed: { ...told(500, null, 'the routing policy failed'), refusal: 'policy_failed' },
  policy_timeout: { ...told(500, null, 'the routing policy took too long'), refusal: 'policy_timeout' },
  policy_bad_answer: { ...told(500, null, 'the routing policy named none'), refusal: 'policy_bad_answer' },
  unknown_replica: {
    ...told(503, null, 'the routing policy named a replica that may not be used'),
    refusal: 'unknown_replica',
  },
}

const refusalDetails: Readonly<Record<Refusal, string>> = {
  no_replica: 'No replicas are available.',
  at_capacity: 'All replicas are at capacity.',
}

/** The deciding step as seen from outside; every question asked of it becomes one decision record. */
export function createConsult(options: ConsultOptions): Consult {
  const { decider, clock, nextId, faults, report, prefix } = options
  const faulty = (): Told | null => {
    const active = faults()
    if (active.size === 0) return null
    for (const [name, answer] of faultAnswers) if (active.has(name)) return answer(prefix)
    return null
  }
  return (question) => {
    const askedMonoMs = clock.monoMs()
    const id = nextId()
    const request = { ...question.request, id }
    const fault = faulty()
    const made = fault ? null : decider.decide(request, question.asked === 'proxy')
    const answer = fault ?? answerOf(made as Decided, decider)
    report({
      id,
      question,
      decision: made?.decision ?? null,
      configuration: made?.configuration ?? decider.configuration,
      answer: saidBy(answer, made),
      fleetEpoch: decider.membership.fleet.epoch,
      wallMs: clock.wallMs(),
      monoMs: askedMonoMs,
      consultUs: Math.round((clock.monoMs() - askedMonoMs) * 1_000),
    })
    return { ...answer, decisionId: id, hold: made?.hold ?? null }
  }
}

/** What was said, when no replica was picked by it: an id in it is one that a fault put there. */
function saidBy({ status, replicaId, detail }: Told, made: Decided | null): DecisionMade['answer'] {
  return made?.decision?.choice.kind === 'picked' ? null : { status, named: replicaId, detail }
}

function answerOf({ decision, trouble }: Decided, { membership }: Decider): Told {
  if (trouble !== null) return troubleAnswers[trouble]
  if (decision.choice.kind === 'refused') {
    const { refusal } = decision.choice
    return { ...told(503, null, refusalDetails[refusal]), refusal }
  }
  const [first, ...rest] = decision.choice.ranked.map((index) => membership.targets[index]?.fullId ?? '')
  return { ...told(200, first ?? null, null), fallbacks: rest }
}

function told(status: Answer['status'], replicaId: string | null, detail: string | null): Told {
  return { status, replicaId, fallbacks: [], refusal: null, detail }
}
