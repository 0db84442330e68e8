import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { table } from '../../src-main/shells/cli/print'
import { Stop } from '../../src-main/shells/exit'
import { plain, plainLines } from '../../src-main/shells/plain'
import { readStartOptions } from '../../src-main/shells/start-options'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this looks for
const acts = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

describe('SR-085 nothing in a terminal acts', () => {
  test.each([
    ['\u001b[31mred', '\\u001b[31mred'],
    ['\u001b]8;;http://evil\u0007link', '\\u001b]8;;http://evil\\u0007link'],
    ['a\u202eb', 'a\\u202eb'],
    ['zero\u200bwidth', 'zero\\u200bwidth'],
    ['two\nlines', 'two\\u000alines'],
    ['대화 🙂', '대화 🙂'],
  ])('%j is printed as %j', (text, printed) => {
    expect(plain(text)).toBe(printed)
  })
  test('holds for the naughty strings', () => {
    const naughty: string[] = JSON.parse(
      readFileSync('test/fixtures/corpora/naughty-strings/blns.json', 'utf8'),
    )
    for (const text of naughty) {
      expect(acts.test(table(['A', 'B'], [[text, 1]]).split('\n')[1] ?? '')).toBe(false)
    }
  })
  test('JSON stays the same JSON', () => {
    const value = ['\u009b31m', 'a\u202eb', 'two\nlines']
    const printed = plainLines(JSON.stringify(value))
    expect([acts.test(printed), JSON.parse(printed)]).toEqual([false, value])
  })
  test('figures stand to the right, words to the left, what is not known is a dash', () => {
    expect(
      table(
        ['NAME', 'N'],
        [
          ['r1', 7],
          ['r10', null],
          ['x', 123],
        ],
      ),
    ).toBe('NAME    N\nr1      7\nr10     —\nx     123')
  })
})

describe('flags of a start', () => {
  test('nothing given is the embedded cluster on the default ports', () => {
    expect(readStartOptions([])).toEqual({
      serve: false,
      json: false,
      port: null,
      proxyPort: null,
      routerPort: null,
      dataDir: null,
      replicas: 8,
      seed: 1,
      speed: 2,
      policy: null,
      traffic: true,
      rate: null,
      readOnly: false,
      dataPlaneKey: null,
    })
  })
  test.each([
    [['--replicas', '65'], 'It must be a whole number from 1 to 64'],
    [['--replicas', '1e1'], 'It must be a whole number'],
    [['--replicas', '-1'], 'It must be a whole number'],
    [['--speed', '0'], 'It must be a number from 0.1 to 1000'],
    [['--speed', 'NaN'], 'It must be a number'],
    [['--port', '65536'], 'It must be a whole number from 0 to 65535'],
    [['--policy', 'round-robbin'], 'did you mean round-robin?'],
    [['--no-trafic'], "unknown option '--no-trafic'"],
    [['extra'], 'too many arguments'],
    [['--port'], 'argument missing'],
    [['--data-dir', ' '], 'It must not be empty'],
    [['--data-dir='], 'It must not be empty'],
  ])('%j is refused', (args, message) => {
    expect(() => readStartOptions(args)).toThrow(Stop)
    expect(() => readStartOptions(args)).toThrow(message)
  })
  test('no option takes an empty value', () => {
    const help = endOf(['--help']).message
    const withValue = [...help.matchAll(/(--[a-z-]+) </g)].map(([, flag]) => flag as string)
    expect(withValue).toContain('--data-dir')
    for (const flag of withValue) expect([flag, endOf([flag, '']).exitCode]).toEqual([flag, 64])
  })
})

function endOf(args: readonly string[]): Stop {
  try {
    readStartOptions(args)
  } catch (error) {
    if (error instanceof Stop) return error
  }
  return expect.fail(`${args.join(' ')} was taken`)
}
