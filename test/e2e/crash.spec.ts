import { expect, type Shell, test } from './shells'

/** A generation that takes some seconds, read to its end. */
async function longStream(proxyUrl: string) {
  const response = await fetch(`${proxyUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session-id': 'crash-test' },
    body: JSON.stringify({
      model: 'demo-8b',
      messages: [{ role: 'user', content: 'A long story of a signalman, please.' }],
      max_tokens: 1_500,
      ignore_eos: true,
      stream: true,
    }),
  })
  return { status: response.status, text: response.text() }
}

const processOf = async (shell: Shell, role: string) =>
  (await shell.status()).health.processes.find((each) => each.role === role)
const proxyOf = async (shell: Shell) => String((await shell.status()).health.proxyUrl)

test('F73 the page is killed while a stream runs: the stream ends whole', async ({ shell }) => {
  const { page } = shell
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeVisible()
  const stream = await longStream(await proxyOf(shell))
  expect(stream.status).toBe(200)
  await shell.crashPage()
  const text = await stream.text
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
  expect(text.match(/"content":/g)?.length).toBeGreaterThan(1_400)
  const { health, summary } = await shell.status()
  expect(health.processes.map(({ state, restarts }) => `${state} ${restarts}`)).toEqual(Array(4).fill('up 0'))
  expect(summary?.breaks.part).toBe(0)
})

for (const role of ['router', 'ingest'] as const) {
  test(`${role === 'router' ? 'F42' : 'F75'} the ${role} process is killed: told at once, restarted, and decisions go on`, async ({
    shell,
  }) => {
    const { page } = shell
    await expect(page.getByRole('main')).toContainText(/Healthy|Requests fail|requests failed/)
    const before = await processOf(shell, role)
    expect(before?.pid).toBeGreaterThan(1)
    process.kill(Number(before?.pid), 'SIGKILL')
    await expect(
      page.getByText(new RegExp(`The ${role} process ended \\(.*\\) and (is being|was) restarted`)).first(),
    ).toBeVisible({ timeout: 8_000 })
    await expect.poll(async () => (await processOf(shell, role))?.state, { timeout: 5_000 }).toBe('up')
    const after = await processOf(shell, role)
    expect([after?.restarts, after?.pid === before?.pid]).toEqual([1, false])
    await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Decisions' }).click()
    const since = new Date().toISOString().slice(11, 19)
    await expect
      .poll(async () => {
        const times = await page
          .getByRole('grid', { name: 'Decisions, newest first' })
          .getByText(/^\d\d:\d\d:\d\d\.\d{3}$/)
          .allTextContents()
        return times.some((time) => time > since)
      })
      .toBe(true)
  })
}
