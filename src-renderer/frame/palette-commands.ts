import { togglePause } from '../state/page'
import { paramsOfRange, sessionSpansMs } from '../state/range'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { useWrites } from '../state/use-writes'
import { views } from '../views'
import { words } from '../words/en'
import { nextTheme } from './theme'
import { useShare } from './use-share'

/** A line of the palette; `run` null is a hint that does nothing. */
export interface PaletteCommand {
  readonly id: string
  readonly group: string
  readonly title: string
  readonly keys?: string
  /** Found under `?`. */
  readonly help?: boolean
  readonly run: (() => void) | null
}

const { groups } = words.palette

/** Everything that can be done from anywhere. */
export function usePaletteCommands({
  onNote,
  onShortcuts,
}: {
  onNote(): void
  onShortcuts(): void
}): readonly PaletteCommand[] {
  const page = usePage()
  const { places, preferences, retryNow } = page
  const chosen = useStore(preferences)
  const paused = useStore(page.paused) !== null
  const writes = useWrites()
  const share = useShare()
  const decisions = (params: Record<string, string | null>) => () =>
    places.go({ view: 'decisions', params: { q: null, by: null, ...params } })
  const live = () => {
    page.paused.set(null)
    places.go({ params: { from: null, to: null } })
  }
  return [
    ...views.map(({ id, title, goKey }) => ({
      id: `go-${id}`,
      group: groups.go,
      title: words.palette.go(title),
      keys: `g ${goKey}`,
      run: () => places.go({ view: id }),
    })),
    {
      id: 'pause',
      group: groups.time,
      title: paused ? words.palette.resume : words.palette.pause,
      keys: 'Space',
      run: () => togglePause(page),
    },
    { id: 'live', group: groups.time, title: words.palette.liveNow, keys: 't n', run: live },
    ...sessionSpansMs.map((spanMs, at) => ({
      id: `span-${spanMs}`,
      group: groups.time,
      title: words.palette.last(words.frame.span(spanMs / 60_000)),
      keys: `t ${at + 1}`,
      run: () => places.go({ params: paramsOfRange({ kind: 'live', spanMs }) }),
    })),
    {
      id: 'zone',
      group: groups.time,
      title: words.palette.zone,
      keys: 'u',
      run: () => preferences.set({ ...chosen, zone: chosen.zone === 'utc' ? 'local' : 'utc' }),
    },
    {
      id: 'failures',
      group: groups.decisions,
      title: words.palette.failures,
      run: decisions({ q: '-outcome:ok,fallback,client-left,open' }),
    },
    { id: 'moved', group: groups.decisions, title: words.palette.moved, run: decisions({ q: 'moved:*' }) },
    {
      id: 'fallbacks',
      group: groups.decisions,
      title: words.palette.fallbacks,
      run: decisions({ q: 'outcome:fallback' }),
    },
    {
      id: 'by-reason',
      group: groups.decisions,
      title: words.palette.byReason,
      run: decisions({ by: 'reason' }),
    },
    {
      id: 'by-replica',
      group: groups.decisions,
      title: words.palette.byReplica,
      run: decisions({ by: 'replica' }),
    },
    { id: 'link', group: groups.share, title: words.palette.copyLink, keys: 'y', run: share },
    ...(writes === 'absent'
      ? []
      : [{ id: 'note', group: groups.share, title: words.palette.addNote, keys: 'm', run: onNote }]),
    {
      id: 'theme',
      group: groups.app,
      title: words.palette.theme,
      run: () => preferences.set({ ...chosen, theme: nextTheme(chosen.theme) }),
    },
    {
      id: 'density',
      group: groups.app,
      title: words.palette.density,
      run: () =>
        preferences.set({ ...chosen, density: chosen.density === 'compact' ? 'comfortable' : 'compact' }),
    },
    {
      id: 'single-keys',
      group: groups.app,
      title: words.palette.singleKeys(chosen.singleKeys),
      help: true,
      run: () => preferences.set({ ...chosen, singleKeys: !chosen.singleKeys }),
    },
    {
      id: 'shortcuts',
      group: groups.app,
      title: words.palette.shortcuts,
      keys: '?',
      help: true,
      run: onShortcuts,
    },
    { id: 'retry', group: groups.app, title: words.palette.retry, help: true, run: retryNow },
  ]
}
