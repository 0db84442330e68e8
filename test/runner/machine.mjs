// What this machine has of the programs that the browser and desktop tests need, and how to get the rest.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installRuntime, runtimeObstacle } from '../electron-runtime/install.mjs'
import { execute } from './execute.mjs'

/** @typedef {import('./run-sections.mjs').Obstacle} Obstacle */

/**
 * The path of a program, or null.
 * @param {string} name
 */
export function which(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // not here
    }
  }
  return null
}

/** Chromium or a browser of its family: from CHROMIUM_PATH, else where it is usually found. */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH
  if (named !== undefined && named !== '') return existsSync(named) ? named : null
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
  return names.map(which).find((path) => path !== null) ?? null
}

const installHint = 'install with: sudo bash test/install-system.sh'

/** @returns {Obstacle | null} */
export function chromiumObstacle() {
  return findChromium() === null ? { why: 'no chromium (or set CHROMIUM_PATH)', wayOut: installHint } : null
}

/** A screen: Xvfb if it is there, so that no window appears; otherwise the one that we are on. */
export function screen() {
  if (which('xvfb-run') !== null && which('xauth') !== null) return 'xvfb'
  return process.platform !== 'linux' || (process.env.DISPLAY ?? '') !== '' ? 'own' : null
}

/** @returns {Obstacle | null} */
export function screenObstacle() {
  return screen() === null ? { why: 'no xvfb and no display', wayOut: installHint } : null
}

/**
 * The folder with the Electron that the tests run on: named by ELECTRON_OVERRIDE_DIST_PATH; else the one for tests; else,
 * on other systems, the one that belongs to the package `electron`, if it was downloaded.
 * @returns {{ folder: string | null, obstacle: null } | { folder: null, obstacle: Obstacle }}
 */
export function findElectron() {
  const named = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (named) return { folder: named, obstacle: null }
  const why = runtimeObstacle()
  if (why === null) {
    try {
      return { folder: installRuntime(), obstacle: null }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      return {
        folder: null,
        obstacle: { why: `no Electron runtime: ${text}`, wayOut: 'check the network, try again' },
      }
    }
  }
  const pathFile = join('node_modules', 'electron', 'path.txt')
  if (
    existsSync(pathFile) &&
    existsSync(join('node_modules', 'electron', 'dist', readFileSync(pathFile, 'utf8')))
  )
    return { folder: null, obstacle: null }
  return { folder: null, obstacle: { why, wayOut: 'fetch one with: npx install-electron' } }
}

/**
 * Installs what is missing where that is possible without asking: as root, with apt. Says why it did not work.
 * @returns {Promise<string | null>}
 */
export async function installSystem() {
  if (process.getuid?.() !== 0 || which('apt-get') === null || which('bash') === null) return null
  const { code, output } = await execute('bash', ['test/install-system.sh'], { timeoutMs: 600_000 })
  return code === 0
    ? null
    : `test/install-system.sh failed: ${output.trim().split('\n').slice(-3).join(' | ')}`
}
