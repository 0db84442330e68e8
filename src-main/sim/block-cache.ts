import { assert, present } from '../base/assert'
import type { Ratio, Tokens } from '../base/units'

/** Identities of a sequence's full blocks, in order; see `blockChain`. Any numbers do, such as the ids of a trace. */
export type BlockHashes = ArrayLike<number>

/**
 * The prefix cache of one engine, as vLLM's V1 keeps it. A block is in use while sequences refer to it; then it waits in
 * the free queue with its content, and can be found again until it comes to the queue's head and is reused.
 */
export interface BlockCache {
  /** How many leading blocks, at most `limit`, are here now. Changes nothing. */
  match(hashes: BlockHashes, limit: number): number
  /**
   * Takes the first `hits` blocks, found by `match` just before, and `fresh` new ones from the head of the free queue; or
   * null, and nothing changes, when there are not enough.
   */
  take(hashes: BlockHashes, hits: number, fresh: number): number[] | null
  /** `fresh` new blocks, or null, and nothing changes, when there are not enough. */
  extend(fresh: number): number[] | null
  /** From now on this block, which is in use, can be found by its hash. */
  publish(block: number, hash: number): void
  /** Gives blocks back, the last one first, so that a suffix is reused before its prefix. */
  release(blocks: readonly number[]): void
  /** Counts a lookup for the hit rate: tokens asked for, and tokens found. */
  count(queried: Tokens, hit: Tokens): void
  readonly stats: BlockCacheStats
}

/** What a block cache tells about itself. Counters never go down. */
export interface BlockCacheStats {
  readonly blocks: number
  /** Blocks that sequences refer to; cached but free ones do not count. */
  readonly usedBlocks: number
  readonly usedRatio: Ratio
  /** Blocks that can be found by their hash, in use or free. */
  readonly cachedBlocks: number
  readonly queriedTokens: Tokens
  readonly hitTokens: Tokens
  /** Blocks whose content was given up for another. */
  readonly evictions: number
}

const none = -1

/** An empty cache of `blocks` blocks. */
export function createBlockCache(blocks: number): BlockCache {
  const free = createFreeQueue(blocks)
  const copies = createCopies(blocks)
  const references = new Int32Array(blocks)
  const counted = { queriedTokens: 0, hitTokens: 0, evictions: 0 }

  const reuse = (): number => {
    const block = free.takeHead()
    if (copies.forget(block)) counted.evictions++
    references[block] = 1
    return block
  }
  const touch = (block: number): number => {
    if (references[block] === 0) free.remove(block)
    references[block] = (references[block] as number) + 1
    return block
  }
  return {
    match(hashes, limit) {
      let found = 0
      while (found < limit && copies.find(hashes[found] as number) !== none) found++
      return found
    },
    take(hashes, hits, fresh) {
      const found = Array.from({ length: hits }, (_, at) => copies.find(hashes[at] as number))
      assert(!found.includes(none), 'took blocks that are not here')
      const waiting = found.filter((block) => references[block] === 0).length
      if (waiting + fresh > free.size) return null
      for (const block of found) touch(block)
      for (let i = 0; i < fresh; i++) found.push(reuse())
      return found
    },
    extend: (fresh) => (fresh > free.size ? null : Array.from({ length: fresh }, reuse)),
    publish(block, hash) {
      assert((references[block] as number) > 0, 'published a block that nobody uses')
      copies.add(block, hash)
    },
    release(released) {
      for (let at = released.length - 1; at >= 0; at--) {
        const block = released[at] as number
        const left = (references[block] as number) - 1
        assert(left >= 0, 'released a block twice')
        references[block] = left
        if (left === 0) free.addTail(block)
      }
    },
    count(queried, hit) {
      counted.queriedTokens += queried
      counted.hitTokens += hit
    },
    get stats() {
      const usedBlocks = blocks - free.size
      return { ...counted, blocks, usedBlocks, usedRatio: usedBlocks / blocks, cachedBlocks: copies.size }
    },
  }
}

/** The free blocks in the order of their reuse: a doubly linked list on arrays. */
function createFreeQueue(blocks: number) {
  // Slot `blocks` is the anchor: its next is the head, its previous the tail.
  const next = Int32Array.from({ length: blocks + 1 }, (_, at) => (at === blocks ? 0 : at + 1))
  const previous = Int32Array.from({ length: blocks + 1 }, (_, at) => (at === 0 ? blocks : at - 1))
  let size = blocks
  const remove = (block: number): void => {
    const before = previous[block] as number
    const after = next[block] as number
    next[before] = after
    previous[after] = before
    size--
  }
  return {
    get size() {
      return size
    },
    remove,
    takeHead(): number {
      assert(size > 0, 'no free block')
      const head = next[blocks] as number
      remove(head)
      return head
    },
    addTail(block: number): void {
      const tail = previous[blocks] as number
      next[tail] = block
      previous[block] = tail
      next[block] = blocks
      previous[blocks] = block
      size++
    },
  }
}

/** Which blocks hold which content. Several can hold the same: sequences that computed it at the same time keep their own. */
function createCopies(blocks: number) {
  const hashOf = new Float64Array(blocks)
  const published = new Uint8Array(blocks)
  const nextCopy = new Int32Array(blocks).fill(none)
  const firstCopy = new Map<number, number>()
  let size = 0
  return {
    get size() {
      return size
    },
    find: (hash: number): number => firstCopy.get(hash) ?? none,
    add(block: number, hash: number): void {
      assert(published[block] === 0, 'published a block twice')
      const first = firstCopy.get(hash)
      if (first === undefined) firstCopy.set(hash, block)
      else {
        nextCopy[block] = nextCopy[first] as number
        nextCopy[first] = block
      }
      hashOf[block] = hash
      published[block] = 1
      size++
    },
    /** True when the block held content. */
    forget(block: number): boolean {
      if (published[block] === 0) return false
      const hash = hashOf[block] as number
      const after = nextCopy[block] as number
      let at = present(firstCopy.get(hash), 'first copy of a published block')
      if (at !== block) {
        while (nextCopy[at] !== block) at = nextCopy[at] as number
        nextCopy[at] = after
      } else if (after === none) firstCopy.delete(hash)
      else firstCopy.set(hash, after)
      nextCopy[block] = none
      published[block] = 0
      size--
      return true
    },
  }
}
