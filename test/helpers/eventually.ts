import { expect } from 'vitest'

/** An expectation of something that comes about soon: looked at every 5 ms, for 5 s at most, since cores are shared. */
export function eventually<T>(look: () => T): ReturnType<typeof expect.poll<T>> {
  return expect.poll(look, { timeout: 5_000, interval: 5 })
}
