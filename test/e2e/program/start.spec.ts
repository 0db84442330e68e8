import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { StatusReport } from '../../../src-main/contract/rpc'
import { until } from '../../helpers/until'
import { freshFolder, type ReadyLine, runCli, startServe } from '../shells'
import { test as base, expect, quietFlags } from './console'

/** A test that can start consoles on folders of its choice; whatever still runs at its end is stopped. */
const test = base.extend<{ start: typeof startServe }>({
  start: async ({}, use) => {
    const started: Awaited<ReturnType<typeof startServe>>[] = []
    await use(async (...args) => {
      const serving = await startServe(...args)
      started.push(serving)
      return serving
    })
    for (const { stop } of started) await stop()
  },
})

/** Runs serve until it ends by itself. */
const serveOnce = (...args: string[]) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, ['out/main/serve.cjs', '--serve', '--json', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })

test('the ready line has its documented members, and SIGTERM ends with 0', async ({ start }, info) => {
  const { ready, stop } = await start(info.outputPath('data'), quietFlags)
  expect(Object.keys(ready)).toEqual(['url', 'token', 'proxyUrl', 'routerUrl', 'replicas', 'pid'])
  expect(ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#ticket=[0-9a-f]{32}$/)
  expect(ready.token).toMatch(/^[0-9a-f]{64}$/)
  for (const origin of [ready.proxyUrl, ready.routerUrl])
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(ready.replicas.map(({ id }) => id)).toEqual(['r1', 'r2', 'r3'])
  expect(await (await fetch(`${ready.replicas[0]?.url}/v1/models`)).json()).toMatchObject({ object: 'list' })
  expect(await stop()).toBe(0)
})

test.describe('who goes with its parent', () => {
  const readyLine = ({ stdout }: ReturnType<typeof spawn>) =>
    new Promise<ReadyLine>((resolve) =>
      createInterface({ input: stdout as Readable }).on(
        'line',
        (line) => line.startsWith('{') && resolve(JSON.parse(line)),
      ),
    )
  const runs = (pid: number) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  const flags = ['--serve', '--json', ...quietFlags, '--data-dir']

  test('npm start: SIGTERM to npm ends the console in order', async ({}, info) => {
    const folder = info.outputPath('data')
    const child = spawn('npm', ['start', '--', ...flags, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ready = await readyLine(child)
    expect(ready.pid).not.toBe(child.pid)
    child.kill('SIGTERM')
    await until('the end of the console', async () => !runs(ready.pid))
    expect(readdirSync(folder)).not.toContain('lock')
  })
  test('started from a shell it outlives the shell', async ({}, info) => {
    const folder = info.outputPath('data')
    const line = 'mkfifo "$FIFO"; node src-main/launch.mjs "$@" & read -r _ < "$FIFO"'
    const fifo = info.outputPath('fifo')
    const child = spawn('sh', ['-c', line, 'sh', ...flags, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, FIFO: fifo, npm_lifecycle_event: 'test:e2e' },
    })
    const ready = await readyLine(child)
    const gone = once(child, 'exit')
    writeFileSync(fifo, '\n')
    await gone
    for (let times = 0; times < 3; times++)
      expect((await runCli(['status', '--data-dir', folder])).code).toBe(0)
    process.kill(ready.pid, 'SIGTERM')
    await until('the end of the console', async () => !runs(ready.pid))
  })
})

test.describe('a start that cannot be says why in one line', () => {
  const oneLine = (stderr: string) => stderr.trim().split('\n')
  for (const [name, args, code, message] of [
    ['an unknown flag', ['--replicsa', '3'], 64, "unknown option '--replicsa'"],
    ['a wrong number', ['--replicas', 'many'], 64, 'It must be a whole number from 1 to 64'],
    ['an unknown policy', ['--policy', 'consistent-hsh'], 64, 'did you mean consistent-hash?'],
    ['an empty data folder', ['--data-dir', ''], 64, 'It must not be empty'],
    [
      'a key file that is not there',
      ['--data-plane-key', '/nonexistent'],
      64,
      'the data-plane key cannot be read',
    ],
  ] as const) {
    test(name, async ({}, info) => {
      const end = await serveOnce(...quietFlags, '--data-dir', info.outputPath('data'), ...args)
      expect([end.code, end.stdout, oneLine(end.stderr).length]).toEqual([code, '', 1])
      expect(end.stderr).toContain(message)
    })
  }

  test('asking for help is no error', async () => {
    const { code, stdout, stderr } = await serveOnce('--help')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Usage: npm start -- \[options\]\n/)
  })

  test('F41 a port in use is named', async ({}, info) => {
    const holder = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => holder.once('listening', resolve))
    const address = holder.address()
    const port = String(typeof address === 'object' && address?.port)
    for (const flag of ['--port', '--proxy-port', '--router-port']) {
      const end = await serveOnce(
        '--port',
        '0',
        flag,
        port,
        '--replicas',
        '1',
        '--no-traffic',
        '--data-dir',
        info.outputPath(flag),
      )
      expect([flag, end.code, end.stdout]).toEqual([flag, 69, ''])
      expect(end.stderr).toContain(port)
      expect(end.stderr).not.toMatch(/\n\s+at /)
    }
    holder.close()
  })

  test('F41 the port of another console is told as such', async ({ console }, info) => {
    const port = new URL(console.ready.url).port
    const end = await serveOnce('--port', port, '--no-traffic', '--data-dir', info.outputPath('data'))
    expect([end.code, end.stdout]).toEqual([69, ''])
    expect(end.stderr).toContain(`cannot serve the page on port ${port}: another Signalbox serves its page`)
  })

  test('F92 a second console on the same data folder leaves the first alone', async ({ console }) => {
    const end = await serveOnce(...quietFlags, '--data-dir', console.dataDir)
    expect([end.code, end.stdout]).toEqual([75, ''])
    expect(end.stderr).toContain(`already running on ${console.dataDir} (process ${console.ready.pid})`)
    expect((await console.cli('status')).code).toBe(0)
  })

  test('the local sockets are for their owner only', async ({ console }) => {
    for (const name of ['control.sock', 'ingest.sock'])
      expect((statSync(join(console.dataDir, name)).mode & 0o777).toString(8)).toBe('600')
  })

  test('a data folder that is a file', async ({}, info) => {
    writeFileSync(info.outputPath('file'), '')
    const end = await serveOnce(...quietFlags, '--data-dir', info.outputPath('file'))
    expect([end.code, end.stdout, oneLine(end.stderr).length]).toEqual([73, '', 1])
  })
})

