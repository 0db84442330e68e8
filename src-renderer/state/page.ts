import { createDraw } from '../../src-main/base/draw'
import type { Millis } from '../../src-main/base/units'
import type { Call } from '../../src-main/contract/peer'
import type { Rpc } from '../../src-main/contract/rpc'
import type { Frames, PageClock } from './clock'
import { createConnection, type Dial, type Link } from './connection'
import { createFeed } from './feed'
import { createFeedStores, type FeedStores } from './feed-stores'
import { createKeys, type Keys } from './keys'
import { createPlaces, type Places } from './place'
import { createPreferences, type Preferences } from './preferences'
import { createServerTime, type ServerTime } from './server-clock'
import { createStore, type Store } from './store'
import { createToasts, type Toasts } from './toasts'

/** Everything that the parts of one page share. Made once by `main.tsx`, handed down by context. */
export interface Page {
  readonly feed: FeedStores
  readonly link: Store<Link>
  readonly call: Call<Rpc>
  retryNow(): void
  readonly clock: PageClock
  /** The server's clocks. */
  readonly time: ServerTime
  readonly places: Places
  readonly preferences: Store<Preferences>
  readonly toasts: Toasts
  readonly keys: Keys
  /** What the views show instead of the feed while the page is paused; null: they follow. */
  readonly paused: Store<Pause | null>
  /** How the window came to be opened again; null: as usual. */
  readonly arrival: Store<Arrival | null>
  /** Ids of the banners that were put away. */
  readonly dismissed: Store<ReadonlySet<string>>
  /** The instant under the pointer on any chart, shared by all of them. */
  readonly cursor: Store<Cursor | null>
  start(): void
  stop(): void
}

/** A window that died was opened again: `restarted`, or `safe`, without charts, when it died too often (fault F73). */
export type Arrival = 'restarted' | 'safe'

/** The feed as it stood when the page was paused. */
export interface Pause {
  readonly sinceWallMs: Millis
  readonly sinceMonoMs: Millis
  readonly held: { readonly [Name in keyof Omit<FeedStores, 'health'>]: ReturnType<FeedStores[Name]['get']> }
}

/** An instant that the charts point at. */
export interface Cursor {
  readonly wallMs: Millis
  /** It stays when the pointer leaves. */
  readonly locked: boolean
}

/** What a page is made of. */
export interface PageOptions {
  readonly dial: Dial
  readonly clock: PageClock
  readonly frames: Frames
  readonly window: Window
  /** Ids of the views, in order. */
  readonly views: readonly string[]
}

/** How often the server is told what was drawn. */
const seenEveryMs: Millis = 1_000

/** Makes the parts of a page and ties them together; nothing happens before `start`. */
export function createPage({ dial, clock, frames, window, views }: PageOptions): Page {
  const stores = createFeedStores(frames)
  const time = createServerTime(clock)
  const preferences = createPreferences(window)
  const feed = createFeed({
    stores,
    time,
    resync: (stream) => void connection.call('feed.resync', { stream }),
  })
  let drawn: Record<string, number> = {}
  const connection = createConnection({
    dial,
    clock,
    draw: createDraw(clock.wallMs()),
    position: () => feed.position(),
    onLost: () => feed.lost(),
    onFrame(frame) {
      feed.take(frame)
      // Told to the server only after it was drawn: a hidden page draws nothing, and is sent less.
      if (frame.t !== 'beat') frames(() => (drawn = { ...feed.position()?.seqs }))
    },
  })
  const seen = () => {
    if (connection.link.get().phase === 'open') void connection.call('feed.seen', { seqs: drawn })
  }
  let stops: (() => void)[] = []
  return {
    feed: stores,
    link: connection.link,
    call: connection.call,
    retryNow: connection.retryNow,
    clock,
    time,
    places: createPlaces(window, views),
    preferences,
    toasts: createToasts(clock),
    keys: createKeys(clock, () => preferences.get().singleKeys),
    paused: createStore<Pause | null>(null),
    arrival: createStore<Arrival | null>(arrivalOf(window.location.search)),
    dismissed: createStore<ReadonlySet<string>>(new Set()),
    cursor: createStore<Cursor | null>(null, frames),
    start() {
      const timer = clock.every(seenEveryMs, seen)
      window.addEventListener('online', connection.retryNow)
      connection.start()
      stops = [
        () => timer.stop(),
        () => window.removeEventListener('online', connection.retryNow),
        () => connection.stop(),
      ]
    },
    stop() {
      for (const stop of stops) stop()
      this.places.stop()
    },
  }
}

/** What the desktop shell wrote into the address (shells/electron/window-health.ts). */
function arrivalOf(search: string): Arrival | null {
  const params = new URLSearchParams(search)
  return params.has('safe') ? 'safe' : params.has('restarted') ? 'restarted' : null
}

/** Holds what the views show, or lets it go. What comes in meanwhile is kept, not shown. */
export function togglePause(page: Page): void {
  if (page.paused.get()) return page.paused.set(null)
  const { cluster, decisions, seconds, fleet, summary, gaps } = page.feed
  page.paused.set({
    sinceWallMs: page.time.wallMs(),
    sinceMonoMs: page.time.monoMs(),
    held: {
      cluster: cluster.get(),
      decisions: decisions.get(),
      seconds: seconds.get(),
      fleet: fleet.get(),
      summary: summary.get(),
      gaps: gaps.get(),
    },
  })
}

/** Back to the present: neither held nor a range of the past. */
export function goLive({ paused, places }: Page): void {
  paused.set(null)
  places.go({ params: { from: null, to: null } })
}
