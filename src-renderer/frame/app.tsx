import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { HintProvider } from '../kit/hint'
import { selectionOf } from '../state/place'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { viewOf, views } from '../views'
import { words } from '../words/en'
import { BannerSlot } from './banner-slot'
import { EnvironmentBand } from './environment-band'
import { ErrorBoundary } from './error-boundary'
import { useKeyboard } from './keyboard'
import { Navigation } from './navigation'
import { NoteDialog } from './note-dialog'
import { Palette } from './palette'
import { ShortcutSheet } from './shortcut-sheet'
import { StatusBar } from './status-bar'
import { useTheme } from './theme'
import { ToastList } from './toast-list'
import { TopBar } from './top-bar'

type Open = 'palette' | 'shortcuts' | 'note' | null

/** The frame around every view (ux.md 4). */
export function App() {
  const { places } = usePage()
  const place = useStore(places.place)
  const [open, setOpen] = useState<Open>(null)
  const view = viewOf(place.view)
  const close = () => setOpen(null)
  useTheme()
  useZoneOfLink()
  useFreshAnswers()
  useResumeOnLeaving(view.id)
  useTitle(view.title)
  useKeyboard({
    palette: () => setOpen('palette'),
    shortcuts: () => setOpen('shortcuts'),
    note: () => setOpen('note'),
  })
  return (
    <HintProvider>
      <div className="flex h-full flex-col">
        <button
          type="button"
          onClick={() => document.getElementById('content')?.focus()}
          className="sr-only z-banner focus:not-sr-only focus:absolute focus:bg-raised focus:p-2"
        >
          {words.frame.skip}
        </button>
        <EnvironmentBand />
        <div className="flex min-h-0 flex-1">
          <Navigation />
          <div className="relative flex min-w-0 flex-1 flex-col">
            <TopBar onPalette={() => setOpen('palette')} />
            <BannerSlot />
            <div className="relative flex min-h-0 flex-1">
              <main id="content" tabIndex={-1} className="min-w-0 flex-1 overflow-hidden outline-none">
                <ErrorBoundary token={view.id}>
                  <view.Component key={view.id} />
                </ErrorBoundary>
              </main>
              <ErrorBoundary token={place.params.sel ?? ''}>
                <DrawerSlot />
              </ErrorBoundary>
            </div>
          </div>
        </div>
        <StatusBar />
      </div>
      <ToastList />
      <Palette
        open={open === 'palette'}
        onClose={close}
        onNote={() => setOpen('note')}
        onShortcuts={() => setOpen('shortcuts')}
      />
      <ShortcutSheet open={open === 'shortcuts'} onClose={close} />
      {open === 'note' ? <NoteDialog onClose={close} /> : null}
    </HintProvider>
  )
}

/** The drawer of what is selected, whichever view it belongs to. */
function DrawerSlot() {
  const { places } = usePage()
  const selection = selectionOf(useStore(places.place))
  const drawer = views.find((view) => view.drawer?.kind === selection?.kind)?.drawer
  if (!selection || !drawer) return null
  const close = () => places.go({ params: { sel: null } })
  return <drawer.Component key={selection.kind} id={selection.id} onClose={close} />
}

/** A link may say in which zone its times were meant. */
function useZoneOfLink(): void {
  const { places, preferences } = usePage()
  const { tz } = useStore(places.place).params
  useEffect(() => {
    if (tz === 'utc' || tz === 'local') preferences.set({ ...preferences.get(), zone: tz })
  }, [tz, preferences])
}

/** After a reconnection every answer is asked for anew. */
function useFreshAnswers(): void {
  const { link } = usePage()
  const { phase } = useStore(link)
  const answers = useQueryClient()
  useEffect(() => {
    if (phase === 'open') void answers.invalidateQueries()
  }, [phase, answers])
}

/** A pause belongs to the view in which it was made: another view is never old without having been told to be. */
function useResumeOnLeaving(view: string): void {
  const { paused } = usePage()
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of view that ends the pause
  useEffect(() => () => paused.set(null), [view, paused])
}

function useTitle(view: string): void {
  useEffect(() => {
    document.title = `${words.frame.environment.DEMO} · ${view} · ${words.frame.product}`
  }, [view])
}
