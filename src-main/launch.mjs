// `npm start`: builds when needed, then opens the desktop window, or serves the same console to a browser when there is
// no display or no Electron runtime. `--serve` forces the latter.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, top } from './build.mjs'

const args = process.argv.slice(2)
build()
const reason = args.includes('--serve') || args.includes('--help') ? null : noWindow()
const runtime = args.includes('--serve') || args.includes('--help') || reason ? null : electron()
if (runtime) openWindow(runtime)
else {
  if (!args.includes('--serve') && !args.includes('--help')) {
    process.stderr.write(
      `signalbox: ${reason ?? 'there is no Electron runtime and none could be fetched'}; serving to a browser instead\n`,
    )
  }
  process.argv = [process.argv[0], join(top, 'out', 'main', 'serve.cjs'), ...args]
  await import(pathToFileURL(join(top, 'out', 'main', 'serve.cjs')).href)
}

/** Why no window can be shown here, or null when one can. */
function noWindow() {
  if (process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return null
  return 'there is no display'
}

/** Path of the Electron program; fetches it once, within two minutes, when the package came without one. */
function electron() {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (folder) return join(folder, process.platform === 'win32' ? 'electron.exe' : 'electron')
  const installed = () => {
    const path = join(top, 'node_modules', 'electron', 'path.txt')
    return existsSync(path) ? createRequire(import.meta.url)('electron') : null
  }
  const there = installed()
  if (there) return there
  process.stderr.write('signalbox: fetching the Electron runtime…\n')
  const fetch = join(top, 'node_modules', 'electron', 'install.js')
  spawnSync(process.execPath, [fetch], { cwd: top, stdio: 'ignore', timeout: 120_000 })
  return installed()
}

function openWindow(program) {
  const asRoot = typeof process.getuid === 'function' && process.getuid() === 0
  const child = spawn(program, [top, ...(asRoot ? ['--no-sandbox'] : []), '--', ...args], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 0)))
}
