// Runs sections in order, prints a line for each, and the closing line.
import { nothing } from './reports.mjs'

/**
 * A part of the tests.
 * @typedef {object} Section
 * @property {string} name what one types to run it alone
 * @property {readonly string[]} needs sections that must have passed before
 * @property {() => Promise<import('./reports.mjs').Tally>} run
 * @property {() => Promise<Obstacle | null>} [obstacle] why it cannot run on this machine
 * @property {() => Promise<number>} [count] how many tests it has, asked when they cannot run
 *
 * @typedef {object} Obstacle
 * @property {string} why what is missing
 * @property {string} wayOut how to get it
 */

/** @typedef {import('./reports.mjs').Tally} Tally */

/**
 * Runs sections. Returns the exit code: 1 when something failed, or, if `strict`, when something was skipped.
 * @param {readonly Section[]} sections
 * @param {{ strict: boolean, print: (line: string) => void, now?: () => number }} options
 */
export async function runSections(sections, { strict, print, now = () => performance.now() }) {
  /** @type {Map<string, Tally>} */
  const done = new Map()
  for (const section of sections) {
    const start = now()
    const tally = await runOne(section, done)
    done.set(section.name, tally)
    printSection(section.name, tally, (now() - start) / 1_000, print)
  }
  const total = sum([...done.values()])
  if (strict && total.failed === 0 && total.skipped > 0)
    print('what was skipped counts as failed here (CI=true or --strict)')
  print(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
  return total.failed > 0 || (strict && total.skipped > 0) ? 1 : 0
}

/**
 * @param {Section} section
 * @param {ReadonlyMap<string, Tally>} done
 * @returns {Promise<Tally>}
 */
async function runOne(section, done) {
  try {
    const broken = section.needs.find((name) => (done.get(name)?.failed ?? 0) > 0)
    if (broken !== undefined)
      return await skipped(section, { why: `${broken} failed`, wayOut: 'mend that first' })
    const obstacle = (await section.obstacle?.()) ?? null
    return obstacle === null ? await section.run() : await skipped(section, obstacle)
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { ...nothing, failed: 1, failures: [`${section.name} could not be run\n${text}`] }
  }
}

/**
 * A whole section that cannot run: its tests count as skipped, at least one.
 * @param {Section} section
 * @param {Obstacle} obstacle
 * @returns {Promise<Tally>}
 */
async function skipped(section, { why, wayOut }) {
  const count = (await section.count?.()) ?? 1
  const tests = count === 1 ? '1 test' : `${count} tests`
  return count === 0
    ? nothing
    : { ...nothing, skipped: count, skips: [`${section.name} (${tests}): ${why}; ${wayOut}`] }
}

/**
 * @param {string} name
 * @param {Tally} tally
 * @param {number} seconds
 * @param {(line: string) => void} print
 */
function printSection(name, tally, seconds, print) {
  const { passed, failed } = tally
  const counts = [
    `${passed} passed`,
    failed > 0 ? `${failed} failed` : '',
    tally.skipped > 0 ? `${tally.skipped} skipped` : '',
  ]
  const text =
    passed + failed + tally.skipped === 0 ? 'no tests yet' : counts.filter((each) => each !== '').join(', ')
  print(`${name.padEnd(13)} ${text.padEnd(36)} ${seconds.toFixed(1)} s`)
  for (const failure of tally.failures) print(`\nFAILED ${name}: ${failure.trimEnd()}\n`)
  for (const skip of tally.skips) print(`skipped: ${skip}`)
}

/** @param {readonly Tally[]} tallies */
const sum = (tallies) =>
  tallies.reduce(
    (total, each) => ({
      passed: total.passed + each.passed,
      failed: total.failed + each.failed,
      skipped: total.skipped + each.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  )
