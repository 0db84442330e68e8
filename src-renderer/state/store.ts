import type { Frames } from './clock'

/** A value outside React, never changed in place, and those who want to know of the next one. */
export interface Store<T> {
  get(): T
  set(next: T): void
  subscribe(listener: () => void): () => void
}

/** @param frames when given, listeners are told at most once a frame, however often the value is set */
export function createStore<T>(initial: T, frames?: Frames): Store<T> {
  const listeners = new Set<() => void>()
  let value = initial
  let waiting = false
  const tell = () => {
    waiting = false
    for (const listener of [...listeners]) listener()
  }
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      if (!frames) tell()
      else if (!waiting) {
        waiting = true
        frames(tell)
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
