/** First in, first out, with a limit on its weight; refuses past it and counts what it refused. */
export interface BoundedQueue<T> {
  /** False when the queue is full; the value is then counted as dropped. */
  offer(value: T, weight?: number): boolean
  /** Takes up to `count` values, oldest first. */
  take(count: number): T[]
  readonly size: number
  readonly weight: number
  readonly dropped: number
}

/** An empty queue. `limit` is in the unit of the weights (1 a value unless said otherwise, else bytes). */
export function createBoundedQueue<T>(limit: number): BoundedQueue<T> {
  let values: T[] = []
  let weights: number[] = []
  let weight = 0
  let dropped = 0
  return {
    offer(value, own = 1) {
      if (weight + own > limit) {
        dropped++
        return false
      }
      values.push(value)
      weights.push(own)
      weight += own
      return true
    },
    take(count) {
      const taken = values.slice(0, count)
      values = values.slice(taken.length)
      for (const own of weights.slice(0, taken.length)) weight -= own
      weights = weights.slice(taken.length)
      return taken
    },
    get size() {
      return values.length
    },
    get weight() {
      return weight
    },
    get dropped() {
      return dropped
    },
  }
}
