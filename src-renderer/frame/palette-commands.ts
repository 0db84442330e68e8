import { failuresFilter } from '../field/clause'
import { goLive, type Page, togglePause } from '../state/page'
import type { Preferences } from '../state/preferences'
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

/** What the palette's lines open in the frame. */
export interface PaletteActions {
  onNote(): void
  onShortcuts(): void
}

/** Everything that can be done from anywhere. */
export function usePaletteCommands(actions: PaletteActions): readonly PaletteCommand[] {
  const page = usePage()
  const chosen = useStore(page.preferences)
  const paused = useStore(page.paused) !== null
  const writes = useWrites()
  const share = useShare()
  const note = {
    id: 'note',
    group: groups.share,
    title: words.palette.addNote,
    keys: 'm',
    run: actions.onNote,
  }
  return [
    ...goCommands(page),
    ...timeCommands(page, chosen, paused),
    ...decisionCommands(page),
    { id: 'link', group: groups.share, title: words.palette.copyLink, keys: 'y', run: share },
    ...(writes === 'absent' ? [] : [note]),
    ...appCommands(page, chosen, actions),
  ]
}

const goCommands = ({ places }: Page): readonly PaletteCommand[] =>
  views.map(({ id, title, goKey }) => ({
    id: `go-${id}`,
    group: groups.go,
    title: words.palette.go(title),
    keys: `g ${goKey}`,
    run: () => places.go({ view: id }),
  }))

function timeCommands(page: Page, chosen: Preferences, paused: boolean): readonly PaletteCommand[] {
  const { places, preferences } = page
  return [
    {
      id: 'pause',
      group: groups.time,
      title: paused ? words.palette.resume : words.palette.pause,
      keys: 'Space',
      run: () => togglePause(page),
    },
    { id: 'live', group: groups.time, title: words.palette.liveNow, keys: 't n', run: () => goLive(page) },
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
  ]
}

function decisionCommands({ places }: Page): readonly PaletteCommand[] {
  const rows: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ['failures', words.palette.failures, { q: failuresFilter }],
    ['moved', words.palette.moved, { q: 'moved:*' }],
    ['fallbacks', words.palette.fallbacks, { q: 'outcome:fallback' }],
    ['by-reason', words.palette.byReason, { by: 'reason' }],
    ['by-replica', words.palette.byReplica, { by: 'replica' }],
  ]
  return rows.map(([id, title, params]) => ({
    id,
    group: groups.decisions,
    title,
    run: () => places.go({ view: 'decisions', params: { q: null, by: null, ...params } }),
  }))
}

function appCommands(
  { preferences, retryNow }: Page,
  chosen: Preferences,
  { onShortcuts }: PaletteActions,
): readonly PaletteCommand[] {
  const density = chosen.density === 'compact' ? 'comfortable' : 'compact'
  const app = groups.app
  const set = (change: Partial<Preferences>) => () => preferences.set({ ...chosen, ...change })
  return [
    { id: 'theme', group: app, title: words.palette.theme, run: set({ theme: nextTheme(chosen.theme) }) },
    { id: 'density', group: app, title: words.palette.density, run: set({ density }) },
    {
      id: 'single-keys',
      group: app,
      title: words.palette.singleKeys(chosen.singleKeys),
      help: true,
      run: set({ singleKeys: !chosen.singleKeys }),
    },
    { id: 'shortcuts', group: app, title: words.palette.shortcuts, keys: '?', help: true, run: onShortcuts },
    { id: 'retry', group: app, title: words.palette.retry, help: true, run: retryNow },
  ]
}
