import type { Millis } from '../../src-main/base/units'
import type { PageClock } from './clock'
import { createStore, type Store } from './store'

/** One shortcut. No single key writes anything. */
export interface Shortcut {
  /** Keys as pressed, a sequence with a blank between: `j`, `G`, `g d`, `mod+k`. `mod` is ⌘ on a Mac, Ctrl elsewhere. */
  readonly keys: string
  readonly title: string
  run(): void
}
/** Shortcuts of one part of the page, as the `?` sheet groups them. */
export interface ShortcutGroup {
  readonly title: string
  readonly shortcuts: readonly Shortcut[]
}

/** What `mod` is called on the keyboard of this machine. */
export function modKey({ platform }: { readonly platform: string }): '⌘' | 'Ctrl' {
  return /^(Mac|iP)/.test(platform) ? '⌘' : 'Ctrl'
}

/** The shortcuts that hold now. Later groups win over earlier ones. */
export interface Keys {
  readonly groups: Store<readonly ShortcutGroup[]>
  /** Adds a group until the returned function is called. */
  add(group: ShortcutGroup): () => void
  /** Runs the shortcut that a key press completes; true when there was one, and the press is used up. */
  press(stroke: Stroke): boolean
}

/** A key press as far as shortcuts go. */
export interface Stroke {
  readonly key: string
  /** ⌘ on a Mac, Ctrl elsewhere. */
  readonly mod: boolean
  /** A field takes the key as text. */
  readonly typing: boolean
}

/** Longest pause within a sequence. */
const sequenceMs: Millis = 1_000

/** @param singles false switches off shortcuts without `mod` (WCAG 2.1.4) */
export function createKeys(clock: PageClock, singles: () => boolean): Keys {
  const groups = createStore<readonly ShortcutGroup[]>([])
  let pending = ''
  let pendingUntilMs: Millis = 0
  const find = (test: (keys: string) => boolean) =>
    [...groups.get()]
      .reverse()
      .flatMap(({ shortcuts }) => shortcuts)
      .find(({ keys }) => test(keys))
  return {
    groups,
    add(group) {
      groups.set([...groups.get(), group])
      return () => groups.set(groups.get().filter((each) => each !== group))
    },
    press({ key, mod, typing }) {
      if (!mod && (typing || !singles())) return false
      const stroke = mod ? `mod+${key.toLowerCase()}` : key
      const sequence = clock.monoMs() < pendingUntilMs ? `${pending} ${stroke}` : stroke
      pendingUntilMs = 0
      const match = find((keys) => keys === sequence) ?? find((keys) => keys === stroke)
      if (match) {
        match.run()
        return true
      }
      if (!find((keys) => keys.startsWith(`${stroke} `))) return false
      pending = stroke
      pendingUntilMs = clock.monoMs() + sequenceMs
      return true
    },
  }
}
