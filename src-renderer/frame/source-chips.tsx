import { known } from '../../src-main/domain/fleet/reading'
import type { FleetSnapshot } from '../../src-main/domain/fleet/replica'
import { downOf, severityOf } from '../../src-main/domain/journal/severity'
import { type HealthView, ratioOf, type SummaryView } from '../../src-main/domain/journal/views'
import { percent } from '../format/numbers'
import { visible } from '../format/visible'
import { Hint } from '../kit/hint'
import { type Tone, toneIcons } from '../kit/mark'
import type { Link } from '../state/connection'
import { usePage } from '../state/use-page'
import { useHealth, useStore } from '../state/use-store'
import { words } from '../words/en'

/** One source as a chip: shape and word; what is not well stands out from the band. */
export interface SourceChip {
  readonly id: string
  readonly text: string
  readonly tone: Tone
  readonly help: string
}

/** Our own processes, the store and the replicas. Without a live link nothing is known of them. */
export function sourceChips(
  health: HealthView | null,
  fleet: FleetSnapshot | null,
  summary: SummaryView | null,
  link: Link,
): readonly SourceChip[] {
  if (!health) return []
  const live = link.phase === 'open'
  const tone = (own: Tone): Tone => (live ? own : 'unknown')
  const processes = health.processes.map(({ role, state, restarts, lastExit }): SourceChip => {
    const word = words.frame.processState[state]
    return {
      id: role,
      text: live ? (state === 'up' ? role : `${role} ${word}`) : `${role} ${words.frame.unknownSource}`,
      tone: tone(state === 'up' ? 'ok' : state === 'stopped' ? 'crit' : 'warn'),
      help: words.frame.processHelp(role, word, restarts, lastExit === null ? null : visible(lastExit)),
    }
  })
  const { state, why } = health.store
  const store: SourceChip = {
    id: 'store',
    text: state === 'ok' ? words.frame.store : `${words.frame.store} ${words.frame.storeState[state]}`,
    tone: tone(state === 'ok' ? 'ok' : 'warn'),
    help: words.frame.storeHelp(words.frame.storeState[state], why === null ? null : visible(why)),
  }
  return [
    ...requestsChip(summary, live),
    ...faultChips(health, tone),
    ...processes,
    store,
    ...replicaChip(fleet, tone),
  ]
}

/** While requests fail no row of calm chips shall stand there alone, whatever our own processes say of themselves. */
function requestsChip(summary: SummaryView | null, live: boolean): SourceChip[] {
  if (!summary || !live) return []
  const { level, by } = severityOf(summary, null, summary.takenWallMs)
  if (by !== 'failing' && by !== 'errors') return []
  return [
    {
      id: 'requests',
      text: words.frame.requestsChip,
      tone: level === 'critical' ? 'crit' : 'warn',
      help: words.frame.requestsHelp(percent(ratioOf(summary.errors) ?? 0)),
    },
  ]
}

/** A fault that is on is on purpose, and still what hurts: it stands first. */
function faultChips({ faults }: HealthView, tone: (own: Tone) => Tone): SourceChip[] {
  return faults.map(({ name, replicaId }) => ({
    id: `fault ${name} ${replicaId ?? ''}`,
    text: words.frame.faultChip(name, replicaId === null ? '' : visible(replicaId)),
    tone: tone('crit'),
    help: words.frame.faultHelp,
  }))
}

function replicaChip(fleet: FleetSnapshot | null, tone: (own: Tone) => Tone): SourceChip[] {
  if (!fleet) return []
  const all = fleet.replicas.length
  const ready = fleet.replicas.filter(({ state }) => known(state) === 'ready').length
  const text = words.frame.replicasChip(ready, all, downOf(fleet).down)
  return [
    {
      id: 'replicas',
      text,
      tone: tone(ready === all && all > 0 ? 'ok' : ready === 0 ? 'crit' : 'warn'),
      help: text,
    },
  ]
}

/** Where a chip leads; to the timeline, when nothing else is said. */
const viewOfChip: Readonly<Record<string, string>> = { replicas: 'replicas', requests: 'overview' }

/** The chips in the environment band. */
export function SourceChips() {
  const { link, feed, places } = usePage()
  const chips = sourceChips(useHealth(), useStore(feed.fleet), useStore(feed.summary), useStore(link))
  return (
    <nav aria-label={words.frame.sources} className="flex min-w-0 items-center gap-1 overflow-hidden">
      {chips.map(({ id, text, tone, help }) => {
        const Icon = toneIcons[tone]
        const well = tone === 'ok'
        return (
          <Hint key={id} text={help}>
            <button
              type="button"
              onClick={() => places.go({ view: viewOfChip[id] ?? 'timeline' })}
              className={`inline-flex h-6 shrink-0 items-center gap-1 rounded-control px-1.5 text-12 ${
                well ? 'text-on-band hover:bg-on-band/15' : 'bg-on-band font-strong text-band-demo'
              }`}
            >
              <Icon aria-hidden="true" className="size-3.5" />
              {text}
            </button>
          </Hint>
        )
      })}
    </nav>
  )
}
