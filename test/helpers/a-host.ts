import { createNodeHost } from '../../src-main/adapters/node/host'
import type { Host } from '../../src-main/ports/seams/host'

/** This machine, with some of its facts replaced. */
export const aHost = (facts: Partial<Host> = {}): Host => ({ ...createNodeHost(), ...facts })
