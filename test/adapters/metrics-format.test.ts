import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkOpenMetrics } from '../../src-main/adapters/metrics/openmetrics-strict'
import {
  lineMaxCharacters,
  readMetricPage,
  samplesMax,
} from '../../src-main/adapters/metrics/prometheus-text'

const folder = 'test/fixtures/corpora/openmetrics/tests/testdata/parsers'
const cases = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(join(folder, name, 'metrics'), 'utf8'),
  shouldParse: (JSON.parse(readFileSync(join(folder, name, 'test.json'), 'utf8')) as { shouldParse: boolean })
    .shouldParse,
}))

describe('the public OpenMetrics corpus', () => {
  test('is whole: 44 good texts, 167 bad ones', () => {
    expect(cases.filter(({ shouldParse }) => shouldParse)).toHaveLength(44)
    expect(cases.filter(({ shouldParse }) => !shouldParse)).toHaveLength(167)
  })

  test.each(cases)('strict reading of $name', ({ text, shouldParse }) => {
    const checked = checkOpenMetrics(text)
    expect(checked.ok, checked.ok ? 'it parsed' : checked.error.why).toBe(shouldParse)
  })

  test.each(cases.filter(({ shouldParse }) => shouldParse))(
    'tolerant reading of $name skips only doubles',
    ({ text, name }) => {
      const page = readMetricPage(text)
      expect(page.skipped.map(({ why }) => why).filter((why) => !why.startsWith('a second value'))).toEqual(
        [],
      )
      if (!['empty_metadata', 'null_byte'].includes(name)) expect(page.samples.length).toBeGreaterThan(0)
    },
  )

  test('tolerant reading of the bad texts never throws', () => {
    for (const { text } of cases) expect(() => readMetricPage(text)).not.toThrow()
  })
})

describe('tolerant reading', () => {
  const one = (line: string) => readMetricPage(`${line}\n`).samples[0]

  test.each([
    { line: 'a 1', value: 1 },
    { line: 'a{} 1', value: 1 },
    { line: '  a\t{ x = "1" , }   2.5e3   1700000000000 ', value: 2500 },
    { line: 'a 1e+06', value: 1_000_000 },
    { line: 'a .5', value: 0.5 },
    { line: 'a -3', value: -3 },
    { line: 'a 1 # {trace="x"} 0.5 1', value: 1 },
  ])('takes $line', ({ line, value }) => {
    expect(one(line)?.value).toBe(value)
  })

  test.each([
    { line: 'a NaN', value: Number.NaN },
    { line: 'a +Inf', value: Number.POSITIVE_INFINITY },
    { line: 'a -inf', value: Number.NEGATIVE_INFINITY },
    { line: 'a 1e999', value: Number.POSITIVE_INFINITY },
  ])('keeps $line but marks it', ({ line, value }) => {
    expect(one(line)).toMatchObject({ value, usable: false })
  })

  test.each([
    { name: 'escapes', line: 'a{m="x\\"y\\\\z\\nw"} 1', label: 'x"y\\z\nw' },
    { name: 'braces in a value', line: 'a{m="org/{model}"} 1', label: 'org/{model}' },
    { name: 'a hash in a value', line: 'a{m="} x # {"} 1', label: '} x # {' },
    { name: 'quotes that nobody escaped', line: 'a{m="the "best" {x}",e="0"} 1', label: 'the "best" {x}' },
  ])('reads labels with $name', ({ line, label }) => {
    expect(one(line)?.labels.get('m')).toBe(label)
    expect(one(line)?.value).toBe(1)
  })

  test.each([
    ['<html><body>Sign in</body></html>', 1],
    ['a', 1],
    ['a{x="1} 2', 1],
    ['0a 1', 1],
    ['a 0x10', 1],
    ['a one', 1],
    [`a{x="${'y'.repeat(lineMaxCharacters)}"} 1`, 1],
    [`a{${Array.from({ length: 65 }, (_, at) => `l${at}="1"`).join(',')}} 1`, 1],
    ['a 1\na 2', 1],
    ['# TYPE a gauge\n\n# anything\na 1', 0],
  ])('skips and counts what it cannot use: %#', (text, skipped) => {
    expect(readMetricPage(`${text}\n`).skippedCount).toBe(skipped)
  })

  test('stops at the sample limit and says so', () => {
    const text = Array.from({ length: samplesMax + 10 }, (_, at) => `a${at} 1`).join('\n')
    const page = readMetricPage(`${text}\n`)
    expect(page.samples).toHaveLength(samplesMax)
    expect(page.cut).toBe(`more than ${samplesMax} samples`)
  })

  test('stops at the size limit and says so', () => {
    const page = readMetricPage('# x\n'.repeat(2_200_000))
    expect(page.cut).toMatch(/larger than 8388608 bytes/)
  })
})

describe('hostile text', () => {
  const page = cases.filter(({ shouldParse }) => shouldParse).map(({ text }) => text)
  const mutated = fc
    .tuple(
      fc.constantFrom(...page),
      fc.array(
        fc.tuple(
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.constantFrom('{', '}', '"', '\\', '\n', ' ', '#', ',', '=', '\u0000', 'é', '1e999', 'NaN', '\r'),
        ),
        { maxLength: 12 },
      ),
    )
    .map(([text, cuts]) =>
      cuts.reduce((now, [where, what]) => {
        const at = Math.floor(where * now.length)
        return now.slice(0, at) + what + now.slice(at + (what.length % 2))
      }, text),
    )

  test('mutated pages: no throw, every sample marked right, at most 200 ms each', () => {
    const slow: string[] = []
    const takes = (text: string) => {
      const started = performance.now()
      readMetricPage(text)
      checkOpenMetrics(text)
      return performance.now() - started
    }
    fc.assert(
      fc.property(mutated, (text) => {
        if (takes(text) > 200 && takes(text) > 200) slow.push(text) // once may be the machine
        const { samples } = readMetricPage(text)
        for (const sample of samples) expect(sample.usable).toBe(Number.isFinite(sample.value))
      }),
      { seed: 20_260_801, numRuns: 20_000, interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false },
    )
    expect(slow).toEqual([])
  }, 30_000)

  test('arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        readMetricPage(text)
        checkOpenMetrics(text)
      }),
      { seed: 7, numRuns: 5_000, interruptAfterTimeLimit: 3_000, markInterruptAsFailure: false },
    )
  }, 30_000)

  test.each([
    ['quotes', `a{x="${'\\"'.repeat(30_000)}`],
    ['open braces', `a${'{'.repeat(60_000)}`],
    ['label starts', `a{${'x="",'.repeat(10_000)}`],
    ['a comment', `# TYPE ${' '.repeat(60_000)}`],
  ])('a line of 60,000 characters of %s takes no time to refuse', (_, line) => {
    const started = performance.now()
    readMetricPage(`${line}\n`)
    expect(performance.now() - started).toBeLessThan(200)
  })
})
