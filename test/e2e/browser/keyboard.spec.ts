import { expect, test } from '../shells'

test('after a menu, a palette or a dialog is closed the keys are the page’s again', async ({ shell }) => {
  const { page } = shell
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  const grid = page.getByRole('grid', { name: 'Decisions, newest first' })
  await expect(grid.getByRole('row').nth(4)).toBeVisible()
  const view = async (key: string, name: string) => {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await expect(
      page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name }),
    ).toHaveAttribute('aria-current', 'page')
  }
  const backAndForth = async () => {
    await view('r', 'Replicas')
    await view('d', 'Decisions')
  }
  // The menu of a row, by key and by mouse; when it closes the list has the focus, and Space is the list's.
  await page.keyboard.press('j')
  await page.keyboard.press('.')
  await expect(page.getByRole('menu')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toBeHidden()
  await expect(grid).toBeFocused()
  await expect(page.getByText(/^PAUSED/)).toBeVisible()
  await page.keyboard.press('Space')
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeVisible()
  await backAndForth()
  await grid.getByRole('row').nth(2).getByRole('button', { name: 'Actions' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toBeHidden()
  await page.keyboard.press('j')
  await expect(page.getByText(/^PAUSED/)).toBeVisible()
  await backAndForth()
  // Palette, shortcut sheet, note, alerts.
  for (const open of ['Control+k', '?', 'm']) {
    await page.keyboard.press(open)
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await backAndForth()
  }
  await page.getByRole('button', { name: /open alerts/ }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await backAndForth()
})

test('a link that is pasted into a page without a session logs it in, at the place where it was', async ({
  shell,
  browserName,
}) => {
  expect(browserName).toBe('chromium')
  const { page, cli } = shell
  const origin = new URL(page.url()).origin
  const other = await page.context().newPage()
  await other.goto(`${origin}/#/decisions?q=outcome:ok`)
  await expect(other.getByText(/needs a link with a ticket/)).toBeVisible()
  const link = (await cli('open')).stdout.trim()
  await other.goto(link) // the same page, another fragment: as when it is pasted
  await expect(other.getByRole('button', { name: 'LIVE' })).toBeVisible()
  await expect(other).toHaveURL(`${origin}/#/decisions?q=outcome:ok`)

  const third = await page.context().newPage()
  await third.goto(link)
  await expect(third.getByText(/was used before, or is older than a minute/)).toBeVisible()
})
