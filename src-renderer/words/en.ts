import { chart, kit, states } from './en/kit'

/** Every string that a person reads, in English. A second language is a second file of this shape. */
export const words = { kit, states, chart } as const
