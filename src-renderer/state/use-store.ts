import { useMemo, useSyncExternalStore } from 'react'
import type { Millis } from '../../src-main/base/units'
import type { PageClock } from './clock'
import type { Pause } from './page'
import type { Store } from './store'
import { usePage } from './use-page'

/** The value of a store, drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get, store.get)
}

/** Names of the parts of the feed that a pause holds. */
export type Held = keyof Pause['held']

/** A part of the feed as the views show it: what comes in, at most every `everyMs`, or what was held by a pause. */
export function useFeed<Name extends Held>(name: Name, everyMs: Millis = 0): Pause['held'][Name] {
  const { feed, paused, clock } = usePage()
  const source = feed[name] as Store<Pause['held'][Name]>
  const paced = useMemo(
    () => (everyMs > 0 ? pacedStore(source, clock, everyMs) : source),
    [source, clock, everyMs],
  )
  const live = useStore(paced)
  const pause = useStore(paused)
  return pause ? pause.held[name] : live
}

/** Signalbox about itself: never held by a pause. */
export const useHealth = () => useStore(usePage().feed.health)

/** A view of a store that changes at most every `everyMs`: the first change at once, the last of a burst at its end. */
export function pacedStore<T>(
  source: Store<T>,
  clock: PageClock,
  everyMs: Millis,
): Pick<Store<T>, 'get' | 'subscribe'> & Store<T> {
  let shown = source.get()
  let shownMonoMs = Number.NEGATIVE_INFINITY
  return {
    get: () => shown,
    set: source.set,
    subscribe(listener) {
      let timer: { stop(): void } | null = null
      const show = () => {
        timer = null
        shown = source.get()
        shownMonoMs = clock.monoMs()
        listener()
      }
      const change = () => {
        const waitMs = shownMonoMs + everyMs - clock.monoMs()
        if (waitMs <= 0) show()
        else timer ??= clock.after(waitMs, show)
      }
      if (source.get() !== shown) change()
      const stop = source.subscribe(change)
      return () => {
        stop()
        timer?.stop()
      }
    },
  }
}
