import { type Hash64, murmur3Text } from '../../base/digest/murmur3'

/**
 * Ring: the consistent-hash ring of Ray Serve 2.56's ConsistentHashRouter, to the bit. Points are the hashes of
 * `<replica id>:<i>`; a key belongs to the first point after its own hash (bisect right, wrapping); further owners are
 * met walking on. Plain data in columns, ascending by hash.
 */
export interface Ring {
  readonly replicaIds: readonly string[]
  readonly high: Uint32Array
  readonly low: Uint32Array
  /** Index into `replicaIds` of the replica that each point belongs to. */
  readonly owner: Uint32Array
}

/** Ray's seed for ring points and session keys. */
export const ringSeed = 0xf9b4ca77

/** Where a key lies on the ring. A header's text is hashed as Ray does it: Latin-1 text, as UTF-8. */
export const ringHash = (key: string): Hash64 => murmur3Text(key, ringSeed)

/** Builds a ring. Work is n·v·log(n·v); do it off the request path. */
export function buildRing(replicaIds: readonly string[], virtualNodes: number): Ring {
  const size = replicaIds.length * virtualNodes
  const high = new Uint32Array(size)
  const low = new Uint32Array(size)
  const owner = new Uint32Array(size)
  const keys = new Float64Array(size)
  let point = 0
  for (const [index, id] of replicaIds.entries()) {
    for (let node = 0; node < virtualNodes; node++, point++) {
      const hash = ringHash(`${id}:${node}`)
      high[point] = hash.hi
      low[point] = hash.lo
      owner[point] = index
      keys[point] = point
    }
  }
  const order = keys.sort((a, b) => compareAt(high, low, a, b))
  return {
    replicaIds,
    high: pick(high, order),
    low: pick(low, order),
    owner: pick(owner, order),
  }
}

/** The number of points at or below the hash, before wrapping: Python's `bisect_right`. */
export function bisectRight(ring: Ring, hash: Hash64): number {
  let from = 0
  let to = ring.high.length
  while (from < to) {
    const middle = (from + to) >>> 1
    const high = ring.high[middle] as number
    const above = high > hash.hi || (high === hash.hi && (ring.low[middle] as number) > hash.lo)
    if (above) to = middle
    else from = middle + 1
  }
  return from
}

/**
 * Owners of a key in rank order, as indices into `replicaIds`: at most `count`, each replica once.
 * @param usable replicas that may be named; the others are passed over as if they were not on the ring, which gives the
 *   same answer as a ring without them
 */
export function ownersOf(
  ring: Ring,
  hash: Hash64,
  count: number,
  usable: (replica: number) => boolean,
): number[] {
  const points = ring.owner.length
  const found: number[] = []
  if (points === 0) return found
  const seen = new Uint8Array(ring.replicaIds.length)
  let left = ring.replicaIds.length
  let at = bisectRight(ring, hash)
  if (at === points) at = 0
  for (let step = 0; step < points && found.length < count && left > 0; step++) {
    const replica = ring.owner[at] as number
    at = at + 1 === points ? 0 : at + 1
    if (seen[replica]) continue
    seen[replica] = 1
    left--
    if (usable(replica)) found.push(replica)
  }
  return found
}

/** The share of all keys that each replica owns: the length of its arcs. One ratio per replica, summing to 1. */
export function ringShares(ring: Ring): Float64Array {
  const shares = new Float64Array(ring.replicaIds.length)
  const points = ring.owner.length
  const place = (at: number) => ((ring.high[at] as number) * 4294967296 + (ring.low[at] as number)) / 2 ** 64
  for (let at = 0; at < points; at++) {
    const before = at === 0 ? place(points - 1) - 1 : place(at - 1)
    const owner = ring.owner[at] as number
    shares[owner] = (shares[owner] as number) + place(at) - before
  }
  return shares
}

function compareAt(high: Uint32Array, low: Uint32Array, a: number, b: number): number {
  return (high[a] as number) - (high[b] as number) || (low[a] as number) - (low[b] as number) || a - b
}

function pick(column: Uint32Array, order: Float64Array): Uint32Array {
  const out = new Uint32Array(order.length)
  for (let i = 0; i < order.length; i++) out[i] = column[order[i] as number] as number
  return out
}
