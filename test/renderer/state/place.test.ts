import { describe, expect, test } from 'vitest'
import {
  createPlaces,
  movedPlace,
  parsePlace,
  selectionOf,
  writePlace,
} from '../../../src-renderer/state/place'
import { aroundInstant, paramsOfRange, rangeOf } from '../../../src-renderer/state/range'

const views = ['overview', 'decisions', 'timeline']

const rows = [
  ['nothing', '', { view: 'overview', params: {} }],
  ['a view', '#/decisions', { view: 'decisions', params: {} }],
  ['an unknown view', '#/nowhere?q=a', { view: 'overview', params: { q: 'a' } }],
  [
    'a selection and a filter',
    '#/decisions?q=outcome%3Aok&sel=decision%3Ad1',
    { view: 'decisions', params: { q: 'outcome:ok', sel: 'decision:d1' } },
  ],
  ['empty parameters', '#/decisions?q=&sel=', { view: 'decisions', params: {} }],
  ['something that is not ours', '#ticket=abc', { view: 'overview', params: {} }],
  ['an address that is too long', `#/decisions?q=${'a'.repeat(5_000)}`, { view: 'overview', params: {} }],
  [
    'a server of somebody else, which changes nothing',
    '#/decisions?server=ws://evil',
    { view: 'decisions', params: { server: 'ws://evil' } },
  ],
] as const

describe('the place in the address', () => {
  test.each(rows)('%s', (_, fragment, place) => expect(parsePlace(fragment, views)).toEqual(place))

  test('comes back as it was written', () => {
    const place = {
      view: 'decisions',
      params: { q: 'session:"a b" -outcome:ok', sel: 'decision:x/1?&#', tz: 'utc' },
    }
    expect(parsePlace(writePlace(place), views)).toEqual(place)
  })

  test('another view keeps the range and leaves the rest behind', () => {
    const place = { view: 'decisions', params: { q: 'a', sel: 'decision:1', win: '15', tz: 'utc' } }
    expect(movedPlace(place, { view: 'timeline' })).toEqual({
      view: 'timeline',
      params: { win: '15', tz: 'utc' },
    })
    expect(movedPlace(place, { params: { sel: null, by: 'reason' } }).params).toEqual({
      q: 'a',
      by: 'reason',
      win: '15',
      tz: 'utc',
    })
  })

  test('back and forward are followed', () => {
    window.location.hash = ''
    const places = createPlaces(window, views)
    places.go({ view: 'decisions', params: { q: 'a' } })
    expect(window.location.hash).toBe('#/decisions?q=a')
    window.location.hash = '#/timeline'
    window.dispatchEvent(new Event('hashchange'))
    expect(places.place.get()).toEqual({ view: 'timeline', params: {} })
    places.stop()
  })

  test.each([
    ['decision:d1', { kind: 'decision', id: 'd1' }],
    ['event:boot/12', { kind: 'event', id: 'boot/12' }],
    ['nonsense', null],
  ] as const)('selection %s', (sel, selection) =>
    expect(selectionOf({ view: 'v', params: { sel } })).toEqual(selection),
  )
})

describe('the range', () => {
  const at = Date.UTC(2026, 0, 1, 3)
  test.each([
    ['none: the shortest, live', {}, { kind: 'live', spanMs: 300_000 }],
    ['fifteen minutes', { win: '15' }, { kind: 'live', spanMs: 900_000 }],
    ['more than is kept: the shortest', { win: '600' }, { kind: 'live', spanMs: 300_000 }],
    [
      'two instants',
      { from: '2026-01-01T03:00:00Z', to: '2026-01-01T03:05:00Z' },
      { kind: 'fixed', fromWallMs: at, toWallMs: at + 300_000 },
    ],
    [
      'instants in the wrong order',
      { from: '2026-01-01T03:05:00Z', to: '2026-01-01T03:00:00Z' },
      { kind: 'live', spanMs: 300_000 },
    ],
  ] as const)('%s', (_, params, range) => expect(rangeOf({ view: 'overview', params })).toEqual(range))

  test.each([1e18, -1e18, Number.NaN, Number.POSITIVE_INFINITY])(
    'around %d, which no calendar has, no range is set',
    (wallMs) => {
      expect(paramsOfRange(aroundInstant(wallMs))).toEqual({ from: null, to: null })
    },
  )

  test('ten minutes around an instant, written and read', () => {
    const params = paramsOfRange(aroundInstant(at))
    expect(rangeOf({ view: 'timeline', params: { from: params.from ?? '', to: params.to ?? '' } })).toEqual({
      kind: 'fixed',
      fromWallMs: at - 600_000,
      toWallMs: at + 600_000,
    })
  })
})
