import type { DecisionRow } from '../../../../src-main/domain/journal/record'
import { serveReasons } from '../../../../src-main/domain/routing/outcome'
import { visible } from '../../../format/visible'
import { words } from '../../../words/en'

const text = words.why.verdict

/** The whole story of a request in one sentence, and where its session was before. */
export function verdictOf(row: DecisionRow): string {
  const moved = row.movedFrom === null ? '' : ` ${text.moved(visible(row.movedFrom))}`
  return `${pickSentence(row)}, ${endSentence(row)}.${moved}`
}

function pickSentence(row: DecisionRow): string {
  if (row.pick === null && row.refusal === null) return text.notDecided(routerSaid(row))
  if (row.pick === null) return row.refusal === 'at_capacity' ? text.atCapacity : text.noReplica
  const pick = visible(row.pick)
  const why = row.reasons.find(({ verdict }) => verdict === 'picked')?.why
  if (why === 'owner') return row.facts.keyed === 0 ? text.ownerByRequest(pick) : text.owner(pick)
  return why === 'turn' ? text.turn(pick) : text.picked(pick, visible(row.policy.id))
}

/** What the router answered instead of a replica, in a clause. */
function routerSaid({ answer }: DecisionRow): string {
  if (!answer) return text.saidNothingKnown
  const { status, named, detail } = answer
  if (status === 0) return text.saidNothing
  if (status !== 200) return text.saidStatus(status, visible(detail ?? ''))
  return named === null ? text.saidNoId : text.saidUnknownId(visible(named))
}

function endSentence({ outcome, asked, pick: picked }: DecisionRow): string {
  if (!outcome) return asked === 'http' ? text.routedOnly : text.running
  const { end, status, serveReason } = outcome
  const pick = visible(picked ?? words.field.none)
  const served = visible(outcome.served ?? words.field.none)
  const reason = visible(outcome.reason)
  if (serveReason !== null && serveReasons.includes(serveReason)) return text.routing(serveReason, status)
  if (end === 'client_left') return text.left
  if (end === 'broke') return text.broke(served, reason)
  if (end === 'refused')
    return outcome.served === null && picked !== null
      ? `${text.unreached}: ${text.refused(reason, status)}`
      : text.refused(reason, status)
  if (status >= 400) return text.status(served, status)
  if (outcome.served === picked) return text.served(served)
  return outcome.rank !== null && outcome.rank > 0
    ? text.fallback(pick, served, outcome.rank)
    : text.different(pick, served)
}
