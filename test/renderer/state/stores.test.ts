import { describe, expect, test } from 'vitest'
import { withGap, withItems, withSnapshot } from '../../../src-renderer/state/feed-stores'
import { createKeys } from '../../../src-renderer/state/keys'
import { createPreferences } from '../../../src-renderer/state/preferences'
import { createServerTime } from '../../../src-renderer/state/server-clock'
import { createStore } from '../../../src-renderer/state/store'
import { createToasts } from '../../../src-renderer/state/toasts'
import { pacedStore } from '../../../src-renderer/state/use-store'
import { createManualClock } from '../../helpers/manual-clock'
import { aRow, aSecond, startWallMs } from '../builders'

test('listeners are told once a frame, however often a value is set', () => {
  const frames: (() => void)[] = []
  const store = createStore(0, (job) => frames.push(job))
  let told = 0
  store.subscribe(() => told++)
  for (const value of [1, 2, 3]) store.set(value)
  expect([store.get(), told, frames.length]).toEqual([3, 0, 1])
  frames[0]?.()
  expect(told).toBe(1)
})

test('a paced store shows the first change at once and the last of a burst at its end', () => {
  const clock = createManualClock()
  const source = createStore(0)
  const paced = pacedStore(source, clock, 250)
  const shown: number[] = []
  const stop = paced.subscribe(() => shown.push(paced.get()))
  for (const value of [1, 2, 3]) source.set(value)
  expect(shown).toEqual([1])
  clock.advance(250)
  expect(shown).toEqual([1, 3])
  source.set(4)
  stop()
  clock.advance(1_000)
  expect([shown, clock.pending]).toEqual([[1, 3], 0])
})

describe('logs', () => {
  const empty = { items: [], received: 0 }
  test('rows are ordered by time, and replaced rows are not counted twice', () => {
    const first = withItems('decisions', empty, [aRow('b', { wallMs: 2 }), aRow('a', { wallMs: 1 })])
    const second = withItems('decisions', first, [aRow('a', { wallMs: 1, rank: 1 } as never)])
    expect(second.items.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(second.received).toBe(2)
  })
  test('a snapshot of rows replaces them; one of seconds keeps what lies before it', () => {
    const rows = withItems('decisions', empty, [aRow('old')])
    expect(withSnapshot('decisions', rows, [aRow('new')]).items.map(({ id }) => id)).toEqual(['new'])
    const seconds = withItems('seconds', empty, [aSecond(0), aSecond(1), aSecond(2)])
    const after = withSnapshot('seconds', seconds, [aSecond(2), aSecond(3)])
    expect(after.items.map(({ wallMs }) => (wallMs - startWallMs) / 1_000)).toEqual([0, 1, 2, 3])
  })
  test('gaps of a stream that touch become one, and no more than a hundred are kept', () => {
    const gap = (fromWallMs: number, toWallMs: number) =>
      ({ stream: 'seconds', why: 'lost', fromWallMs, toWallMs }) as const
    expect(withGap(withGap([], gap(0, 5)), gap(4, 9))).toEqual([gap(0, 9)])
    let gaps = withGap([], gap(0, 1))
    for (let at = 1; at < 300; at++) gaps = withGap(gaps, gap(at * 10, at * 10 + 1))
    expect([gaps.length, gaps.at(-1)]).toEqual([100, gap(2_990, 2_991)])
  })
})

describe('the server’s clocks', () => {
  test('are those of the reading that travelled shortest', () => {
    const clock = createManualClock(startWallMs)
    const time = createServerTime(clock)
    clock.advance(1_000)
    time.hear({ monoMs: 50_900, wallMs: 900_000 }) // was 100 ms on its way
    time.hear({ monoMs: 50_700, wallMs: 899_800 }) // was 300 ms on its way
    expect([time.monoMs(), time.wallMs()]).toEqual([50_900, 900_000])
    clock.advance(500)
    expect(time.monoMs()).toBe(51_400)
  })
  test('do not jump with the page’s own wall clock', () => {
    const clock = createManualClock(startWallMs)
    const time = createServerTime(clock)
    time.hear({ monoMs: 10, wallMs: 2_000 })
    clock.jump(3_600_000)
    expect(time.wallMs()).toBe(2_000)
  })
})

describe('shortcuts', () => {
  const keys = (singles = true) => {
    const clock = createManualClock()
    const ran: string[] = []
    const made = createKeys(clock, () => singles)
    const shortcut = (pressed: string) => ({
      keys: pressed,
      title: pressed,
      run: () => void ran.push(pressed),
    })
    made.add({ title: 'everywhere', shortcuts: ['g d', 'g g', 'j', 'mod+k', ' '].map(shortcut) })
    const press = (key: string, more: { mod?: boolean; typing?: boolean } = {}) =>
      made.press({ key, mod: more.mod ?? false, typing: more.typing ?? false })
    return { clock, ran, made, press }
  }
  test('a sequence runs when it is whole, and only within a second', () => {
    const { ran, press, clock } = keys()
    expect([press('g'), press('d')]).toEqual([true, true])
    press('g')
    clock.advance(1_500)
    expect(press('d')).toBe(false)
    expect(ran).toEqual(['g d'])
  })
  test('a key that ends no sequence counts for itself', () => {
    const { ran, press } = keys()
    press('g')
    press('j')
    expect(ran).toEqual(['j'])
  })
  test('a field keeps its keys, but for those with ⌘ or Ctrl', () => {
    const { ran, press } = keys()
    expect([press('j', { typing: true }), press('k', { mod: true, typing: true })]).toEqual([false, true])
    expect(ran).toEqual(['mod+k'])
  })
  test('single keys can be switched off', () => {
    const { ran, press } = keys(false)
    press('j')
    press('k', { mod: true })
    expect(ran).toEqual(['mod+k'])
  })
  test('a later group wins, and leaves again', () => {
    const { ran, made, press } = keys()
    const remove = made.add({
      title: 'view',
      shortcuts: [{ keys: 'j', title: '', run: () => void ran.push('view') }],
    })
    press('j')
    remove()
    press('j')
    expect(ran).toEqual(['view', 'j'])
  })
})

test('three toasts at most, each for six seconds', () => {
  const clock = createManualClock()
  const toasts = createToasts(clock)
  for (const text of ['a', 'b', 'c', 'd']) toasts.show('done', text)
  expect(toasts.list.get().map(({ text }) => text)).toEqual(['b', 'c', 'd'])
  clock.advance(6_000)
  expect(toasts.list.get()).toEqual([])
})

describe('preferences', () => {
  test.each([
    ['nothing kept', null],
    ['no JSON', '{'],
    ['another shape', '[1,2]'],
    ['wrong values', '{"theme":"pink","zone":7,"dismissed":[1,"demo"],"hiddenColumns":"all"}'],
  ])('%s: what can be used is used', (_, kept) => {
    window.localStorage.clear()
    if (kept !== null) window.localStorage.setItem('signalbox.preferences', kept)
    expect(createPreferences(window).get()).toMatchObject({ theme: null, zone: 'utc', density: 'compact' })
  })
  test('are kept for the next page', () => {
    window.localStorage.clear()
    const preferences = createPreferences(window)
    preferences.set({ ...preferences.get(), theme: 'dark', zone: 'local' })
    expect(createPreferences(window).get()).toMatchObject({ theme: 'dark', zone: 'local' })
  })
})
