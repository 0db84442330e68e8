import type { ReplyOf } from '../../../src-main/contract/peer'
import type { Rpc } from '../../../src-main/contract/rpc'
import { clauseOf } from '../../field/clause'
import { reasonText } from '../../field/reasons'
import { count, missing, percent } from '../../format/numbers'
import { moment } from '../../format/times'
import { DrawerSection } from '../../kit/drawer'
import { Facts } from '../../kit/panel'
import { Empty, Failure, Loading } from '../../kit/states'
import { useCall } from '../../state/use-call'
import { usePage } from '../../state/use-page'
import { useFeed, useStore } from '../../state/use-store'
import { words } from '../../words/en'

const text = words.replicas.mix
const askEveryMs = 2_000

/** Why a replica is picked: its decisions of the full population by outcome and reason, and by rank among this page's rows. */
export function DecisionMix({ replicaId }: { readonly replicaId: string }) {
  const { preferences, time } = usePage()
  const { zone } = useStore(preferences)
  const filter = clauseOf('replica', replicaId)
  const outcomes = useCall('decisions.groups', { by: 'outcome', filter }, { everyMs: askEveryMs })
  const reasons = useCall('decisions.groups', { by: 'reason', filter }, { everyMs: askEveryMs })
  const failure = outcomes.error ?? reasons.error
  if (!outcomes.data)
    return failure ? (
      <Failure what={text.failed} why={failure.message} onRetry={() => void outcomes.refetch()} />
    ) : (
      <Loading waitingFor={text.waitingFor} />
    )
  const all = outcomes.data.groups.reduce((sum, group) => sum + group.count, 0)
  if (all === 0) return <Empty title={text.none} />
  const since = outcomes.data.fromWallMs
  return (
    <>
      {failure ? (
        <Failure what={text.failed} why={failure.message} onRetry={() => void outcomes.refetch()} />
      ) : null}
      <p className="px-3 pt-2 text-muted">
        {text.total(count(all), since === null ? missing : moment(since, time.wallMs(), zone))}
      </p>
      <DrawerSection title={text.byOutcome} aside={words.field.origin.observed}>
        <Facts rows={rowsOf(outcomes.data, all)} />
      </DrawerSection>
      {reasons.data ? (
        <DrawerSection title={text.byReason} aside={words.field.origin.observed}>
          <Facts rows={rowsOf(reasons.data, all)} />
        </DrawerSection>
      ) : null}
      <RankMix replicaId={replicaId} />
    </>
  )
}

const rowsOf = ({ groups }: ReplyOf<Rpc['decisions.groups']>, all: number) =>
  groups.map(
    ({ key, count: own }) =>
      [
        key === '' ? words.decisions.groupNone : reasonText(key),
        `${count(own)} (${percent(own / all)})`,
      ] as const,
  )

/** As what it was reached: the pick, or a fallback. */
function RankMix({ replicaId }: { readonly replicaId: string }) {
  const { items } = useFeed('decisions', 1_000)
  const ranks = new Map<string, number>()
  for (const { outcome } of items)
    if (outcome?.served === replicaId) {
      const rank = outcome.rank === null ? 'none' : String(outcome.rank)
      ranks.set(rank, (ranks.get(rank) ?? 0) + 1)
    }
  if (ranks.size === 0) return null
  return (
    <DrawerSection title={text.rank} aside={words.field.origin.observed}>
      <Facts rows={[...ranks].sort().map(([rank, own]) => [text.rankOf(rank), count(own)] as const)} />
    </DrawerSection>
  )
}
