/**
 * MurmurHash3 x64 128-bit (Austin Appleby, public domain algorithm), on 32-bit halves: BigInt would cost microseconds
 * on the request path. The published self-check and the ring vectors hold it (test/base/murmur3.test.ts).
 */

/** One 64-bit number as two unsigned 32-bit halves. */
export interface Hash64 {
  readonly hi: number
  readonly lo: number
}

const encoder = new TextEncoder()
let scratch = new Uint8Array(1024)

// The two lanes and two work registers, as halves. Module state is safe: hashing never yields.
let h1h = 0
let h1l = 0
let h2h = 0
let h2l = 0
let outH = 0
let outL = 0

/** Hashes bytes; `seed` is extended with zeros into both lanes. Returns both 64-bit halves of the digest. */
export function murmur3(bytes: Uint8Array, seed: number): { readonly h1: Hash64; readonly h2: Hash64 } {
  digest(bytes, bytes.length, seed)
  return { h1: { hi: h1h, lo: h1l }, h2: { hi: h2h, lo: h2l } }
}

/** The first half (h1) of the digest of a text's UTF-8 bytes: what Ray's ring and session lookup use. */
export function murmur3Text(text: string, seed: number): Hash64 {
  if (text.length * 3 > scratch.length) scratch = new Uint8Array(text.length * 3)
  digest(scratch, encoder.encodeInto(text, scratch).written, seed)
  if (scratch.length > 65_536) scratch = new Uint8Array(1024) // a long id must not keep its memory
  return { hi: h1h, lo: h1l }
}

/** The number as decimal text, as Ray and Python print it. */
export const toDecimal = (hash: Hash64): string => ((BigInt(hash.hi) << 32n) | BigInt(hash.lo)).toString()

function digest(bytes: Uint8Array, length: number, seed: number): void {
  h1h = 0
  h2h = 0
  h1l = seed >>> 0
  h2l = seed >>> 0
  const blocks = length >>> 4
  for (let block = 0; block < blocks; block++) mixBlock(bytes, block << 4)
  mixTail(bytes, blocks << 4, length)
  h1l = (h1l ^ length) >>> 0
  h2l = (h2l ^ length) >>> 0
  addLanes()
  ;[h1h, h1l] = finalMix(h1h, h1l)
  ;[h2h, h2l] = finalMix(h2h, h2l)
  addLanes()
}

function mixBlock(bytes: Uint8Array, at: number): void {
  scrambleFirst(word(bytes, at + 4), word(bytes, at))
  rotate(h1h, h1l, 27)
  add(outH, outL, h2h, h2l)
  times5plus(0x52dce729)
  h1h = outH
  h1l = outL
  scrambleSecond(word(bytes, at + 12), word(bytes, at + 8))
  rotate(h2h, h2l, 31)
  add(outH, outL, h1h, h1l)
  times5plus(0x38495ab5)
  h2h = outH
  h2l = outL
}

function mixTail(bytes: Uint8Array, at: number, length: number): void {
  const rest = length - at
  const byte = (index: number) => (index < rest ? (bytes[at + index] as number) : 0)
  const half = (index: number) =>
    (byte(index) | (byte(index + 1) << 8) | (byte(index + 2) << 16) | (byte(index + 3) << 24)) >>> 0
  if (rest > 8) scrambleSecond(half(12), half(8))
  if (rest > 0) scrambleFirst(half(4), half(0))
}

/** h1 ^= rotl(k · c1, 31) · c2 */
function scrambleFirst(high: number, low: number): void {
  multiply(high, low, 0x87c37b91, 0x114253d5)
  rotate(outH, outL, 31)
  multiply(outH, outL, 0x4cf5ad43, 0x2745937f)
  h1h = (h1h ^ outH) >>> 0
  h1l = (h1l ^ outL) >>> 0
}

/** h2 ^= rotl(k · c2, 33) · c1 */
function scrambleSecond(high: number, low: number): void {
  multiply(high, low, 0x4cf5ad43, 0x2745937f)
  rotate(outH, outL, 33)
  multiply(outH, outL, 0x87c37b91, 0x114253d5)
  h2h = (h2h ^ outH) >>> 0
  h2l = (h2l ^ outL) >>> 0
}

function times5plus(constant: number): void {
  multiply(outH, outL, 0, 5)
  add(outH, outL, 0, constant)
}

function addLanes(): void {
  add(h1h, h1l, h2h, h2l)
  h1h = outH
  h1l = outL
  add(h2h, h2l, h1h, h1l)
  h2h = outH
  h2l = outL
}

function finalMix(high: number, low: number): [number, number] {
  multiply(high, (low ^ (high >>> 1)) >>> 0, 0xff51afd7, 0xed558ccd)
  multiply(outH, (outL ^ (outH >>> 1)) >>> 0, 0xc4ceb9fe, 0x1a85ec53)
  return [outH, (outL ^ (outH >>> 1)) >>> 0]
}

function word(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  )
}

function add(aH: number, aL: number, bH: number, bL: number): void {
  const low = aL + bL
  outH = (aH + bH + (low > 0xffffffff ? 1 : 0)) >>> 0
  outL = low >>> 0
}

function rotate(high: number, low: number, bits: number): void {
  if (bits > 32) {
    const by = bits - 32
    outH = ((low << by) | (high >>> (32 - by))) >>> 0
    outL = ((high << by) | (low >>> (32 - by))) >>> 0
    return
  }
  outH = ((high << bits) | (low >>> (32 - bits))) >>> 0
  outL = ((low << bits) | (high >>> (32 - bits))) >>> 0
}

/** The low 64 bits of a product, from four 16-bit limbs of the low halves. */
function multiply(aH: number, aL: number, bH: number, bL: number): void {
  const a0 = aL & 0xffff
  const a1 = aL >>> 16
  const b0 = bL & 0xffff
  const b1 = bL >>> 16
  const p00 = a0 * b0
  const p01 = a0 * b1
  const p10 = a1 * b0
  const middle = (p00 >>> 16) + (p01 & 0xffff) + (p10 & 0xffff)
  outL = ((middle << 16) | (p00 & 0xffff)) >>> 0
  const carry = a1 * b1 + Math.floor(p01 / 65536) + Math.floor(p10 / 65536) + (middle >>> 16)
  outH = (carry + Math.imul(aH, bL) + Math.imul(aL, bH)) >>> 0
}
