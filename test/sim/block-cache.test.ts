import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBlockCache } from '../../src-main/sim/block-cache'

/** Puts a text of blocks into the cache and frees it, as a sequence does that came and went. */
function remember(cache: ReturnType<typeof createBlockCache>, hashes: number[]): number[] | null {
  const hits = cache.match(hashes, hashes.length)
  const blocks = cache.take(hashes, hits, hashes.length - hits)
  if (!blocks) return null
  for (let at = hits; at < hashes.length; at++) cache.publish(blocks[at] as number, hashes[at] as number)
  return blocks
}

describe('block cache', () => {
  test('a text that came and went is found again from its start; a different start is not', () => {
    const cache = createBlockCache(8)
    cache.release(remember(cache, [1, 2, 3]) ?? [])
    expect(cache.match([1, 2, 3, 4], 4)).toBe(3)
    expect(cache.match([1, 2, 3], 2)).toBe(2)
    expect(cache.match([9, 2, 3], 3)).toBe(0)
    expect(cache.stats).toMatchObject({ usedBlocks: 0, cachedBlocks: 3 })
  })

  test('the longest-free block goes first, and a suffix before its prefix', () => {
    const cache = createBlockCache(4)
    cache.release(remember(cache, [1, 2]) ?? [])
    cache.release(remember(cache, [7, 8]) ?? [])
    const evicted: number[] = []
    for (const left of [2, 1, 8, 7]) {
      cache.extend(1)
      evicted.push(...[1, 2, 7, 8].filter((hash) => !evicted.includes(hash) && cache.match([hash], 1) === 0))
      expect(evicted.at(-1)).toBe(left)
    }
    expect(cache.stats.evictions).toBe(4)
  })

  test('a found block leaves the queue and is not evicted while it is used', () => {
    const cache = createBlockCache(3)
    cache.release(remember(cache, [1, 2]) ?? [])
    expect(cache.take([1, 2], 2, 0)).toHaveLength(2)
    expect(cache.extend(2)).toBeNull()
    expect(cache.extend(1)).toHaveLength(1)
    expect(cache.match([1, 2], 2)).toBe(2)
  })

  test('a failed take changes nothing, also when the found blocks themselves are the missing ones', () => {
    const cache = createBlockCache(3)
    cache.release(remember(cache, [1, 2]) ?? [])
    const before = cache.stats
    expect(cache.take([1, 2], 2, 2)).toBeNull()
    expect(cache.stats).toEqual(before)
    expect(cache.take([1, 2], 2, 1)).toHaveLength(3)
  })

  test('two that computed the same keep their own; the content is there until both copies are reused', () => {
    const cache = createBlockCache(2)
    const [first] = cache.extend(1) ?? []
    const [second] = cache.extend(1) ?? []
    cache.publish(first as number, 5)
    cache.publish(second as number, 5)
    cache.release([first as number, second as number])
    cache.extend(1)
    expect(cache.match([5], 1)).toBe(1)
    cache.extend(1)
    expect(cache.match([5], 1)).toBe(0)
  })

  test('usage counts blocks in use, not cached ones; the counters are tokens', () => {
    const cache = createBlockCache(10)
    const blocks = remember(cache, [1, 2, 3, 4, 5]) ?? []
    expect(cache.stats.usedRatio).toBe(0.5)
    cache.release(blocks)
    expect(cache.stats.usedRatio).toBe(0)
    cache.count(100, 48)
    cache.count(20, 0)
    expect(cache.stats).toMatchObject({ queriedTokens: 120, hitTokens: 48 })
  })

  test('any coming and going: nothing is lost, nothing used is reused, and what is found is what was put', () => {
    const text = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 8 })
    const act = fc.record({ text, release: fc.nat(7) })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const size = 12
        const cache = createBlockCache(size)
        const held: number[][] = []
        const contentOf = new Map<number, number>()
        for (const each of acts) {
          // A chain: a block's identity holds all that stands before it.
          const hashes = each.text.map((_, at) => Number(`1${each.text.slice(0, at + 1).join('')}`))
          const hits = cache.match(hashes, hashes.length)
          const inUse = new Set(held.flat())
          const blocks = remember(cache, hashes)
          if (blocks) {
            for (const [at, block] of blocks.entries()) {
              if (at < hits) expect(contentOf.get(block)).toBe(hashes[at])
              else expect(inUse.has(block)).toBe(false)
              contentOf.set(block, hashes[at] as number)
            }
            expect(new Set(blocks).size).toBe(blocks.length)
            held.push(blocks)
          } else expect(new Set([...inUse]).size + hashes.length).toBeGreaterThan(size)
          const leaving = held[each.release]
          if (leaving) {
            held.splice(each.release, 1)
            cache.release(leaving)
          }
          expect(cache.stats.usedBlocks).toBe(new Set(held.flat()).size)
          expect(cache.stats.cachedBlocks).toBeLessThanOrEqual(size)
        }
        for (const blocks of held) cache.release(blocks)
        expect(cache.stats.usedBlocks).toBe(0)
        expect(cache.extend(size)).toHaveLength(size)
      }),
      { seed: 20_260_101, numRuns: 300 },
    )
  })
})
