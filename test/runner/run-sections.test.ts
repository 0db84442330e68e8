import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { nothing, single, type Tally } from './reports.mjs'
import { runSections, type Section } from './run-sections.mjs'

const section = (name: string, tally: Partial<Tally>, more: Partial<Section> = {}): Section => ({
  name,
  needs: [],
  run: async () => ({ ...nothing, ...tally }),
  ...more,
})
async function outcome(sections: readonly Section[], strict = false) {
  const lines: string[] = []
  const code = await runSections(sections, { strict, print: (line) => lines.push(line), now: () => 0 })
  return { code, lines, last: lines.at(-1) }
}
const passes = section('a', { passed: 3 })
const fails = section('b', { passed: 1, failed: 2, failures: ['one\n  at line 1', 'two'] })
const skips = section('c', { skipped: 1, skips: ['a test of Windows'] })

describe('the closing line and the exit code', () => {
  test.each([
    { name: 'all passed', sections: [passes], strict: true, code: 0, last: '3 passed, 0 failed, 0 skipped' },
    {
      name: 'some failed',
      sections: [passes, fails],
      strict: false,
      code: 1,
      last: '4 passed, 2 failed, 0 skipped',
    },
    {
      name: 'some skipped',
      sections: [passes, skips],
      strict: false,
      code: 0,
      last: '3 passed, 0 failed, 1 skipped',
    },
    {
      name: 'some skipped, strictly',
      sections: [passes, skips],
      strict: true,
      code: 1,
      last: '3 passed, 0 failed, 1 skipped',
    },
    { name: 'nothing to run', sections: [], strict: true, code: 0, last: '0 passed, 0 failed, 0 skipped' },
  ])('$name: $last, exit $code', async ({ sections, strict, code, last }) => {
    expect(await outcome(sections, strict)).toMatchObject({ code, last })
  })

  test('a line a section, failures in full, skips with their reason', async () => {
    expect((await outcome([fails, skips])).lines).toEqual([
      'b             1 passed, 2 failed                   0.0 s',
      '\nFAILED b: one\n  at line 1\n',
      '\nFAILED b: two\n',
      'c             0 passed, 1 skipped                  0.0 s',
      'skipped: a test of Windows',
      '1 passed, 2 failed, 1 skipped',
    ])
  })

  test('a section that throws counts as one failure, and the others still run', async () => {
    const throws = section('t', {}, { run: () => Promise.reject(new Error('no report')) })
    const { code, lines, last } = await outcome([throws, passes])
    expect([code, last]).toEqual([1, '3 passed, 1 failed, 0 skipped'])
    expect(lines[1]).toContain('t could not be run\nError: no report')
  })
})

describe('a section that cannot run here', () => {
  const obstacle = async () => ({ why: 'no xvfb', wayOut: 'install with: x' })

  test('names what is missing and counts its tests as skipped', async () => {
    const { lines, last } = await outcome([section('electron', {}, { obstacle, count: async () => 12 })])
    expect(lines[1]).toBe('skipped: electron (12 tests): no xvfb; install with: x')
    expect(last).toBe('0 passed, 0 failed, 12 skipped')
  })

  test('counts as one where its tests cannot be counted, and as none where it has none yet', async () => {
    expect((await outcome([section('e', {}, { obstacle })])).last).toBe('0 passed, 0 failed, 1 skipped')
    const empty = await outcome([section('e', {}, { obstacle, count: async () => 0 })])
    expect(empty.lines[0]).toMatch(/^e +no tests yet/)
  })

  test('is skipped, too, when what it needs has failed', async () => {
    const build = section('build', single('syntax error'))
    const { code, lines } = await outcome([
      build,
      section('browser', { passed: 9 }, { needs: ['build'], count: async () => 9 }),
    ])
    expect([code, lines.at(-2)]).toEqual([1, 'skipped: browser (9 tests): build failed; mend that first'])
  })
})

describe('node test/run.mjs', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['test/run.mjs', ...args], { encoding: 'utf8' })

  test('refuses a section that does not exist and names those that do', () => {
    const { status, stdout, stderr } = run('unti')
    expect([status, stdout]).toEqual([64, ''])
    expect(stderr).toMatch(/^there is no section unti\nusage: .*\nsections: types, lint, .*electron/)
  })

  test('--help tells the sections', () => {
    expect(run('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('check: types, lint, architecture'),
    })
  })
})
