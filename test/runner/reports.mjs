// Reads the JSON reports of vitest and Playwright into one shape.
import { plain } from './execute.mjs'

/**
 * What a section found.
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly string[]} failures each in full
 * @property {readonly string[]} skips what was skipped and why, one line each
 */

/** @type {Tally} */
export const nothing = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] }

/**
 * A tally of one test.
 * @param {string | null} failure null when it passed
 * @returns {Tally}
 */
export const single = (failure) =>
  failure === null ? { ...nothing, passed: 1 } : { ...nothing, failed: 1, failures: [failure] }

/**
 * Reads vitest's report (`--reporter=json`). A file that could not even be loaded counts as one failed test.
 * @param {string} text
 * @returns {Tally}
 */
export function readVitest(text) {
  const report = JSON.parse(text)
  const tally = collector()
  for (const file of report.testResults) {
    const name = relative(file.name)
    for (const test of file.assertionResults) {
      const title = `${name} > ${[...test.ancestorTitles, test.title].join(' > ')}`
      if (test.status === 'passed') tally.pass()
      else if (test.status === 'failed') tally.fail(`${title}\n${test.failureMessages.join('\n')}`)
      else tally.skip(title)
    }
    const blamed = file.assertionResults.some(
      (/** @type {{ status: string }} */ test) => test.status === 'failed',
    )
    if (file.status === 'failed' && !blamed) tally.fail(`${name}\n${file.message}`)
  }
  return tally.done()
}

/**
 * Reads Playwright's report (`--reporter=json`), of a run or of `--list`. A test that passed only when it was repeated
 * counts as failed.
 * @param {string} text
 * @returns {Tally}
 */
export function readPlaywright(text) {
  const report = JSON.parse(text)
  const tally = collector()
  /** @param {any} suite @param {readonly string[]} path */
  const visit = (suite, path) => {
    for (const spec of suite.specs ?? [])
      for (const test of spec.tests) readTest(tally, test, [...path, spec.title].join(' > '))
    for (const inner of suite.suites ?? []) visit(inner, [...path, inner.title])
  }
  for (const suite of report.suites) visit(suite, [suite.title])
  for (const error of report.errors ?? []) tally.fail(messageOf(error))
  return tally.done()
}

/**
 * @param {ReturnType<typeof collector>} tally
 * @param {any} test
 * @param {string} title
 */
function readTest(tally, test, title) {
  if (test.results.length === 0 || test.status === 'skipped') {
    const why = test.annotations?.find((/** @type {any} */ each) => each.type === 'skip')?.description
    tally.skip(why ? `${title}: ${why}` : title)
  } else if (test.status === 'expected') tally.pass()
  else {
    const errors = test.results.flatMap((/** @type {any} */ result) => result.errors ?? [])
    const text = errors.map(messageOf).join('\n') || `ended as ${test.results.at(-1)?.status}`
    tally.fail(`${title}${test.status === 'flaky' ? ' (passed when it was repeated)' : ''}\n${text}`)
  }
}

/** @param {{ message?: string, stack?: string, snippet?: string }} error */
const messageOf = ({ message = '', stack = '', snippet = '' }) =>
  [stack.includes(message) ? '' : message, stack, snippet].filter((part) => part !== '').join('\n')

function collector() {
  let passed = 0
  /** @type {string[]} */
  const failures = []
  /** @type {string[]} */
  const skips = []
  return {
    pass: () => {
      passed++
    },
    /** @param {string} text */
    fail: (text) => void failures.push(plain(text)),
    /** @param {string} line */
    skip: (line) => void skips.push(line),
    /** @returns {Tally} */
    done: () => ({ passed, failed: failures.length, skipped: skips.length, failures, skips }),
  }
}

/** @param {string} path */
const relative = (path) =>
  path.startsWith(`${process.cwd()}/`) ? path.slice(process.cwd().length + 1) : path
