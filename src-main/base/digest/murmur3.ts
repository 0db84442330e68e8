/**
 * MurmurHash3 x64 128-bit (Austin Appleby, public domain algorithm), on 32-bit halves: BigInt would cost microseconds
 * on the request path. The published self-check and the ring vectors hold it (test/domain/ring.test.ts).
 */

/** One 64-bit number as two unsigned 32-bit halves. */
export interface Hash64 {
  readonly hi: number
  readonly lo: number
}

const encoder = new TextEncoder()
let scratch = new Uint8Array(1024)
const tail = new Uint8Array(16)

// The two lanes and a work register, as halves. Module state is safe: hashing never yields. A column, because the engine
// would make a new object for each number that is put into a variable of the module.
const state = new Uint32Array(6)
const h1h = 0
const h1l = 1
const h2h = 2
const h2l = 3
const outH = 4
const outL = 5
const lane = (name: number) => state[name] as number

/** Hashes bytes; `seed` is extended with zeros into both lanes. Returns both 64-bit halves of the digest. */
export function murmur3(bytes: Uint8Array, seed: number): { readonly h1: Hash64; readonly h2: Hash64 } {
  digest(bytes, bytes.length, seed)
  return { h1: { hi: lane(h1h), lo: lane(h1l) }, h2: { hi: lane(h2h), lo: lane(h2l) } }
}

/** The first half (h1) of the digest of a text's UTF-8 bytes: what Ray's ring and session lookup use. */
export function murmur3Text(text: string, seed: number): Hash64 {
  if (text.length * 3 > scratch.length) scratch = new Uint8Array(text.length * 3)
  digest(scratch, encoder.encodeInto(text, scratch).written, seed)
  if (scratch.length > 65_536) scratch = new Uint8Array(1024) // a long id must not keep its memory
  return { hi: lane(h1h), lo: lane(h1l) }
}

/** The first halves of `<text>0`, `<text>1` … as `murmur3Text` gives them, into two columns: the text is encoded once. */
export function murmur3Series(text: string, seed: number, high: Uint32Array, low: Uint32Array): void {
  const bytes = new Uint8Array(text.length * 3 + digitsMax)
  const start = encoder.encodeInto(text, bytes).written
  for (let number = 0; number < high.length; number++) {
    digest(bytes, writeDecimal(bytes, start, number), seed)
    high[number] = lane(h1h)
    low[number] = lane(h1l)
  }
}

/** Digits of the largest whole number that a column can have a place for. */
const digitsMax = 16

/** Writes a whole number as decimal text; answers where it ends. */
function writeDecimal(bytes: Uint8Array, at: number, number: number): number {
  let end = at + 1
  for (let left = number; left >= 10; left = Math.floor(left / 10)) end++
  let left = number
  for (let place = end - 1; place >= at; place--) {
    bytes[place] = 48 + (left % 10)
    left = Math.floor(left / 10)
  }
  return end
}

/** The number as decimal text, as Ray and Python print it. */
export const toDecimal = (hash: Hash64): string => ((BigInt(hash.hi) << 32n) | BigInt(hash.lo)).toString()

function digest(bytes: Uint8Array, length: number, seed: number): void {
  state[h1h] = 0
  state[h2h] = 0
  state[h1l] = seed >>> 0
  state[h2l] = seed >>> 0
  const blocks = length >>> 4
  for (let block = 0; block < blocks; block++) mixBlock(bytes, block << 4)
  mixTail(bytes, blocks << 4, length)
  state[h1l] = (lane(h1l) ^ length) >>> 0
  state[h2l] = (lane(h2l) ^ length) >>> 0
  addLanes()
  finalMix(lane(h1h), lane(h1l))
  state[h1h] = lane(outH)
  state[h1l] = lane(outL)
  finalMix(lane(h2h), lane(h2l))
  state[h2h] = lane(outH)
  state[h2l] = lane(outL)
  addLanes()
}

