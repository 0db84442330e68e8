import { History, ListTree } from 'lucide-react'
import type { ClusterEvent } from '../../field/events'
import { Button } from '../../kit/button'
import { ToneIcon, toneSoft, toneText } from '../../kit/mark'
import { aroundInstant, paramsOfRange } from '../../state/range'
import { useNow, useShownNow } from '../../state/use-now'
import { usePage } from '../../state/use-page'
import { useFeed, useHealth, useStore } from '../../state/use-store'
import { words } from '../../words/en'
import { headlineOf } from './headline'

/** The headline: severity in shape and word, the sentence, what came before, what is likely; and where the proof is. */
export function HeadlineCard({ events }: { readonly events: readonly ClusterEvent[] }) {
  const { link, places, preferences } = usePage()
  const summary = useFeed('summary', 1_000)
  const fleet = useFeed('fleet', 1_000)
  const health = useHealth()
  const shown = useShownNow()
  const present = useNow()
  const { zone } = useStore(preferences)
  const standing = useStore(link)
  // A pause holds the figures; how old they are once nothing comes any more counts to the present.
  const now = standing.phase === 'open' ? shown : present
  if (!summary) return null
  const headline = headlineOf({ summary, health, fleet, events, link: standing, nowWallMs: now.wallMs, zone })
  const { tone, onsetWallMs, evidence } = headline
  const timeline = () =>
    places.go({
      view: 'timeline',
      params: onsetWallMs === null ? {} : paramsOfRange(aroundInstant(onsetWallMs)),
    })
  return (
    <section
      aria-label={headline.severity}
      aria-live={tone === 'crit' ? 'assertive' : 'polite'}
      className={`flex flex-wrap items-center gap-x-4 gap-y-2 rounded-panel border border-line px-4 py-2.5 ${toneSoft[tone] || 'bg-panel'}`}
    >
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 text-16">
          <ToneIcon tone={tone} />
          <strong className={`font-strong ${toneText[tone]}`}>{headline.severity}</strong>
          <span className="min-w-0">{headline.sentence}</span>
        </p>
        {headline.before ? <p className="pt-1 text-muted">{headline.before}</p> : null}
        {headline.likely ? <p className="pt-0.5 text-muted">{headline.likely}</p> : null}
      </div>
      <div className="flex gap-2">
        {evidence ? (
          <Button icon={ListTree} kind="primary" onClick={() => places.go(evidence)}>
            {words.overview.showEvidence}
          </Button>
        ) : null}
        <Button icon={History} onClick={timeline}>
          {words.overview.openTimeline}
        </Button>
      </div>
    </section>
  )
}
