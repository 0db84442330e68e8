// Builds the program when its sources are newer than the last build. The only folder it writes is out/.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's top folder. */
export const top = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(top, 'out', '.built')
const sources = ['src-main', 'src-renderer', 'resources', 'electron.vite.config.ts', 'package.json']

/** Makes out/ current; says so on stderr. Ends the program with one sentence when it cannot. */
export function build() {
  if (existsSync(stamp) && newest(sources.map((each) => join(top, each))) <= statSync(stamp).mtimeMs) return
  const tool = join(top, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  if (!existsSync(tool)) stop('the build tools are not installed here; run npm ci first')
  const began = new Date()
  process.stderr.write('signalbox: building…\n')
  const built = spawnSync(process.execPath, [tool, 'build', '--logLevel', 'error'], {
    cwd: top,
    stdio: ['ignore', 2, 2],
  })
  if (built.status !== 0) stop('the build failed; what it said stands above')
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, '')
  utimesSync(stamp, began, began) // a source that changed meanwhile is newer
  process.stderr.write(`signalbox: built in ${((Date.now() - began.getTime()) / 1000).toFixed(1)} s\n`)
}

/** Ends the program: one sentence with the way out. */
export function stop(message) {
  process.stderr.write(`signalbox: ${message}\n`)
  process.exit(70)
}

function newest(paths) {
  let latest = 0
  for (const path of paths) {
    if (!existsSync(path)) continue
    const stat = statSync(path)
    latest = Math.max(
      latest,
      stat.isDirectory() ? newest(readdirSync(path).map((name) => join(path, name))) : stat.mtimeMs,
    )
  }
  return latest
}
