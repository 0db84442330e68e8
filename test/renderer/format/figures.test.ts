import { describe, expect, test } from 'vitest'
import { duration, latency, shortAge, stopwatch } from '../../../src-renderer/format/durations'
import { shortId } from '../../../src-renderer/format/ids'
import {
  bytes,
  count,
  percent,
  points,
  rate,
  shortCount,
  signed,
  times,
} from '../../../src-renderer/format/numbers'
import { clock, clockMillis, iso, moment, parseIso, zoneName } from '../../../src-renderer/format/times'

const table = <Row extends readonly unknown[]>(
  name: string,
  write: (value: Row[0]) => string,
  rows: readonly (readonly [Row[0], string])[],
) =>
  describe(name, () => {
    test.each(rows)('%s → %s', (value, text) => expect(write(value as Row[0])).toBe(text))
  })

table<[number]>('latency', (ms) => latency(ms), [
  [0, '0 ms'],
  [0.00042, '0.42 µs'],
  [0.64, '640 µs'],
  [0.9996, '1.00 ms'],
  [1.84, '1.84 ms'],
  [12.34, '12.3 ms'],
  [212, '212 ms'],
  [999.4, '999 ms'],
  [999.6, '1.00 s'],
  [1_840, '1.84 s'],
  [61_000, '61.0 s'],
  [4_100_000, '4,100 s'],
])
test('a column keeps to one unit of latency', () => {
  expect([2.1, 212, 4_100].map((ms) => latency(ms, 'ms'))).toEqual(['2.10 ms', '212 ms', '4,100 ms'])
})

table<[number]>('percent', percent, [
  [0, '0 %'],
  [0.000001, '< 0.01 %'],
  [0.0001, '0.01 %'],
  [0.0032, '0.32 %'],
  [0.042, '4.2 %'],
  [0.5, '50 %'],
  [0.9994, '99.9 %'],
  [0.99999, '> 99.9 %'],
  [1, '100 %'],
])
table<[number]>('points', points, [
  [-0.193, '−19.3 pt'],
  [0.05, '+5.0 pt'],
  [0, '0.0 pt'],
])
table<[number]>('count', count, [
  [0, '0'],
  [1_204, '1,204'],
  [99_999, '99,999'],
  [600_000, '600 k'],
  [1_230_000, '1.23 M'],
])
table<[number]>('short count', shortCount, [
  [0, '0'],
  [999, '999'],
  [1_900, '1.9k'],
  [8_150_000, '8.2M'],
])
table<[number]>('rate', (value) => rate(value, 'req/s'), [
  [0, '0 req/s'],
  [0.004, '< 0.01 req/s'],
  [0.5, '0.50 req/s'],
  [12.44, '12.4 req/s'],
  [9_980, '9,980 req/s'],
  [44_400, '44.4 k req/s'],
])
table<[number]>('bytes', bytes, [
  [0, '0 B'],
  [1_023, '1,023 B'],
  [262_144, '256 KiB'],
  [1_610_612_736, '1.5 GiB'],
])
table<[number]>('ratio', times, [
  [1.416, '1.42×'],
  [0, '0.00×'],
])
table<[number]>('signed', signed, [
  [2, '+2'],
  [-2, '−2'],
  [0, '0'],
])
table<[number]>('duration', duration, [
  [-5, '0 ms'],
  [0, '0 ms'],
  [999.9, '999 ms'],
  [1_000, '1 s'],
  [12_300, '12 s'],
  [60_000, '1 m'],
  [260_000, '4 m 20 s'],
  [3_600_000, '1 h'],
  [3_605_000, '1 h'],
  [183_600_000, '2 d 3 h'],
])
table<[number]>('age', shortAge, [
  [-5, '<1s'],
  [999, '<1s'],
  [1_000, '1s'],
  [12_900, '12s'],
  [99_999, '99s'],
  [100_000, '1m'],
  [7_200_000, '2h'],
  [200_000_000, '2d'],
])
table<[number]>('stop watch', stopwatch, [
  [41_000, '0:41'],
  [725_000, '12:05'],
  [3_723_000, '1:02:03'],
])
table<[string]>('short id', shortId, [
  ['r10', 'r10'],
  ['7f83b1657ff1fc53b92dc18148a1d6c1', '7f83…c1'],
  ['a\u202Eb', 'a\\u{202E}b'.slice(0, 4).concat('…}b')],
])

describe('times', () => {
  const at = Date.UTC(2026, 0, 3, 3, 12, 7, 412)
  test('of the day, in UTC', () => {
    expect(clockMillis(at, 'utc')).toBe('03:12:07.412')
    expect(clock(at, 'utc')).toBe('03:12:07')
    expect(zoneName(at, 'utc')).toBe('UTC')
  })
  test('carry their date only when it is another day', () => {
    expect(moment(at, at + 60_000, 'utc')).toBe('03:12:07')
    expect(moment(at, at + 86_400_000, 'utc')).toBe('2026-01-03 03:12:07')
  })
  test('local times name their offset, and agree with it', () => {
    const minutes = -new Date(at).getTimezoneOffset()
    const sign = minutes < 0 ? '−' : '+'
    expect(zoneName(at, 'local').startsWith(sign)).toBe(true)
    expect(clockMillis(at, 'local')).toBe(clockMillis(at + minutes * 60_000, 'utc'))
  })
  test('leave the page as UTC and come back', () => {
    expect(iso(at)).toBe('2026-01-03T03:12:07.412Z')
    expect(parseIso(iso(at))).toBe(at)
    expect(parseIso('yesterday')).toBeNull()
  })
})

describe('an instant that no calendar has is drawn, not thrown', () => {
  const absurd = [8.64e15 + 1, -8.64e15 - 1, 1e308, Number.NaN, Number.POSITIVE_INFINITY]
  test.each(absurd.flatMap((wallMs) => (['utc', 'local'] as const).map((zone) => [wallMs, zone] as const)))(
    '%d in %s',
    (wallMs, zone) => {
      expect(clock(wallMs, zone)).toBe('??:??:??')
      expect(clockMillis(wallMs, zone)).toBe('??:??:??.???')
      expect(moment(wallMs, 0, zone)).toBe('????-??-?? ??:??:??')
      expect(moment(0, wallMs, 'utc')).toBe('1970-01-01 00:00:00')
      expect(iso(wallMs)).toBe('????-??-??T??:??:??.???Z')
      expect(zoneName(wallMs, zone)).toMatch(/^(UTC|\+00:00)$/)
    },
  )
  test('one of a far year keeps its time of day', () => {
    expect(moment(Date.UTC(12_026, 0, 2, 3, 4, 5), 0, 'utc')).toBe('+012026-01-02 03:04:05')
    expect(clockMillis(Date.UTC(-1, 0, 2, 3, 4, 5, 6), 'utc')).toBe('03:04:05.006')
  })
})
