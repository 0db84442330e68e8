import { useEffect } from 'react'
import { goLive, togglePause } from '../state/page'
import { paramsOfRange, sessionSpansMs } from '../state/range'
import { useKeys } from '../state/use-keys'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { useWrites } from '../state/use-writes'
import { viewOf, views } from '../views'
import { words } from '../words/en'
import { useShare } from './use-share'

/** What the shortcuts of the frame open. */
export interface FrameActions {
  palette(): void
  shortcuts(): void
  note(): void
}

/** Feeds key presses to the shortcuts, and adds those that hold everywhere (ux.md 14). */
export function useKeyboard(actions: FrameActions): void {
  const page = usePage()
  const { places, preferences, cursor } = page
  const spansMs = viewOf(useStore(places.place).view).spansMs
  const writes = useWrites()
  const share = useShare()
  usePresses()
  useKeys(words.shortcuts.everywhere, [
    { keys: 'mod+k', title: words.shortcuts.palette, run: actions.palette },
    { keys: ':', title: words.shortcuts.palette, run: actions.palette },
    { keys: '?', title: words.shortcuts.sheet, run: actions.shortcuts },
    ...views.map(({ id, title, goKey }) => ({
      keys: `g ${goKey}`,
      title: words.shortcuts.go(title),
      run: () => places.go({ view: id }),
    })),
    ...views.map(({ id, title }, at) => ({
      keys: `mod+${at + 1}`,
      title: words.shortcuts.go(title),
      run: () => places.go({ view: id }),
    })),
    { keys: ' ', title: words.shortcuts.pause, run: () => togglePause(page) },
    { keys: 'Escape', title: words.shortcuts.close, run: () => places.go({ params: { sel: null } }) },
    {
      keys: 'u',
      title: words.shortcuts.zone,
      run: () => {
        const chosen = preferences.get()
        preferences.set({ ...chosen, zone: chosen.zone === 'utc' ? 'local' : 'utc' })
      },
    },
    { keys: 'y', title: words.shortcuts.link, run: share },
    ...(writes === 'absent' ? [] : [{ keys: 'm', title: words.shortcuts.note, run: actions.note }]),
    ...(spansMs.length > 0 ? spansMs : sessionSpansMs).map((spanMs, at) => ({
      keys: `t ${at + 1}`,
      title: words.shortcuts.span(words.frame.span(spanMs / 60_000)),
      run: () => places.go({ params: paramsOfRange({ kind: 'live', spanMs }) }),
    })),
    {
      keys: 't n',
      title: words.shortcuts.liveNow,
      run: () => goLive(page),
    },
    {
      keys: 'l',
      title: words.shortcuts.lock,
      run: () => {
        const at = cursor.get()
        if (at) cursor.set(at.locked ? null : { ...at, locked: true })
      },
    },
    { keys: 'F6', title: words.shortcuts.nextRegion, run: focusNextRegion },
  ])
}

/** A button keeps its Space and Enter, a row the Enter that opens it; a field keeps everything. */
const ownKeys: Readonly<Record<string, string>> = { ' ': 'button, a', Enter: 'button, a, [role="row"], tr' }

function usePresses(): void {
  const { keys } = usePage()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || isModal()) return
      const mod = event.metaKey || event.ctrlKey
      const target = event.target instanceof Element ? event.target : null
      const own = ownKeys[event.key]
      if (own !== undefined && target?.closest(own)) return
      const typing = target?.closest('input, textarea, select, [contenteditable="true"]') != null
      if (keys.press({ key: event.key, mod, typing })) event.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [keys])
}

/** A dialog, menu or palette is open: the keys are its own. */
const isModal = () => document.querySelector('[role="dialog"][data-state="open"], [role="menu"]') !== null

/** The landmarks in order; focus goes to the one after that which has it. */
function focusNextRegion(): void {
  const regions = [...document.querySelectorAll<HTMLElement>('nav, main, aside')]
  const at = regions.findIndex((region) => region.contains(document.activeElement))
  const next = regions[(at + 1) % regions.length]
  if (!next) return
  if (!next.hasAttribute('tabindex')) next.tabIndex = -1
  next.focus()
}
