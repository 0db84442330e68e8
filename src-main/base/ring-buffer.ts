/** Keeps the newest `capacity` values and counts the ones it let go. */
export interface RingBuffer<T> {
  push(value: T): void
  /** Oldest first. A fresh array. */
  toArray(): T[]
  /** The newest `count`, oldest of them first. A fresh array. */
  last(count: number): T[]
  clear(): void
  readonly size: number
  /** How many values were pushed out since the start. */
  readonly dropped: number
}

/** An empty ring buffer. `capacity` is at least 1. */
export function createRingBuffer<T>(capacity: number): RingBuffer<T> {
  let slots: T[] = []
  let start = 0
  let dropped = 0
  const last = (count: number): T[] => {
    const wanted = Math.max(0, Math.min(count, slots.length))
    const first = slots.length - wanted
    const out = new Array<T>(wanted)
    for (let i = 0; i < wanted; i++) out[i] = slots[(start + first + i) % slots.length] as T
    return out
  }
  return {
    push(value) {
      if (slots.length < capacity) {
        slots.push(value)
        return
      }
      slots[start] = value
      start = (start + 1) % capacity
      dropped++
    },
    last,
    toArray: () => last(slots.length),
    clear() {
      slots = []
      start = 0
    },
    get size() {
      return slots.length
    },
    get dropped() {
      return dropped
    },
  }
}
