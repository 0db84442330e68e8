import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import second from 'murmurhash3js-revisited'
import { describe, expect, test } from 'vitest'
import { murmur3, murmur3Series, murmur3Text, toDecimal } from '../../src-main/base/digest/murmur3'
import {
  bisectRight,
  buildRing,
  changeRing,
  ownersOf,
  ringHash,
  ringShares,
} from '../../src-main/domain/sessions/ring'

// Golden vectors of Ray Serve 2.56's consistent-hash router; provenance is in the file itself.
interface Vectors {
  readonly seed: { readonly unsigned_decimal: string }
  readonly public_vectors: readonly { utf8?: string; seed: number; h1: string; h2: string }[]
  readonly hash_vectors: readonly { name: string; bytes_hex: string; h1: string; h2: string; utf8?: string }[]
  readonly ring_cases: readonly {
    name: string
    replica_unique_ids: string[]
    num_virtual_nodes: number
    num_fallback_replicas: number
    ring_size: number
    ring_points_shown: string
    ring_points: { hash: string; replica: string }[]
    sessions: { session: string; hash: string; bisect_right: number; ranked: string[] }[]
  }[]
  readonly scale_cases: readonly {
    name: string
    before: string[]
    after: string[]
    num_virtual_nodes: number
    num_fallback_replicas: number
    population: { count: number }
    moved: number
    moved_between_two_surviving_replicas: number
    primary_counts_before: Record<string, number>
    primary_counts_after: Record<string, number>
    named_sessions: { session: string; before_ranked: string[]; after_ranked: string[] }[]
  }[]
  readonly header_vectors: {
    cases: {
      session_text: string
      header_bytes_hex: string
      hashed_bytes_hex: string
      h1: string
      ranked_4x100: string[]
      ranked_if_given_as_text: string[]
    }[]
  }
}
const vectors: Vectors = JSON.parse(readFileSync('test/fixtures/ray-serve/ring-vectors.json', 'utf8'))
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const ranked = (ids: string[], nodes: number, fallbacks: number, key: string) => {
  const ring = buildRing(ids, nodes)
  return ownersOf(ring, ringHash(key), 1 + fallbacks, () => true).map((index) => ids[index])
}

describe('MurmurHash3 x64 128', () => {
  test.each(vectors.public_vectors.filter(({ utf8 }) => utf8))(
    'public vector $utf8',
    ({ utf8, seed, h1, h2 }) => {
      const hash = murmur3(new TextEncoder().encode(utf8), seed)
      expect([toDecimal(hash.h1), toDecimal(hash.h2)]).toEqual([h1, h2])
    },
  )
  test.each(vectors.hash_vectors)('$name', ({ bytes_hex, h1, h2, utf8 }) => {
    const hash = murmur3(bytesOf(bytes_hex), Number(vectors.seed.unsigned_decimal))
    expect([toDecimal(hash.h1), toDecimal(hash.h2)]).toEqual([h1, h2])
    if (utf8 !== undefined) expect(toDecimal(ringHash(utf8))).toBe(h1)
  })
  test('agrees with an unrelated implementation on any bytes and seed', () => {
    const hex = ({ hi, lo }: { hi: number; lo: number }) =>
      hi.toString(16).padStart(8, '0') + lo.toString(16).padStart(8, '0')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(2 ** 31), (bytes, seed) => {
        const { h1, h2 } = murmur3(bytes, seed)
        expect(hex(h1) + hex(h2)).toBe(second.x64.hash128(bytes, seed))
      }),
      { seed: 3, numRuns: 2_000 },
    )
  })
  test.each(['', 'r1:', 'größe 🦊 '.repeat(40)])('a series of "%s" is the text with each number', (text) => {
    const high = new Uint32Array(1_101)
    const low = new Uint32Array(1_101)
    murmur3Series(text, 7, high, low)
    for (let number = 0; number < high.length; number++)
      expect({ hi: high[number], lo: low[number] }).toEqual(murmur3Text(`${text}${number}`, 7))
  })
  test('SMHasher self-check', () => {
    const key = new Uint8Array(256)
    const digests = new Uint8Array(256 * 16)
    const view = new DataView(digests.buffer)
    const put = (at: number, half: { hi: number; lo: number }) => {
      view.setUint32(at, half.lo, true)
      view.setUint32(at + 4, half.hi, true)
    }
    for (let i = 0; i < 256; i++) {
      key[i] = i
      const hash = murmur3(key.subarray(0, i), 256 - i)
      put(i * 16, hash.h1)
      put(i * 16 + 8, hash.h2)
    }
    expect(murmur3(digests, 0).h1.lo).toBe(0x6384ba69)
  })
})

describe.each(vectors.ring_cases)('ring $name', (row) => {
  const ids: string[] = row.replica_unique_ids
  const ring = buildRing(ids, row.num_virtual_nodes)
  test('points', () => {
    const points = Array.from(ring.owner, (owner, at) => ({
      hash: toDecimal({
        hi: ring.high[at] as number,
        lo: ring.low[at] as number,
      }),
      replica: ids[owner],
    }))
    expect(points.length).toBe(row.ring_size)
    const shown = row.ring_points.map(({ hash, replica }) => ({
      hash,
      replica,
    }))
    const found = row.ring_points_shown === 'all' ? points : [...points.slice(0, 3), ...points.slice(-2)]
    expect(found).toEqual(shown)
  })
  test.each(row.sessions)('session $session', (want) => {
    const hash = ringHash(want.session)
    expect(toDecimal(hash)).toBe(want.hash)
    expect(bisectRight(ring, hash)).toBe(want.bisect_right)
    expect(
      ownersOf(ring, hash, 1 + row.num_fallback_replicas, () => true).map((index) => ids[index]),
    ).toEqual(want.ranked)
  })
})