test('a file in the place of the command line’s socket is left alone', async () => {
  const folder = freshFolder() // short enough for the socket to lie in it
  writeFileSync(join(folder, 'control.sock'), 'mine')
  const end = await serveOnce(...quietFlags, '--data-dir', folder)
  expect([end.code, end.stdout]).toEqual([73, ''])
  expect(end.stderr).toContain('control.sock is a file, not a socket; move it away')
  expect(readFileSync(join(folder, 'control.sock'), 'utf8')).toBe('mine')
  rmSync(folder, { recursive: true, force: true })
})

test.describe('a damaged data folder', () => {
  const health = async (url: string, token: string) => {
    const response = await fetch(new URL('/api/call/status.read', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{}',
    })
    return ((await response.json()) as StatusReport).health
  }
  test('F88 with broken settings starts with the initial ones, keeps the file and says so', async ({
    start,
  }, info) => {
    const folder = info.outputPath('data')
    mkdirSync(folder, { mode: 0o700 })
    writeFileSync(join(folder, 'settings.json'), '{"schema":1,"val')
    const { ready, stop } = await start(folder, quietFlags)
    const { banners, policy } = await health(ready.url, ready.token)
    expect(policy.id).toBe('consistent-hash')
    expect(banners.map(({ id }) => id)).toContain('document_restored')
    expect(readdirSync(folder).some((name) => name.startsWith('quarantine-settings'))).toBe(true)
    expect(await stop()).toBe(0)
  })
  test('F89 with a database that is none starts with a fresh one, keeps the file and says so', async ({
    start,
  }, info) => {
    const folder = info.outputPath('data')
    const first = await start(folder, quietFlags)
    await first.stop()
    const store = join(folder, 'store')
    for (const name of readdirSync(store))
      writeFileSync(join(store, name), 'this is no database, and never was one'.repeat(100))
    const { ready, stop } = await start(folder, quietFlags)
    // Requests are served before the history is open, so its news may come a moment later.
    await until('the news of the store', async () => {
      const { banners } = await health(ready.url, ready.token)
      return banners.some(({ id }) => id === 'store-moved')
    })
    expect((await health(ready.url, ready.token)).store.state).toBe('ok')
    expect(await stop()).toBe(0)
  })
  test('with settings of a newer version says that changes are not kept, and keeps the file', async ({
    start,
  }, info) => {
    const folder = info.outputPath('data')
    mkdirSync(folder, { mode: 0o700 })
    const newer = JSON.stringify({ schema: 99, writtenBy: '9.9.9', value: {} })
    writeFileSync(join(folder, 'settings.json'), newer)
    const { ready, stop } = await start(folder, quietFlags)
    const words = async (id: string) =>
      (await health(ready.url, ready.token)).banners.find((banner) => banner.id === id)?.text
    expect(await words('document_newer')).toContain('what is changed now is not kept')
    const set = await fetch(new URL('/api/call/policy.set', ready.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ready.token}` },
      body: JSON.stringify({ id: 'round-robin', params: {} }),
    })
    expect(set.status).toBe(200)
    expect(await words('settings_not_kept')).toMatch(/holds until Signalbox stops and is not kept: .*9\.9\.9/)
    expect(await stop()).toBe(0)
    expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe(newer)
  })
  test('settings made by hand hold at the next start', async ({ start }, info) => {
    const folder = info.outputPath('data')
    const first = await start(folder, quietFlags)
    await fetch(new URL('/api/call/policy.set', first.ready.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${first.ready.token}` },
      body: JSON.stringify({ id: 'round-robin', params: {} }),
    })
    await first.stop()
    const second = await start(folder, quietFlags)
    expect((await health(second.ready.url, second.ready.token)).policy.id).toBe('round-robin')
    await second.stop()
  })
})
