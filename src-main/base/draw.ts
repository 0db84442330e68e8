/**
 * Draw: a seeded stream of chance. Forked by name, so that a draw added in one place does not shift the numbers
 * of another. The generator is sfc32 (Chris Doty-Humphrey, PractRand), seeded through splitmix32.
 */
export interface Draw {
  /** Uniform in [0, 1). */
  unit(): number
  /** A whole number, uniform in [0, below). `below` is 1 to 2^31. */
  below(below: number): number
  /** Exponentially distributed with that mean: the gaps of a Poisson process. */
  exponential(mean: number): number
  /** Its own stream, the same for the same seed and name. */
  fork(name: string): Draw
}

/** A draw named by its seed; a text seed is hashed with FNV-1a. */
export function createDraw(seed: number | string): Draw {
  const root = typeof seed === 'number' ? seed >>> 0 : fnv1a(seed)
  const next = sfc32(root)
  const unit = () => next() / 4294967296
  return {
    unit,
    below: (below) => Math.floor(unit() * below),
    exponential: (mean) => -mean * Math.log(1 - unit()),
    fork: (name) => createDraw((fnv1a(name) ^ Math.imul(root, 0x9e3779b1)) >>> 0),
  }
}

function sfc32(seed: number): () => number {
  const word = splitmix32(seed)
  let a = word()
  let b = word()
  let c = word()
  let counter = 1
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let i = 0; i < 12; i++) next() // lets a poor seed mix in
  return next
}

function splitmix32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) | 0
  }
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
