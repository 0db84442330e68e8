import type { ElectronApplication } from 'playwright/test'
import { expect, test } from '../shells'

/** Dialogs that were shown, and whether they were taken away again; nobody is there to press their buttons. */
async function watchDialogs(app: ElectronApplication) {
  await app.evaluate(({ dialog }) => {
    const shown: { message: string; withdrawn: boolean }[] = []
    Object.assign(globalThis, { shownDialogs: shown })
    dialog.showMessageBox = ((_window: unknown, { message, signal }: Electron.MessageBoxOptions) => {
      const entry = { message, withdrawn: false }
      shown.push(entry)
      return new Promise((resolve) =>
        signal?.addEventListener('abort', () => {
          entry.withdrawn = true
          resolve({ response: 0, checkboxChecked: false })
        }),
      )
    }) as typeof dialog.showMessageBox
  })
  return () =>
    app.evaluate(
      () => (globalThis as never as { shownDialogs: { message: string; withdrawn: boolean }[] }).shownDialogs,
    )
}

test('F74 a page that hangs is offered a reload, and the offer goes when it is back; routing goes on', async ({
  shell,
}) => {
  const { page, app } = shell
  if (!app) throw new Error('this journey needs the desktop shell')
  const dialogs = await watchDialogs(app)
  const sent = async () => (await shell.status()).health.traffic.sent
  const before = await sent()
  const hanging = page.evaluate(() => {
    for (const until = performance.now() + 9_000; performance.now() < until; );
  })
  await expect
    .poll(dialogs, { timeout: 9_000 })
    .toEqual([{ message: expect.stringContaining('does not respond'), withdrawn: false }])
  expect(await sent()).toBeGreaterThan(before)
  await hanging
  await expect.poll(dialogs).toMatchObject([{ withdrawn: true }])
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeVisible()
})

test('F75 the graphics process is killed: the view goes on, and the timeline says so', async ({ shell }) => {
  const { page, app } = shell
  if (!app) throw new Error('this journey needs the desktop shell')
  const gpu = () =>
    app.evaluate(({ app: own }) => own.getAppMetrics().find(({ type }) => type === 'GPU')?.pid ?? null)
  const pid = await gpu()
  expect(pid).toBeGreaterThan(1)
  process.kill(Number(pid), 'SIGKILL')
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Timeline' }).click()
  await expect(page.getByRole('main')).toContainText('graphics process ended')
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeVisible()
  expect(await gpu()).not.toBe(pid)
})

test('F73 the window comes back where it was and says why; after three crashes it leaves the charts out', async ({
  shell,
}) => {
  const { page, app } = shell
  if (!app) throw new Error('this journey needs the desktop shell')
  // Asked through the app: a page that crashed is a closed one to the test runner, and does not answer while it loads.
  const shown = () =>
    app.evaluate(async ({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      if (!contents) return { url: '', pid: 0, text: '' }
      const text: Promise<string> = contents.executeJavaScript('document.body.innerText').catch(() => '')
      const late = new Promise<string>((resolve) => setTimeout(resolve, 1_000, ''))
      return {
        url: contents.getURL(),
        pid: contents.getOSProcessId(),
        text: await Promise.race([text, late]),
      }
    })
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Replicas' }).click()
  await expect(page).toHaveURL(/replicas/)
  for (const how of ['restarted', 'restarted', 'safe']) {
    const { pid } = await shown()
    await shell.crashPage()
    await expect.poll(async () => (await shown()).pid !== pid, { timeout: 10_000 }).toBe(true)
    await expect.poll(shown, { timeout: 10_000 }).toMatchObject({
      url: `app://signalbox/?${how}=1#/replicas`,
      text: expect.stringContaining('LIVE'),
    })
  }
  const alerts = () =>
    app.evaluate(async ({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      await contents?.executeJavaScript('document.querySelector("button[aria-label$=alerts]").click()')
      return String(await contents?.executeJavaScript('document.body.innerText'))
    })
  expect(await alerts()).toContain('charts are left out')
})
