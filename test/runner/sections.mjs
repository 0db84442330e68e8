// The parts of `npm test`, in their order.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { entriesThatLoadEntries } from './build-guard.mjs'
import { execute } from './execute.mjs'
import { chromiumObstacle, findChromium, findElectron, screen, screenObstacle } from './machine.mjs'
import { nothing, readPlaywright, readVitest, single } from './reports.mjs'

/** @typedef {import('./run-sections.mjs').Section} Section */
/** @typedef {import('./reports.mjs').Tally} Tally */

const minute = 60_000
const reports = join('.cache', 'reports')

/** @type {readonly Section[]} */
export const sections = [
  { name: 'types', needs: [], run: () => command('node_modules/typescript/bin/tsc', ['-b']) },
  {
    name: 'lint',
    needs: [],
    run: () => command('node_modules/@biomejs/biome/bin/biome', ['ci', '--colors=off', '.']),
  },
  { name: 'unused', needs: [], run: () => command('node_modules/knip/bin/knip.js', ['--no-progress']) },
  { name: 'architecture', needs: [], run: () => vitest('architecture', ['test/architecture']) },
  { name: 'unit', needs: [], run: () => vitest('unit', ['--exclude', 'test/architecture/**']) },
  { name: 'build', needs: [], run: build },
  playwrightSection('program', { obstacle: () => null, env: () => ({}), screened: false }),
  playwrightSection('browser', {
    obstacle: chromiumObstacle,
    env: () => ({ CHROMIUM_PATH: findChromium() ?? '' }),
    screened: false,
  }),
  playwrightSection('electron', {
    obstacle: () => screenObstacle() ?? findElectron().obstacle,
    env: () => {
      const { folder } = findElectron()
      return folder === null ? {} : { ELECTRON_OVERRIDE_DIST_PATH: folder }
    },
    screened: true,
  }),
]

/** What `npm run check` runs: under ten seconds. */
export const quickSections = ['types', 'lint', 'architecture']

/** Sections for which the machine may need more programs. */
export const systemSections = ['browser', 'electron']

/**
 * A command that passes or fails as a whole.
 * @param {string} script
 * @param {readonly string[]} args
 * @returns {Promise<Tally>}
 */
async function command(script, args) {
  const { code, output, timedOut } = await execute(process.execPath, [script, ...args], {
    timeoutMs: 5 * minute,
  })
  if (code === 0) return single(null)
  return single(`${[script, ...args].join(' ')} ${ending(code, timedOut)}\n${output}`)
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
async function vitest(name, args) {
  const report = freshReport(name)
  const execution = await execute(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vitest.config.ts',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...args,
    ],
    { timeoutMs: 15 * minute },
  )
  return tallyOf('vitest', execution, report, readVitest)
}

/** @returns {Promise<Tally>} */
async function build() {
  const built = await command('node_modules/electron-vite/bin/electron-vite.js', ['build'])
  if (built.failed > 0) return built
  const entries = readdirSync('src-main')
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => name.slice(0, -3))
  const wrong = entriesThatLoadEntries(join('out', 'main'), entries)
  const guard = single(wrong.length === 0 ? null : wrong.join('\n'))
  return { ...guard, passed: built.passed + guard.passed }
}

/**
 * One project of test/e2e/playwright.config.ts.
 * @param {string} name
 * @param {object} how
 * @param {() => import('./run-sections.mjs').Obstacle | null} how.obstacle
 * @param {() => Record<string, string>} how.env
 * @param {boolean} how.screened whether it needs a screen
 * @returns {Section}
 */
function playwrightSection(name, { obstacle, env, screened }) {
  const base = [
    'node_modules/playwright/cli.js',
    'test',
    '--config',
    'test/e2e/playwright.config.ts',
    '--project',
    name,
  ]
  const limitMs = 15 * minute
  return {
    name,
    needs: ['build'],
    obstacle: async () => obstacle(),
    async count() {
      const listing = await execute(
        process.execPath,
        [...base, '--list', '--reporter=json', '--pass-with-no-tests'],
        {
          timeoutMs: minute,
        },
      )
      const tally = readPlaywright(listing.stdout)
      return tally.skipped + tally.failed
    },
    async run() {
      const report = freshReport(name)
      const args = [...base, '--reporter=json', '--pass-with-no-tests']
      const onXvfb = screened && screen() === 'xvfb'
      // The inner deadline comes first: xvfb-run that is killed from outside leaves its Xvfb behind.
      const xvfb = [
        '-a',
        '-s',
        '-screen 0 1600x1000x24',
        'timeout',
        '-k',
        '10',
        String(limitMs / 1_000),
        process.execPath,
      ]
      const execution = await execute(
        onXvfb ? 'xvfb-run' : process.execPath,
        onXvfb ? [...xvfb, ...args] : args,
        {
          timeoutMs: limitMs + minute,
          env: { ...env(), PLAYWRIGHT_JSON_OUTPUT_FILE: report },
        },
      )
      return tallyOf('playwright', execution, report, readPlaywright)
    },
  }
}

/**
 * The report's tally. A runner that fails without a failed test, or leaves no report, fails as a whole.
 * @param {string} runner
 * @param {import('./execute.mjs').Execution} execution
 * @param {string} report
 * @param {(text: string) => Tally} read
 * @returns {Tally}
 */
export function tallyOf(runner, { code, output, timedOut }, report, read) {
  const tally = existsSync(report) ? read(readFileSync(report, 'utf8')) : nothing
  if (tally.failed > 0 || code === 0) return tally
  return { ...tally, failed: 1, failures: [`${runner} ${ending(code, timedOut)}\n${output}`] }
}

/**
 * @param {number | null} code
 * @param {boolean} timedOut
 */
function ending(code, timedOut) {
  if (timedOut) return 'did not end in time'
  return code === null ? 'was ended by a signal' : `ended with ${code}`
}

/** @param {string} name */
function freshReport(name) {
  mkdirSync(reports, { recursive: true })
  const path = join(reports, `${name}.json`)
  rmSync(path, { force: true })
  return path
}
