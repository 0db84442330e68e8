// `npm start`: builds when needed, then opens the desktop window, or serves the same console to a browser when there is
// no display or no Electron runtime. `--serve` forces the latter.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, top } from './build.mjs'

const args = process.argv.slice(2)
const parentAtStart = process.ppid // before the build, which takes seconds in which npm may go
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
  whenNpmIsGone(() => process.kill(process.pid, 'SIGTERM')) // serve ends in order at that signal
  await import(pathToFileURL(join(top, 'out', 'main', 'serve.cjs')).href)
}

/**
 * A signal that is sent to npm ends npm and the shell between it and us, and is told to nobody else: who stopped `npm
 * start` would leave a console behind that holds its ports and its data folder. So under `npm start`, and only there, a
 * change of our parent means: stop. A parent that goes away says nothing elsewhere. A console started straight from a
 * shell may outlive it on purpose (`nohup`, `setsid`, `disown`), systemd stops all of a unit itself, and in a container
 * our parent is the first process from the beginning; none of these goes through here, and `nohup npm start` or
 * `setsid npm start` keep npm, and so us. Our parent may also be adopted by another process than 1, so it is the change
 * that counts.
 */
function whenNpmIsGone(stop) {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script } = process.env
  if (event !== 'start' || !script?.includes('launch.mjs')) return
  const watch = setInterval(() => {
    if (process.ppid === parentAtStart) return
    clearInterval(watch)
    stop()
  }, 250)
  watch.unref()
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
  whenNpmIsGone(() => child.kill('SIGTERM'))
  child.once('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 0)))
}
