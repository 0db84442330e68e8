import { useEffect, useMemo } from 'react'
import type { Millis } from '../../src-main/base/units'
import { createStore } from './store'
import { usePage } from './use-page'
import { useStore } from './use-store'

/** One instant on the server's clocks. */
export interface Now {
  readonly wallMs: Millis
  readonly monoMs: Millis
}

/** The server's present, drawn again every `everyMs`. */
export function useNow(everyMs: Millis = 1_000): Now {
  const { time, clock } = usePage()
  const store = useMemo(() => createStore<Now>({ wallMs: time.wallMs(), monoMs: time.monoMs() }), [time])
  useEffect(() => {
    const tick = () => store.set({ wallMs: time.wallMs(), monoMs: time.monoMs() })
    tick()
    const timer = clock.every(everyMs, tick)
    return () => timer.stop()
  }, [store, time, clock, everyMs])
  return useStore(store)
}

/** The instant that the views show: now, or when the page was paused. Ages of shown values count to it. */
export function useShownNow(everyMs: Millis = 1_000): Now {
  const now = useNow(everyMs)
  const pause = useStore(usePage().paused)
  return pause ? { wallMs: pause.sinceWallMs, monoMs: pause.sinceMonoMs } : now
}
