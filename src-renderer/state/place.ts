import { createStore, type Store } from './store'

/** Where the page is: a view and what is set in it, as in the fragment `#/decisions?sel=decision:d1&q=outcome:ok`. */
export interface Place {
  readonly view: string
  /** `sel`, `q`, `by`, `from`, `to`, `win`, `tz` and what a view adds. */
  readonly params: Readonly<Record<string, string>>
}

/** A change of place: another view, and parameters to set or, with null, to leave out. */
export interface Move {
  readonly view?: string
  readonly params?: Readonly<Record<string, string | null>>
}

/** The page's place, kept in the address so that back, forward and a copied link work. */
export interface Places {
  readonly place: Store<Place>
  /** Goes there. Going to another view leaves that view's own parameters behind. */
  go(move: Move): void
  /** Changes the place without a step of history: a filter while it is typed. */
  replace(move: Move): void
  stop(): void
}

/** Longest fragment that is read, characters: beyond it an address is not ours. */
const fragmentMax = 4_096
/** Parameters that hold for every view. */
const shared = ['tz', 'from', 'to', 'win']

/** The place that a fragment names; the first view when it names none. */
export function parsePlace(fragment: string, views: readonly string[]): Place {
  const home = { view: views[0] ?? '', params: {} }
  if (fragment.length > fragmentMax) return home
  const match = /^#\/([a-z-]*)(?:\?(.*))?$/s.exec(fragment)
  if (!match) return home
  const view = views.includes(match[1] ?? '') ? (match[1] as string) : home.view
  const params: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(match[2] ?? '')) if (value !== '') params[name] = value
  return { view, params }
}

/** The fragment of a place; `parsePlace` gives the place back. */
export function writePlace({ view, params }: Place): string {
  const entries = Object.entries(params).filter(([, value]) => value !== '')
  const query = new URLSearchParams(entries.sort(([a], [b]) => (a < b ? -1 : 1))).toString()
  return `#/${view}${query === '' ? '' : `?${query}`}`
}

/** The place after a move. */
export function movedPlace(place: Place, move: Move): Place {
  const view = move.view ?? place.view
  const kept = Object.entries(place.params).filter(([name]) => view === place.view || shared.includes(name))
  const params: Record<string, string> = Object.fromEntries(kept)
  for (const [name, value] of Object.entries(move.params ?? {})) {
    if (value === null || value === '') delete params[name]
    else params[name] = value
  }
  return { view, params }
}

/** Follows the address of a window. */
export function createPlaces(page: Window, views: readonly string[]): Places {
  const place = createStore(parsePlace(page.location.hash, views))
  const follow = () => place.set(parsePlace(page.location.hash, views))
  page.addEventListener('hashchange', follow)
  page.addEventListener('popstate', follow)
  const write = (how: 'pushState' | 'replaceState', move: Move) => {
    const next = movedPlace(place.get(), move)
    if (writePlace(next) === writePlace(place.get())) return
    page.history[how](null, '', writePlace(next))
    place.set(next)
  }
  return {
    place,
    go: (move) => write('pushState', move),
    replace: (move) => write('replaceState', move),
    stop() {
      page.removeEventListener('hashchange', follow)
      page.removeEventListener('popstate', follow)
    },
  }
}

/** A selection as the address writes it: `decision:d1`. */
export interface Selection {
  readonly kind: string
  readonly id: string
}

/** What is selected, or null. */
export function selectionOf({ params }: Place): Selection | null {
  const match = /^([a-z]+):(.+)$/s.exec(params.sel ?? '')
  return match?.[1] && match[2] ? { kind: match[1], id: match[2] } : null
}
