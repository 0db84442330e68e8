import { useEffect } from 'react'
import type { Preferences } from '../state/preferences'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'

/** From the system's to dark, to light, and back. */
export function nextTheme(theme: Preferences['theme']): Preferences['theme'] {
  if (theme === null) return 'dark'
  return theme === 'dark' ? 'light' : null
}

/** Keeps the root's `data-theme` as it is preferred; tokens.css follows it. */
export function useTheme(): void {
  const { theme } = useStore(usePage().preferences)
  useEffect(() => {
    const root = document.documentElement
    if (theme === null) delete root.dataset.theme
    else root.dataset.theme = theme
  }, [theme])
}
