import { createStore, type Store } from './store'

/** What a person sets for this page; kept in the browser. */
export interface Preferences {
  /** Null follows the system. */
  readonly theme: 'dark' | 'light' | null
  readonly zone: 'utc' | 'local'
  readonly density: 'compact' | 'comfortable'
  /** Shortcuts of one key (WCAG 2.1.4). */
  readonly singleKeys: boolean
  /** Help cards that were put away. */
  readonly dismissed: readonly string[]
  /** Columns that are not shown, as `<table>.<column>`. */
  readonly hiddenColumns: readonly string[]
}

const initial: Preferences = {
  theme: null,
  zone: 'utc',
  density: 'compact',
  singleKeys: true,
  dismissed: [],
  hiddenColumns: ['decisions.request', 'decisions.model', 'decisions.turn', 'decisions.policy'],
}
const storageKey = 'signalbox.preferences'

/** Preferences in a store that writes what is set to the browser's storage; a page without storage forgets them. */
export function createPreferences(page: Window): Store<Preferences> {
  const store = createStore(read(page))
  return {
    ...store,
    set(next) {
      store.set(next)
      try {
        page.localStorage.setItem(storageKey, JSON.stringify(next))
      } catch {
        // Full or forbidden: the page works, and forgets.
      }
    },
  }
}

/** What was kept, with the initial value for whatever is missing or of no use: a person may have edited it. */
function read(page: Window): Preferences {
  let kept: unknown = null
  try {
    kept = JSON.parse(page.localStorage.getItem(storageKey) ?? 'null')
  } catch {
    return initial
  }
  if (typeof kept !== 'object' || kept === null) return initial
  const { theme, zone, density, singleKeys, dismissed, hiddenColumns } = kept as Record<string, unknown>
  return {
    theme: theme === 'dark' || theme === 'light' ? theme : initial.theme,
    zone: zone === 'local' ? 'local' : initial.zone,
    density: density === 'comfortable' ? 'comfortable' : initial.density,
    singleKeys: singleKeys !== false,
    dismissed: texts(dismissed) ?? initial.dismissed,
    hiddenColumns: texts(hiddenColumns) ?? initial.hiddenColumns,
  }
}

/** The texts of a list, at most a hundred; null when it is none. */
const texts = (value: unknown): readonly string[] | null =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string').slice(0, 100) : null
