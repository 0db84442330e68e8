import type { ReplicaState } from '../../domain/fleet/replica'

/** What a health read said: good, nothing listens there, or anything else that is not good. */
export type HealthSign = 'good' | 'refused' | 'failed'

/** A replica's state with the signs that speak for another one. */
export interface Health {
  readonly state: Exclude<ReplicaState, 'draining'>
  /** Good signs in a row while it is down, failed ones in a row while it is not. */
  readonly signs: number
}

/** Good reads that bring a replica back that was down. */
export const upAfter = 2
/** Failed reads that take a replica out. */
export const downAfter = 2

/** Before the first sign. */
export const unknownHealth: Health = { state: 'starting', signs: 0 }

/**
 * The table of moves (security page 7.9): one good read makes a starting replica ready; two failed ones take it down, a
 * refused connection at once, since a process that listens no more is gone; two good ones bring it back.
 */
export function nextHealth({ state, signs }: Health, sign: HealthSign): Health {
  if (sign === 'refused') return { state: 'down', signs: 0 }
  if (sign === 'good') {
    if (state !== 'down' || signs + 1 >= upAfter) return { state: 'ready', signs: 0 }
    return { state, signs: signs + 1 }
  }
  if (state === 'down') return { state, signs: 0 }
  return signs + 1 >= downAfter ? { state: 'down', signs: 0 } : { state, signs: signs + 1 }
}
