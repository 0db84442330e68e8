import type { Millis } from '../../src-main/base/units'
import type { PageClock } from './clock'
import { createStore, type Store } from './store'

/** The result of something that the person at this page did. */
export interface Toast {
  readonly id: number
  readonly tone: 'done' | 'failed'
  readonly text: string
}

/** The toasts on show: results of own actions only, three at most, six seconds each (ux.md 7.6). */
export interface Toasts {
  readonly list: Store<readonly Toast[]>
  show(tone: Toast['tone'], text: string): void
  dismiss(id: number): void
}

const toastsMax = 3
const showForMs: Millis = 6_000

/** No toasts yet. */
export function createToasts(clock: PageClock): Toasts {
  const list = createStore<readonly Toast[]>([])
  let nextId = 0
  const dismiss = (id: number) => list.set(list.get().filter((each) => each.id !== id))
  return {
    list,
    dismiss,
    show(tone, text) {
      const id = nextId++
      list.set([...list.get(), { id, tone, text }].slice(-toastsMax))
      clock.after(showForMs, () => dismiss(id))
    },
  }
}
