import { rmSync } from 'node:fs'
import { chromium } from 'playwright/test'
import { test as base, chromiumFlags, chromiumPath, expect, freshFolder, startServe } from '../shells'

const test = base.extend<{ opened: Awaited<ReturnType<typeof open>> }>({
  opened: async ({}, use) => {
    const opened = await open()
    await use(opened)
    await opened.close()
  },
})

async function open() {
  const dataDir = freshFolder()
  const serving = await startServe(dataDir)
  const browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumFlags })
  const page = await (await browser.newContext()).newPage()
  await page.goto(serving.ready.url)
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeVisible()
  return {
    ...serving,
    browser,
    page,
    dataDir,
    async close() {
      await browser.close()
      await serving.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

test('the ticket leaves the address at once, works once, and a reload keeps the session', async ({
  opened,
}) => {
  const { page, ready, browser } = opened
  expect(page.url()).not.toContain('ticket')
  await page.reload()
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeVisible()
  const other = await (await browser.newContext()).newPage()
  await other.goto(ready.url)
  await expect(other.getByText(/signalbox open/)).toBeVisible()
})

test('F86 a revoked session keeps the last data on the screen and says how to get a new link', async ({
  opened,
}) => {
  const { page, ready } = opened
  await expect(page.getByRole('main')).toContainText(/Healthy|Requests fail|requests failed/)
  const revoked = await fetch(new URL('/api/call/console.revoke', ready.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ready.token}` },
    body: '{}',
  })
  expect(revoked.status).toBe(200)
  await expect(page.getByText(/This session ended/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeHidden()
  await expect(page.getByRole('figure', { name: 'Requests by outcome' })).toBeVisible()
})

test('F84 the server restarts: the page says so, comes back by itself and draws the gap', async ({
  opened,
}) => {
  const { page, ready, child, exited, dataDir } = opened
  const port = new URL(ready.url).port
  child.kill('SIGTERM')
  await exited
  await expect(page.getByText(/Not connected/)).toBeVisible({ timeout: 3_000 })
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeHidden()
  // The new process has new secrets: the old session is over, and the page says how to get back in.
  const again = await startServe(dataDir, ['--port', port, '--proxy-port', '0', '--router-port', '0'])
  await expect(page.getByText(/This session ended/)).toBeVisible({ timeout: 20_000 })
  await again.stop()
})

test('SR-023 another page of the browser gets nothing, whatever name it gives this machine', async ({
  opened,
}) => {
  const { ready } = opened
  const { port } = new URL(ready.url)
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: [...chromiumFlags, '--host-resolver-rules=MAP evil.test 127.0.0.1'],
  })
  const page = await browser.newPage()
  for (const target of [port, new URL(ready.proxyUrl).port, new URL(ready.routerUrl).port]) {
    const answered = page.waitForResponse((response) => response.url().includes(`:${target}/`))
    await page.goto(`http://evil.test:${target}/`).catch(() => {}) // an answer without a body is no page
    const response = await answered
    expect([target, response.status(), response.headers()['x-signalbox-reason']]).toEqual([
      target,
      403,
      'host_not_allowed',
    ])
  }
  const foreign = await browser.newPage()
  await foreign.goto('data:text/html,a page of somebody else')
  const spent = await foreign.evaluate(
    (proxy) =>
      fetch(`${proxy}/v1/chat/completions`, {
        method: 'POST',
        mode: 'no-cors',
        body: '{"model":"demo-8b","messages":[]}',
      }).then(
        (response) => response.type,
        () => 'refused',
      ),
    ready.proxyUrl,
  )
  expect(['opaque', 'refused']).toContain(spent)
  await browser.close()
})
