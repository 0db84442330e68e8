import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createNodeHost } from '../../src-main/adapters/node/host'
import { aTempFolder } from '../helpers/temp-folder'
import { entriesThatLoadEntries } from './build-guard.mjs'
import { execute } from './execute.mjs'
import { readPlaywright, readVitest } from './reports.mjs'
import { tallyOf } from './sections.mjs'

describe('vitest’s report', () => {
  const file = (more: object) => ({
    name: `${process.cwd()}/test/x.test.ts`,
    status: 'passed',
    message: '',
    assertionResults: [],
    ...more,
  })
  const one = (status: string, title: string, failureMessages: string[] = []) => ({
    ancestorTitles: ['ring'],
    title,
    status,
    failureMessages,
  })

  test('is counted, failures with their place and text, skips by name', () => {
    const assertionResults = [
      one('passed', 'a'),
      one('failed', 'b', ['\u001b[31mError: 1 is not 2\u001b[39m']),
      one('skipped', 'c'),
      one('pending', 'd'),
      one('todo', 'e'),
    ]
    expect(
      readVitest(JSON.stringify({ testResults: [file({ status: 'failed', assertionResults })] })),
    ).toEqual({
      passed: 1,
      failed: 1,
      skipped: 3,
      failures: ['test/x.test.ts > ring > b\nError: 1 is not 2'],
      skips: ['test/x.test.ts > ring > c', 'test/x.test.ts > ring > d', 'test/x.test.ts > ring > e'],
    })
  })

  test('of a file that could not be loaded is a failure', () => {
    const broken = file({ status: 'failed', message: 'SyntaxError: oh' })
    expect(readVitest(JSON.stringify({ testResults: [broken] }))).toMatchObject({
      failed: 1,
      failures: ['test/x.test.ts\nSyntaxError: oh'],
    })
  })
})

describe('Playwright’s report', () => {
  const spec = (title: string, status: string, more: object = {}) => ({
    title,
    tests: [{ status, results: [{ status: 'passed' }], annotations: [], ...more }],
  })
  const report = (specs: object[], errors: object[] = []) =>
    JSON.stringify({
      suites: [{ title: 'start.spec.ts', specs: [], suites: [{ title: 'starts', specs }] }],
      errors,
    })

  test('is counted; one that passed only when repeated has failed', () => {
    const errors = [{ message: 'Error: no window', stack: 'Error: no window\n    at start.spec.ts:3' }]
    const tally = readPlaywright(
      report([
        spec('a', 'expected'),
        spec('b', 'unexpected', { results: [{ status: 'failed', errors }] }),
        spec('c', 'flaky', {
          results: [
            { status: 'failed', errors: [] },
            { status: 'passed', errors: [] },
          ],
        }),
        spec('d', 'skipped', { annotations: [{ type: 'skip', description: 'no haproxy' }] }),
      ]),
    )
    expect(tally).toEqual({
      passed: 1,
      failed: 2,
      skipped: 1,
      failures: [
        'start.spec.ts > starts > b\nError: no window\n    at start.spec.ts:3',
        'start.spec.ts > starts > c (passed when it was repeated)\nended as passed',
      ],
      skips: ['start.spec.ts > starts > d: no haproxy'],
    })
  })

  test('of a listing counts what would have run', () => {
    expect(readPlaywright(report([spec('a', 'skipped', { results: [] })])).skipped).toBe(1)
  })

  test('with an error outside of any test is a failure', () => {
    expect(readPlaywright(report([], [{ message: 'Error: cannot find module x' }]))).toMatchObject({
      failed: 1,
      failures: ['Error: cannot find module x'],
    })
  })
})

describe('a runner that fails without a failed test', () => {
  const ended = (code: number | null, timedOut = false) => ({
    code,
    output: 'last words',
    stdout: '',
    timedOut,
  })
  test.each([
    ['leaves no report', ended(1), 'vitest ended with 1\nlast words'],
    ['takes too long', ended(null, true), 'vitest did not end in time\nlast words'],
    ['is killed', ended(null), 'vitest was ended by a signal\nlast words'],
  ])('%s: it fails as a whole', (_name, execution, failure) => {
    expect(tallyOf('vitest', execution, join(aTempFolder(), 'none.json'), readVitest)).toMatchObject({
      failed: 1,
      failures: [failure],
    })
  })

  test('reports only passed tests, but an error beside them: it fails as a whole', () => {
    const report = join(aTempFolder(), 'r.json')
    const passed = { ancestorTitles: [], title: 'a', status: 'passed', failureMessages: [] }
    writeFileSync(
      report,
      JSON.stringify({ testResults: [{ name: 'x', status: 'passed', assertionResults: [passed] }] }),
    )
    expect(tallyOf('vitest', ended(1), report, readVitest)).toMatchObject({ passed: 1, failed: 1 })
  })
})

describe('running a program', () => {
  const node = (script: string, timeoutMs = 20_000) =>
    execute(process.execPath, ['-e', script], { timeoutMs })

  test('gives its exit code and both streams without colours', async () => {
    const script = 'console.log("\\u001b[31mred\\u001b[0m"); console.error("err"); process.exitCode = 3'
    const { code, output, stdout } = await node(script)
    expect([code, stdout, output.includes('err')]).toEqual([3, 'red\n', true])
  })

  test('ends it, and what it started, when the time is over', async () => {
    const { code, timedOut, stdout } = await node(
      `const { spawn } = require('node:child_process')
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
       console.log(child.pid)
       setInterval(() => {}, 1000)`,
      1_500,
    )
    expect([code, timedOut]).toEqual([null, true])
    await vi.waitFor(() => expect(createNodeHost().identityOf(Number(stdout))).toBeNull())
  })

  test('that does not exist says so', async () => {
    const { code, output } = await execute('no-such-program', [], { timeoutMs: 1_000 })
    expect([code, output]).toEqual([null, 'spawn no-such-program ENOENT'])
  })
})

describe('the build guard', () => {
  test.each([
    ['an entry that loads another', 'electron.cjs', 'const a = require("./serve.cjs")', 1],
    ['a chunk that loads an entry', 'shared-x1.cjs', "require('./serve.cjs');require(`./electron.cjs`)", 2],
    [
      'an entry that loads a chunk and packages',
      'electron.cjs',
      'require("./shared-x1.cjs");require("ws")',
      0,
    ],
    ['an entry that names itself', 'serve.cjs', 'require("./serve.cjs")', 0],
  ])('%s', (_name, file, text, found) => {
    const folder = join(aTempFolder(), 'main')
    mkdirSync(folder)
    writeFileSync(join(folder, file), text)
    expect(entriesThatLoadEntries(folder, ['electron', 'serve'])).toHaveLength(found)
  })
})
