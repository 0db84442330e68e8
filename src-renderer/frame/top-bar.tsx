import { Link2, Monitor, Moon, Search, Sun } from 'lucide-react'
import { zoneName } from '../format/times'
import { Button, IconButton } from '../kit/button'
import { Segments } from '../kit/segments'
import { modKey } from '../state/keys'
import { useNow } from '../state/use-now'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { viewOf } from '../views'
import { words } from '../words/en'
import { nextTheme } from './theme'
import { TimeControl } from './time-control'
import { useShare } from './use-share'

/** The view's name, the time it shows, and the tools that every view has. */
export function TopBar({ onPalette }: { onPalette(): void }) {
  const { places, preferences } = usePage()
  const view = viewOf(useStore(places.place).view)
  const chosen = useStore(preferences)
  const now = useNow(10_000)
  const share = useShare()
  const themeIcon = { dark: Moon, light: Sun, system: Monitor }[chosen.theme ?? 'system']
  return (
    <section
      aria-label={words.frame.topBar}
      className="flex min-h-10 shrink-0 items-center gap-3 border-line border-b bg-panel px-3"
    >
      <h1 className="text-16 font-strong">{view.title}</h1>
      <div className="ml-auto flex items-center gap-3">
        <TimeControl />
        <Segments
          label={words.frame.zone}
          value={chosen.zone}
          options={[
            { value: 'utc', title: words.frame.utc },
            {
              value: 'local',
              title: chosen.zone === 'local' ? zoneName(now.wallMs, 'local') : words.frame.local,
            },
          ]}
          onChange={(zone) => preferences.set({ ...chosen, zone })}
        />
        <Button
          icon={Search}
          onClick={onPalette}
          aria-keyshortcuts={modKey(navigator) === '⌘' ? 'Meta+K' : 'Control+K'}
        >
          <span className="text-muted">{words.frame.openPalette}</span>
          <kbd className="font-mono text-12 text-faint">{modKey(navigator)} K</kbd>
        </Button>
        <div className="flex">
          <IconButton icon={Link2} label={words.frame.share} onClick={share} />
          <IconButton
            icon={themeIcon}
            label={words.frame.themes[chosen.theme ?? 'system']}
            onClick={() => preferences.set({ ...chosen, theme: nextTheme(chosen.theme) })}
          />
        </div>
      </div>
    </section>
  )
}
