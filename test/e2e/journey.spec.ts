import AxeBuilder from '@axe-core/playwright'
import { expect, type Shell, test } from './shells'

const decisions = ({ page }: Shell) => page.getByRole('grid', { name: 'Decisions, newest first' })
const rows = (shell: Shell) =>
  decisions(shell)
    .getByRole('row')
    .filter({ hasText: /\d\d:\d\d:\d\d\.\d{3}/ })
const go = ({ page }: Shell, view: string) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: view }).click()

test('the console opens on live figures of the embedded cluster', async ({ shell }) => {
  const { page } = shell
  await expect(page.getByRole('banner').getByText('DEMO', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'replicas 8/8' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(/[\d.]+ req\/s/)
  await expect(page.getByRole('figure', { name: 'Requests by outcome' })).toBeVisible()
  expect(shell.complaints).toEqual([])
})

test('decisions arrive, and a row tells why its replica was picked', async ({ shell }) => {
  const { page } = shell
  await go(shell, 'Decisions')
  await expect(rows(shell).nth(5)).toBeVisible()
  const newest = await rows(shell).first().textContent()
  await expect(rows(shell).first()).not.toHaveText(String(newest)) // they keep coming

  await rows(shell).filter({ hasText: 'ok 200' }).filter({ hasNotText: 'none' }).first().click()
  const why = page.getByRole('complementary', { name: /^Why this replica/ })
  await expect(why).toContainText(
    /(r\d+) was picked: it owns the session’s place on the hash ring, and \1 answered\./,
  )
  const candidates = why.getByRole('region', { name: 'Candidates' }).first()
  for (const id of ['r1', 'r8']) await expect(candidates.getByText(id, { exact: true })).toBeVisible()
  await expect(candidates).toContainText('picked')
  await expect(page).toHaveURL(/sel=decision/)
  await page.keyboard.press('Escape')
  await expect(why).toBeHidden()
})

test('the list pauses and resumes with the space bar, and loses nothing', async ({ shell }) => {
  const { page } = shell
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await expect(rows(shell).nth(3)).toBeVisible()
  await page.keyboard.press('Space')
  await expect(page.getByText(/^PAUSED/)).toBeVisible()
  const kept = await rows(shell).allTextContents()
  await expect(page.getByText(/\+\d+ new since pause/)).toBeVisible()
  expect(await rows(shell).allTextContents()).toEqual(kept)
  await page.keyboard.press('Space')
  await expect(page.getByRole('button', { name: 'LIVE' })).toBeVisible()
})

test('a fault is on the screen within seconds, with its reason, and so is its end', async ({ shell }) => {
  const { page } = shell
  await expect(page.getByRole('main')).toContainText(/Healthy|Requests fail|requests failed/)
  await shell.cli('fault', 'router-junk')
  await expect(page.getByRole('main')).toContainText('unparseable_replica_id')
  await go(shell, 'Decisions')
  await expect(rows(shell).filter({ hasText: '503' }).first()).toBeVisible()
  await shell.cli('fault', 'clear')
  await expect(rows(shell).filter({ hasText: 'ok 200' }).first()).toBeVisible()
  await go(shell, 'Timeline')
  await expect(page.getByRole('main')).toContainText('router-junk')
})

test('a change of scale is seen in Replicas and in the timeline', async ({ shell }) => {
  const { page } = shell
  await go(shell, 'Replicas')
  await expect(page.getByRole('main').getByText('r8', { exact: true })).toBeVisible()
  await shell.cli('scale', '9')
  await expect(page.getByRole('main').getByText('r9', { exact: true })).toBeVisible()
  await go(shell, 'Timeline')
  await expect(page.getByRole('main')).toContainText(/scale 8\s*→\s*9/)
})

test('every view is reached by keyboard and passes the accessibility check', async ({ shell }) => {
  test.setTimeout(240_000) // the check reads every element four times, and a machine may be busy
  const { page } = shell
  await expect(page.getByRole('main')).toContainText(/[\d.]+ req\/s/)
  for (const [key, view] of [
    ['d', 'Decisions'],
    ['r', 'Replicas'],
    ['t', 'Timeline'],
    ['o', 'Overview'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await expect(page.getByRole('heading', { level: 1, name: view })).toBeVisible()
    const checked = new AxeBuilder({ page }).withTags([
      'wcag2a',
      'wcag2aa',
      'wcag21a',
      'wcag21aa',
      'wcag22aa',
    ])
    const { violations } = await (shell.kind === 'electron' ? checked.setLegacyMode(true) : checked).analyze()
    expect(violations.map(({ id, nodes }) => `${view}: ${id}: ${nodes[0]?.html}`)).toEqual([])
  }
  expect(shell.complaints).toEqual([])
})