describe.each(vectors.scale_cases)('scale $name', (row) => {
  const { before, after, num_virtual_nodes: nodes, num_fallback_replicas: fallbacks } = row
  test('population', () => {
    const rings = [buildRing(before, nodes), buildRing(after, nodes)] as const
    const counts: Record<string, number>[] = [{}, {}]
    let moved = 0
    let betweenSurvivors = 0
    for (let i = 0; i < row.population.count; i++) {
      const hash = ringHash(`session-${String(i).padStart(5, '0')}`)
      const [from, to] = rings.map((ring, side) => {
        const id = ring.replicaIds[ownersOf(ring, hash, 1, () => true)[0] as number] as string
        const tally = counts[side] as Record<string, number>
        tally[id] = (tally[id] ?? 0) + 1
        return id
      })
      if (from !== to) moved++
      if (from && to && from !== to && after.includes(from) && before.includes(to)) betweenSurvivors++
    }
    expect(moved).toBe(row.moved)
    expect(betweenSurvivors).toBe(row.moved_between_two_surviving_replicas)
    expect(counts).toEqual([row.primary_counts_before, row.primary_counts_after])
  })
  test.each(row.named_sessions)('session $session', (want) => {
    expect(ranked(before, nodes, fallbacks, want.session)).toEqual(want.before_ranked)
    expect(ranked(after, nodes, fallbacks, want.session)).toEqual(want.after_ranked)
  })
})

describe('session ids that come in a header', () => {
  const ids = ['k3v9x0qa', 'p7m2zt41', 'w0c8ydr5', 'h5n1jb6e']
  test.each(vectors.header_vectors.cases)('$session_text', (row) => {
    const asHeaderText = Buffer.from(row.header_bytes_hex, 'hex').toString('latin1') // what Node's parser hands over
    expect(Buffer.from(asHeaderText, 'utf8').toString('hex')).toBe(row.hashed_bytes_hex)
    expect(toDecimal(ringHash(asHeaderText))).toBe(row.h1)
    expect(ranked(ids, 100, 2, asHeaderText)).toEqual(row.ranked_4x100)
    expect(ranked(ids, 100, 2, row.session_text)).toEqual(row.ranked_if_given_as_text)
  })
})

test('shares of a ring sum to one and follow the keys', () => {
  const ids = ['k3v9x0qa', 'p7m2zt41', 'w0c8ydr5', 'h5n1jb6e']
  const shares = ringShares(buildRing(ids, 100))
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
  const counted = vectors.scale_cases[0]?.primary_counts_before // 10,000 keys: two standard errors are 1 point
  for (const [index, id] of ids.entries())
    expect(Math.abs((shares[index] as number) - (counted?.[id] ?? 0) / 10_000)).toBeLessThan(0.02)
})

test('passing over a replica gives the owners of a ring without it', () => {
  const ids = ['k3v9x0qa', 'p7m2zt41', 'w0c8ydr5', 'h5n1jb6e']
  const whole = buildRing(ids, 100)
  const without = buildRing(ids.slice(1), 100)
  for (let i = 0; i < 500; i++) {
    const hash = ringHash(`session-${i}`)
    const passed = ownersOf(whole, hash, 3, (replica) => replica !== 0).map((index) => ids[index])
    expect(passed).toEqual(ownersOf(without, hash, 3, () => true).map((index) => without.replicaIds[index]))
  }
})

describe('a change of the replicas', () => {
  test('gives the same ring as one that is made anew, whoever comes, goes or changes places', () => {
    const sets = fc.array(
      fc.uniqueArray(
        fc.nat(12).map((n) => `r${n}`),
        { maxLength: 8 },
      ),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(sets, fc.integer({ min: 1, max: 40 }), (steps, nodes) => {
        let ring = buildRing([], nodes)
        for (const ids of steps) {
          ring = changeRing(ring, ids, nodes)
          expect(ring).toEqual(buildRing(ids, nodes))
        }
      }),
      { seed: 5, numRuns: 300 },
    )
  })

  test('points are in order by their whole hash, also where the first halves are the same', () => {
    const ids = Array.from({ length: 64 }, (_, at) => `r${at}`)
    const { high, low } = buildRing(ids, 10_000)
    let same = 0
    let wrong = 0
    for (let at = 1; at < high.length; at++) {
      const rise = (high[at] as number) - (high[at - 1] as number)
      if (rise === 0) same++
      if (rise < 0 || (rise === 0 && (low[at] as number) < (low[at - 1] as number))) wrong++
    }
    expect({ wrong, some: same > 10 }).toEqual({ wrong: 0, some: true })
  })

  test('points of those that stay are taken over and not made again: the work is that of the new ones', () => {
    const ring = buildRing(['a', 'b'], 10)
    ring.low[0] = 12_345 // no hash of any replica
    const more = changeRing(ring, ['b', 'a', 'c'], 10)
    const at = more.low.indexOf(12_345)
    expect(more.high[at]).toBe(ring.high[0])
    expect(more.replicaIds[more.owner[at] as number]).toBe(ring.replicaIds[ring.owner[0] as number])
  })
})
