import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { leavePages, showPage, tellAll } from '../a-page'

/** Looking elements up by role takes long without a browser. */
vi.setConfig({ testTimeout: 20_000 })
afterEach(leavePages)

const onDecisions = async () => {
  const shown = await showPage('#/decisions')
  await tellAll(shown)
  return shown
}
const list = () => screen.getByRole('grid', { name: 'Decisions, newest first' })
const isPaused = () => screen.queryByText(/^PAUSED/) !== null

describe('after what was open is closed the keys are the page’s again', () => {
  test('the menu of a row gives the focus to the list, whose Space lets it go on', async () => {
    const { press } = await onDecisions()
    await press('j')
    await press('.')
    await screen.findByRole('menu')
    await press('Escape')
    await waitFor(() => expect(document.activeElement).toBe(list()))
    expect([screen.queryByRole('menu'), isPaused()]).toEqual([null, true])
    await press(' ')
    expect([screen.queryByRole('menu'), isPaused()]).toEqual([null, false])
    await press('/')
    await waitFor(() => expect(document.activeElement?.tagName).toBe('INPUT'))
  })

  test('a row that was pressed leaves Space to the page', async () => {
    const { press } = await onDecisions()
    const row = list().querySelectorAll<HTMLElement>('[role="row"]')[1]
    row?.focus()
    await press(' ')
    expect(isPaused()).toBe(true)
  })

  test.each([
    ['the palette', 'k', { ctrlKey: true }],
    ['the shortcut sheet', '?', {}],
    ['a note', 'm', {}],
  ] as const)('%s', async (_, key, more) => {
    const { press } = await onDecisions()
    await press(key, more)
    await screen.findByRole('dialog')
    await press('Escape')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await press('g')
    await press('r')
    expect(window.location.hash).toMatch(/^#\/replicas/)
  })

  test.each([
    ['the columns', 'Columns', 'menu'],
    ['the alerts', 'No open alerts', 'dialog'],
  ] as const)('%s', async (_, name, role) => {
    const { press } = await onDecisions()
    const button = screen.getByRole('button', { name })
    button.focus()
    if (role === 'menu') fireEvent.keyDown(button, { key: 'Enter' })
    else fireEvent.click(button)
    await screen.findByRole(role)
    await press('Escape')
    await waitFor(() => expect(screen.queryByRole(role)).toBeNull())
    await press('g')
    await press('r')
    expect(window.location.hash).toMatch(/^#\/replicas/)
  })
})
