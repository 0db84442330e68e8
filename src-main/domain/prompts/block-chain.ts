import type { Bytes, Tokens } from '../../base/units'

/** Bytes of one token (decision D27). */
export const tokenBytes: Bytes = 4

/**
 * Identities of the full blocks of a text, each hashed over the one before it and its own tokens, so that equal numbers
 * mean equal texts from the very start. A rest that fills no block has no identity, as in vLLM. 53 bits: enough that two
 * of a million blocks share one by chance once in ten thousand fleets; whoever must not be guessed at keys it by `seed`.
 * @param text whole tokens: its length is a multiple of four
 */
export function blockChain(text: Uint8Array, blockTokens: Tokens, seed = 0): Float64Array<ArrayBuffer> {
  const blockBytes = blockTokens * tokenBytes
  const hashes = new Float64Array(Math.floor(text.length / blockBytes))
  let a = (seed ^ 0x2c1b3c6d) | 0
  let b = (seed ^ 0x297a2d39) | 0
  for (let block = 0; block < hashes.length; block++) {
    const end = (block + 1) * blockBytes
    for (let at = block * blockBytes; at < end; at += 4) {
      const word =
        (text[at] as number) |
        ((text[at + 1] as number) << 8) |
        ((text[at + 2] as number) << 16) |
        ((text[at + 3] as number) << 24)
      a = Math.imul(a ^ word, 0x9e3779b1)
      a ^= a >>> 15
      b = Math.imul((b << 13) | (b >>> 19), 0x85ebca6b) ^ Math.imul(word, 0xc2b2ae35)
      b ^= b >>> 13
    }
    const mixed = Math.imul(a ^ (b >>> 16), 0x2c1b3c6d)
    a = mixed ^ (mixed >>> 12)
    b = (b + Math.imul(a, 0x165667b1)) | 0
    hashes[block] = ((a >>> 0) & 0x1fffff) * 0x1_0000_0000 + (b >>> 0)
  }
  return hashes
}
