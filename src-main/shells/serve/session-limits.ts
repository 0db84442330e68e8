import type { Millis } from '../../base/units'
import type { Clock } from '../../ports/seams/clock'

/** Calls of one token, over all its sockets and requests together (SR-033, security page 6.5). */
const callsPerSecond = 50
const callsAtOnce = 100
/** Open screens of one token: tabs that were duplicated share it. A person has a few; more is a leak or an attack. */
const screensMax = 16
/** Beyond it, tokens whose allowance is full again are forgotten; there are never so many valid ones. */
const rememberedMax = 256

/** What one session may do at once, so that none can take the console from the others. */
export interface SessionLimits {
  /** Takes one call from the allowance; false when it is used up for the moment. */
  takeCall(token: string): boolean
  roomForScreen(token: string): boolean
  /** Counts a screen; answers how to give its place back. */
  openScreen(token: string): () => void
}

interface Allowance {
  left: number
  atMonoMs: Millis
  screens: number
}

/** Every token with its full allowance. */
export function createSessionLimits(clock: Clock): SessionLimits {
  const known = new Map<string, Allowance>()
  const refilled = (each: Allowance): Allowance => {
    const now = clock.monoMs()
    each.left = Math.min(callsAtOnce, each.left + ((now - each.atMonoMs) / 1_000) * callsPerSecond)
    each.atMonoMs = now
    return each
  }
  const forgetFull = () => {
    for (const [token, each] of known)
      if (each.screens === 0 && refilled(each).left === callsAtOnce) known.delete(token)
  }
  const of = (token: string): Allowance => {
    const found = known.get(token)
    if (found) return refilled(found)
    if (known.size >= rememberedMax) forgetFull()
    const fresh = { left: callsAtOnce, atMonoMs: clock.monoMs(), screens: 0 }
    known.set(token, fresh)
    return fresh
  }
  return {
    takeCall(token) {
      const allowance = of(token)
      if (allowance.left < 1) return false
      allowance.left--
      return true
    },
    roomForScreen: (token) => of(token).screens < screensMax,
    openScreen(token) {
      const allowance = of(token)
      allowance.screens++
      return () => {
        allowance.screens--
      }
    },
  }
}
