import { screen } from '@testing-library/react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { words } from '../../../src-renderer/words/en'
import { leavePages, showPage, tellAll } from '../a-page'
import { aRecord } from '../builders'

vi.setConfig({ testTimeout: 20_000 })
afterEach(leavePages)

/** Notes as an older version stored them, at whatever number it was given. */
const notes = [8.64e15 + 1, 1e308, Date.UTC(12_026, 0, 1), 0, -8.64e15 - 1, -1e308].map((atWallMs, at) =>
  aRecord(-60 + at, { kind: 'note.added', text: `note ${at}`, atWallMs, actor: 'cli' }),
)

describe('a stored instant that no calendar has breaks nothing', () => {
  test.each([
    ['overview', ['note 0', 'note 1', 'note 2']],
    ['timeline', []],
    ['decisions', []],
    ['replicas', []],
  ])('in %s', async (view, shown) => {
    const page = await showPage(`#/${view}`, { 'timeline.read': () => notes })
    await tellAll(page)
    await page.told(() => page.server.items('cluster', notes))
    await page.wait(2_000)
    for (const note of shown) expect(await screen.findByText(new RegExp(note))).toBeTruthy()
    expect(screen.queryByText(words.states.partFailed, { exact: false })).toBeNull()
    expect(screen.getByText('LIVE')).toBeTruthy()
  })
})
