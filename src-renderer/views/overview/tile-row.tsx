import { freshness } from '../../../src-main/domain/fleet/freshness'
import { shortAge } from '../../format/durations'
import { Hint } from '../../kit/hint'
import { toneIcons } from '../../kit/mark'
import { Spark } from '../../kit/spark'
import { useKeys } from '../../state/use-keys'
import { useShownNow } from '../../state/use-now'
import { usePage } from '../../state/use-page'
import { useFeed } from '../../state/use-store'
import { words } from '../../words/en'
import { type TileFigure, tilesOf } from './tiles'

/** Pace of the summary, ms: what its freshness is measured by. */
const summaryEveryMs = 1_000

/** The figures: number, samples, course, age. Pressing one opens the view that explains it; `1` to `7` do the same. */
export function TileRow() {
  const { places } = usePage()
  const summary = useFeed('summary', 1_000)
  const { items } = useFeed('seconds', 1_000)
  const now = useShownNow()
  const tiles = summary ? tilesOf(summary, items) : []
  useKeys(
    words.overview.title,
    tiles.map(({ id, explain }, at) => ({
      keys: String(at + 1),
      title: words.overview.tiles[id],
      run: () => places.go(explain),
    })),
  )
  if (!summary) return null
  const age = now.monoMs - summary.takenMonoMs
  const fresh = freshness(age, summaryEveryMs)
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-2">
      {tiles.map((tile) => (
        <Tile
          key={tile.id}
          tile={tile}
          age={fresh === 'live' ? null : shortAge(age)}
          stale={fresh === 'stale'}
          onOpen={() => places.go(tile.explain)}
        />
      ))}
    </div>
  )
}

function Tile({
  tile,
  age,
  stale,
  onOpen,
}: {
  readonly tile: TileFigure
  readonly age: string | null
  readonly stale: boolean
  onOpen(): void
}) {
  const title = words.overview.tiles[tile.id]
  const Icon = toneIcons[stale ? 'stale' : 'warn']
  const look = stale ? 'text-stale' : tile.bad ? 'text-crit' : tile.few ? 'text-muted' : 'text-ink'
  const help = [words.overview.tileHelp[tile.id], tile.few ?? ''].filter(Boolean).join(' — ')
  return (
    <Hint text={help}>
      <button
        type="button"
        onClick={onOpen}
        className={`flex min-w-0 flex-col rounded-panel border bg-panel px-3 pt-2 pb-1.5 text-left hover:bg-hover ${tile.bad && !stale ? 'border-crit' : 'border-line'}`}
      >
        <span className="flex items-center gap-1 text-12 text-muted">
          <span className="truncate">{title}</span>
          {tile.bad || stale ? (
            <Icon aria-hidden="true" className={`ml-auto size-3.5 ${stale ? 'text-stale' : 'text-crit'}`} />
          ) : null}
          {age ? <span className={stale ? 'text-stale' : 'ml-auto text-warn'}>{age}</span> : null}
        </span>
        <span className={`truncate text-20 font-strong ${look}`}>{tile.value}</span>
        <span className="truncate text-12 text-faint">{tile.under}</span>
        <Spark values={tile.spark} />
      </button>
    </Hint>
  )
}
