import { mkdirSync } from 'node:fs'
import { expect, test } from './shells'

// Pictures for people, made anew by: SIGNALBOX_SCREENSHOTS=1 node test/run.mjs browser electron
const wanted = process.env.SIGNALBOX_SCREENSHOTS === '1'
const folder = 'test/golden/screenshots'

for (const scheme of ['dark', 'light'] as const) {
  test(`Overview and Decisions draw whole, ${scheme}`, async ({ shell }, info) => {
    if (wanted) test.setTimeout(240_000)
    const { page } = shell
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect(page.getByRole('main')).toContainText(/Healthy|Requests fail|requests failed/)
    // Pictures are better with a minute of traffic on the charts.
    if (wanted)
      await expect(page.getByRole('region', { name: 'Status' })).toContainText(/buffer 1 m/, {
        timeout: 120_000,
      })
    const picture = async (name: string) => {
      const bytes = await page.screenshot({ animations: 'disabled' })
      if (wanted) {
        mkdirSync(folder, { recursive: true })
        await page.screenshot({
          animations: 'disabled',
          path: `${folder}/${shell.kind}-${name}-${scheme}.png`,
        })
      }
      await info.attach(name, { body: bytes, contentType: 'image/png' })
    }
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(await background()).toBe(scheme === 'dark' ? 'rgb(14, 19, 24)' : 'rgb(244, 246, 248)')
    await picture('overview')
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    const rows = page.getByRole('grid', { name: 'Decisions, newest first' }).getByRole('row')
    await rows.filter({ hasText: 'ok 200' }).filter({ hasNotText: 'none' }).nth(1).click()
    await expect(page.getByRole('complementary').getByText('Candidates').first()).toBeVisible()
    await picture('decisions')
    for (const [key, name] of [
      ['r', 'replicas'],
      ['t', 'timeline'],
    ] as const) {
      await page.keyboard.press('Escape')
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(new RegExp(name, 'i'))
      await picture(name)
    }
    expect(shell.complaints).toEqual([])
    // Nothing is wider than the window: no view may scroll sideways as a whole.
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
  })
}
