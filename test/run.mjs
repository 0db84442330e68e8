#!/usr/bin/env node
// npm test: every short form that this machine can run. See `node test/run.mjs --help`.
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endAll } from './runner/execute.mjs'
import { installSystem } from './runner/machine.mjs'
import { runSections } from './runner/run-sections.mjs'
import { quickSections, sections, systemSections } from './runner/sections.mjs'

process.chdir(resolve(dirname(fileURLToPath(import.meta.url)), '..'))
const names = sections.map(({ name }) => name)
const usage = `usage: node test/run.mjs [--strict] [check | SECTION…]
sections: ${names.join(', ')}
check: ${quickSections.join(', ')}
--strict (or CI=true): what is skipped counts as failed`

/** @param {readonly string[]} args */
function wanted(args) {
  if (args.length === 0) return names
  const chosen = args.flatMap((name) => (name === 'check' ? quickSections : [name]))
  // The journeys run the built program, so that is built for them.
  const needed = sections.filter(({ name }) => chosen.includes(name)).flatMap(({ needs }) => needs)
  return names.filter((name) => chosen.includes(name) || needed.includes(name))
}

async function main() {
  const args = process.argv.slice(2)
  const strict = args.includes('--strict') || process.env.CI === 'true'
  const words = args.filter((word) => word !== '--strict')
  if (words.includes('--help')) return print(usage)
  const unknown = words.find((word) => word !== 'check' && !names.includes(word))
  if (unknown !== undefined) return stop(64, `there is no section ${unknown}\n${usage}`)
  if (!existsSync('node_modules')) return stop(69, 'node_modules is missing; run npm ci first')
  const chosen = wanted(words)
  if (chosen.some((name) => systemSections.includes(name))) {
    const trouble = await installSystem()
    if (trouble !== null) print(trouble)
  }
  const selected = sections.filter(({ name }) => chosen.includes(name))
  process.exitCode = await runSections(selected, { strict, print })
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`)
}

/**
 * @param {number} code
 * @param {string} words
 */
function stop(code, words) {
  process.stderr.write(`${words}\n`)
  process.exitCode = code
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.once(signal, () => {
    endAll()
    process.exit(130)
  })

await main()
