import { randomBytes } from 'node:crypto'
import type { Random } from '../../ports/seams/random'

/** The system's secure generator. */
export const nodeRandom: Random = { hex: (bytes) => randomBytes(bytes).toString('hex') }
