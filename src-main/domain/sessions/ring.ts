import { type Hash64, murmur3Series, murmur3Text } from '../../base/digest/murmur3'

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

/** A ring of these replicas, made anew. */
export const buildRing = (replicaIds: readonly string[], virtualNodes: number): Ring =>
  changeRing(emptyRing, replicaIds, virtualNodes)

/**
 * The ring of other replicas, made from one with the same number of virtual nodes: points of those that stay are taken
 * over, and only those of the new ones are hashed and sorted. The router waits for it at each change of the fleet.
 */
export function changeRing(before: Ring, replicaIds: readonly string[], virtualNodes: number): Ring {
  const places = new Map(replicaIds.map((id, place) => [id, place]))
  const known = new Set(before.replicaIds)
  const staying = pointsThatStay(before, places)
  const added = newPoints(
    places,
    replicaIds.filter((id) => !known.has(id)),
    virtualNodes,
  )
  return { replicaIds, ...mergePoints(staying, added) }
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

type Points = Omit<Ring, 'replicaIds'>

const columns = (size: number): Points => ({
  high: new Uint32Array(size),
  low: new Uint32Array(size),
  owner: new Uint32Array(size),
})
const emptyRing: Ring = { replicaIds: [], ...columns(0) }

/** Points of the replicas that have a place in the new ring, under their new places. */
function pointsThatStay(ring: Ring, places: ReadonlyMap<string, number>): Points {
  const newPlaces = Int32Array.from(ring.replicaIds, (id) => places.get(id) ?? gone)
  const kept = columns(ring.owner.length)
  let size = 0
  for (let at = 0; at < ring.owner.length; at++) {
    const place = newPlaces[ring.owner[at] as number] as number
    if (place === gone) continue
    kept.high[size] = ring.high[at] as number
    kept.low[size] = ring.low[at] as number
    kept.owner[size++] = place
  }
  return {
    high: kept.high.subarray(0, size),
    low: kept.low.subarray(0, size),
    owner: kept.owner.subarray(0, size),
  }
}
const gone = -1

function newPoints(
  places: ReadonlyMap<string, number>,
  ids: readonly string[],
  virtualNodes: number,
): Points {
  const points = columns(ids.length * virtualNodes)
  for (const [index, id] of ids.entries()) {
    const from = index * virtualNodes
    const to = from + virtualNodes
    murmur3Series(`${id}:`, ringSeed, points.high.subarray(from, to), points.low.subarray(from, to))
    points.owner.fill(places.get(id) as number, from, to)
  }
  return sorted(points)
}

/** Ascending by hash, and by place where two hashes are the same. */
function isBefore(a: Points, atA: number, b: Points, atB: number): boolean {
  const byHigh = (a.high[atA] as number) - (b.high[atB] as number)
  if (byHigh !== 0) return byHigh < 0
  const byLow = (a.low[atA] as number) - (b.low[atB] as number)
  return byLow !== 0 ? byLow < 0 : (a.owner[atA] as number) < (b.owner[atB] as number)
}

/** By counting on the digits of the high word; the few that share all of it are put in order afterwards. */
function sorted(points: Points): Points {
  const size = points.owner.length
  let order = new Uint32Array(size)
  let next = new Uint32Array(size)
  for (let at = 0; at < size; at++) order[at] = at
  for (let shift = 0; shift < 32; shift += digitBits) {
    sortByDigit(points.high, shift, order, next)
    const done = next
    next = order
    order = done
  }
  const { high, low, owner } = points
  const ordered = { high: pick(high, order), low: pick(low, order), owner: pick(owner, order) }
  for (let at = 1; at < size; at++)
    for (let to = at; to > 0 && ordered.high[to] === ordered.high[to - 1]; to--)
      if (isBefore(ordered, to, ordered, to - 1)) swap(ordered, to, to - 1)
  return ordered
}

function swap(points: Points, a: number, b: number): void {
  for (const column of [points.high, points.low, points.owner]) {
    const kept = column[a] as number
    column[a] = column[b] as number
    column[b] = kept
  }
}

const digitBits = 11
const digits = 2 ** digitBits

/** One pass of a radix sort: stable, from one list of places into another. */
function sortByDigit(column: Uint32Array, shift: number, from: Uint32Array, to: Uint32Array): void {
  const places = new Uint32Array(digits)
  const digitOf = (at: number) => ((column[at] as number) >>> shift) & (digits - 1)
  for (let at = 0; at < column.length; at++) places[digitOf(at)] = (places[digitOf(at)] as number) + 1
  for (let digit = 0, place = 0; digit < digits; digit++) {
    const count = places[digit] as number
    places[digit] = place
    place += count
  }
  for (let index = 0; index < from.length; index++) {
    const at = from[index] as number
    const place = places[digitOf(at)] as number
    places[digitOf(at)] = place + 1
    to[place] = at
  }
}

function pick(column: Uint32Array, order: Uint32Array): Uint32Array {
  const out = new Uint32Array(order.length)
  for (let at = 0; at < out.length; at++) out[at] = column[order[at] as number] as number
  return out
}

function mergePoints(a: Points, b: Points): Points {
  if (a.owner.length === 0) return b
  const merged = columns(a.owner.length + b.owner.length)
  let atA = 0
  let atB = 0
  for (let to = 0; to < merged.owner.length; to++) {
    const fromA = atB === b.owner.length || (atA < a.owner.length && !isBefore(b, atB, a, atA))
    const from = fromA ? a : b
    const at = fromA ? atA++ : atB++
    merged.high[to] = from.high[at] as number
    merged.low[to] = from.low[at] as number
    merged.owner[to] = from.owner[at] as number
  }
  return merged
}
