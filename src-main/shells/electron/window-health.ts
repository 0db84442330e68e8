import type { Millis } from '../../base/units'
import { pageOrigin } from './trusted-sender'

/** What happened to a window, in Electron's words. */
export type WindowTrouble = 'renderer-gone' | 'renderer-hangs' | 'renderer-responds' | 'gpu-gone'

/** What the shell does about it. */
export type WindowRemedy = 'reload' | 'reload-safe' | 'offer-reload' | 'withdraw-offer' | 'none'

/** Crashes within this span before the window comes back without charts (fault F73). */
const crashSpanMs: Millis = 300_000
const crashLimit = 3

/** Decides what to do about a window; pure but for the crash times that it remembers. */
export interface WindowHealth {
  on(trouble: WindowTrouble, monoMs: Millis): WindowRemedy
}

/** The rules of faults F73 to F75: streams never feel any of it, since they run in another process. */
export function createWindowHealth(): WindowHealth {
  let crashes: Millis[] = []
  return {
    on(trouble, monoMs) {
      if (trouble === 'renderer-hangs') return 'offer-reload'
      if (trouble === 'renderer-responds') return 'withdraw-offer'
      if (trouble === 'gpu-gone') return 'none' // Chromium starts another one and redraws
      crashes = [...crashes.filter((at) => monoMs - at < crashSpanMs), monoMs]
      return crashes.length >= crashLimit ? 'reload-safe' : 'reload'
    },
  }
}

/**
 * Where a window comes back after a crash: at the same link, told why. `restarted` shows a banner, `safe` also leaves the
 * charts out. @param url where it was; anything but our page gives our page's front
 */
export function returnTo(url: string, how: 'restarted' | 'safe'): string {
  const link = url.startsWith(`${pageOrigin}/`) && url.includes('#') ? url.slice(url.indexOf('#')) : ''
  return `${pageOrigin}/?${how}=1${link}`
}