function mixBlock(bytes: Uint8Array, at: number): void {
  scrambleFirst(word(bytes, at + 4), word(bytes, at))
  rotate(lane(h1h), lane(h1l), 27)
  add(lane(outH), lane(outL), lane(h2h), lane(h2l))
  times5plus(0x52dce729)
  state[h1h] = lane(outH)
  state[h1l] = lane(outL)
  scrambleSecond(word(bytes, at + 12), word(bytes, at + 8))
  rotate(lane(h2h), lane(h2l), 31)
  add(lane(outH), lane(outL), lane(h1h), lane(h1l))
  times5plus(0x38495ab5)
  state[h2h] = lane(outH)
  state[h2l] = lane(outL)
}

function mixTail(bytes: Uint8Array, at: number, length: number): void {
  const rest = length - at
  for (let index = 0; index < 16; index++) tail[index] = index < rest ? (bytes[at + index] as number) : 0
  if (rest > 8) scrambleSecond(word(tail, 12), word(tail, 8))
  if (rest > 0) scrambleFirst(word(tail, 4), word(tail, 0))
}

/** h1 ^= rotl(k · c1, 31) · c2 */
function scrambleFirst(high: number, low: number): void {
  multiply(high, low, 0x87c37b91, 0x114253d5)
  rotate(lane(outH), lane(outL), 31)
  multiply(lane(outH), lane(outL), 0x4cf5ad43, 0x2745937f)
  state[h1h] = (lane(h1h) ^ lane(outH)) >>> 0
  state[h1l] = (lane(h1l) ^ lane(outL)) >>> 0
}

/** h2 ^= rotl(k · c2, 33) · c1 */
function scrambleSecond(high: number, low: number): void {
  multiply(high, low, 0x4cf5ad43, 0x2745937f)
  rotate(lane(outH), lane(outL), 33)
  multiply(lane(outH), lane(outL), 0x87c37b91, 0x114253d5)
  state[h2h] = (lane(h2h) ^ lane(outH)) >>> 0
  state[h2l] = (lane(h2l) ^ lane(outL)) >>> 0
}

function times5plus(constant: number): void {
  multiply(lane(outH), lane(outL), 0, 5)
  add(lane(outH), lane(outL), 0, constant)
}

function addLanes(): void {
  add(lane(h1h), lane(h1l), lane(h2h), lane(h2l))
  state[h1h] = lane(outH)
  state[h1l] = lane(outL)
  add(lane(h2h), lane(h2l), lane(h1h), lane(h1l))
  state[h2h] = lane(outH)
  state[h2l] = lane(outL)
}

function finalMix(high: number, low: number): void {
  multiply(high, (low ^ (high >>> 1)) >>> 0, 0xff51afd7, 0xed558ccd)
  multiply(lane(outH), (lane(outL) ^ (lane(outH) >>> 1)) >>> 0, 0xc4ceb9fe, 0x1a85ec53)
  state[outL] = (lane(outL) ^ (lane(outH) >>> 1)) >>> 0
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
  state[outH] = (aH + bH + (low > 0xffffffff ? 1 : 0)) >>> 0
  state[outL] = low >>> 0
}

function rotate(high: number, low: number, bits: number): void {
  if (bits > 32) {
    const by = bits - 32
    state[outH] = ((low << by) | (high >>> (32 - by))) >>> 0
    state[outL] = ((high << by) | (low >>> (32 - by))) >>> 0
    return
  }
  state[outH] = ((high << bits) | (low >>> (32 - bits))) >>> 0
  state[outL] = ((low << bits) | (high >>> (32 - bits))) >>> 0
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
  state[outL] = ((middle << 16) | (p00 & 0xffff)) >>> 0
  const carry = a1 * b1 + Math.floor(p01 / 65536) + Math.floor(p10 / 65536) + (middle >>> 16)
  state[outH] = (carry + Math.imul(aH, bL) + Math.imul(aL, bH)) >>> 0
}
