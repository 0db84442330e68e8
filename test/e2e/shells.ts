import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  _electron,
  test as base,
  chromium,
  type ElectronApplication,
  expect,
  type Page,
} from 'playwright/test'
import type { StatusReport } from '../../src-main/contract/rpc'

/** What a command line printed. */
export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A console that was opened for a test, in a real window or a real browser. */
export interface Shell {
  readonly kind: 'browser' | 'electron'
  readonly page: Page
  /** The desktop app itself; null in a browser. */
  readonly app: ElectronApplication | null
  readonly dataDir: string
  /** Console messages of the page that are errors, and reports of the content policy. */
  readonly complaints: readonly string[]
  cli(...args: string[]): Promise<CliResult>
  status(): Promise<StatusReport>
  /** Kills the page's process, as a crash does. */
  crashPage(): Promise<void>
}

/** Flags that make Chromium run where there is no user and no graphics card. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]
/** Where Debian puts Chromium. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

const startFlags = ['--port', '0', '--seed', '7', '--rate', '4']

/** The line that `--serve --json` prints. */
export interface ReadyLine {
  readonly url: string
  readonly token: string
  readonly proxyUrl: string
  readonly routerUrl: string
  readonly replicas: readonly { readonly id: string; readonly url: string }[]
  readonly pid: number
}

/** Starts `serve` and waits for its ready line. */
export async function startServe(dataDir: string, flags: readonly string[] = startFlags) {
  const child = spawn(
    process.execPath,
    ['out/main/serve.cjs', '--serve', '--json', '--data-dir', dataDir, ...flags],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const ready = await new Promise<ReadyLine>((resolve, reject) => {
    createInterface({ input: child.stdout }).on(
      'line',
      (line) => line.startsWith('{') && resolve(JSON.parse(line)),
    )
    void exited.then((code) => reject(new Error(`serve ended with ${code} before it was ready`)))
  })
  return {
    ready,
    child,
    exited,
    async stop() {
      child.kill('SIGTERM')
      return exited
    },
  }
}

/** Runs the built command line. */
export function runCli(args: readonly string[]): Promise<CliResult> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['out/main/cli.cjs', ...args], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
  })
}

/** A fresh folder that is gone after the test. */
export const freshFolder = () => mkdtempSync(join(tmpdir(), 'signalbox-e2e-'))

const common = (dataDir: string) => ({
  dataDir,
  cli: (...args: string[]) => runCli([...args, '--data-dir', dataDir]),
  async status() {
    const { stdout, stderr } = await runCli(['status', '--json', '--data-dir', dataDir])
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout) as StatusReport
  },
})

async function openBrowser(dataDir: string): Promise<{ shell: Shell; close: () => Promise<void> }> {
  const serving = await startServe(dataDir)
  const browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumFlags })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const complaints = listen(page)
  await page.goto(serving.ready.url)
  const shell: Shell = {
    kind: 'browser',
    page,
    app: null,
    complaints,
    ...common(dataDir),
    crashPage: () =>
      page.goto('chrome://crash').then(
        () => {},
        () => {},
      ),
  }
  return {
    shell,
    async close() {
      await browser.close()
      const code = await serving.stop()
      if (code !== 0) throw new Error(`serve ended with ${code} instead of 0`)
    },
  }
}

/** The window opens before the cluster is up; a test begins when it is, as it does after the ready line of `serve`. */
async function untilUp({ status }: Pick<Shell, 'status'>): Promise<void> {
  const stateOf = async () => {
    const { health } = await status()
    return [health.proxyUrl !== null, ...health.processes.map(({ state }) => state === 'up')]
  }
  await expect.poll(() => stateOf().catch(() => []), { timeout: 20_000 }).toEqual(Array(5).fill(true))
}

async function openDesktop(dataDir: string): Promise<{ shell: Shell; close: () => Promise<void> }> {
  const app = await _electron.launch({
    args: [
      process.cwd(),
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--',
      '--data-dir',
      dataDir,
      ...startFlags,
    ],
  })
  const page = await app.firstWindow()
  const complaints = listen(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  const shell: Shell = {
    kind: 'electron',
    page,
    app,
    complaints,
    ...common(dataDir),
    crashPage: () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
      ),
  }
  await untilUp(shell)
  return { shell, close: () => app.close() }
}

function listen(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

/** A test with a console of its own; the project says in which shell. */
export const test = base.extend<{ shell: Shell }>({
  shell: async ({}, use, info) => {
    const dataDir = freshFolder()
    const opened = await (info.project.name === 'electron' ? openDesktop(dataDir) : openBrowser(dataDir))
    await use(opened.shell)
    await opened.close()
    rmSync(dataDir, { recursive: true, force: true })
  },
})

export { expect } from 'playwright/test'
