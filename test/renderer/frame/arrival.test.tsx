import { act, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { leavePages, showPage, tellAll } from '../a-page'

/** Looking elements up by role takes long without a browser. */
vi.setConfig({ testTimeout: 20_000 })
afterEach(leavePages)

test('[F73] without charts each says its course in a sentence, and brings all of them back', async () => {
  const shown = await showPage('#/overview')
  await tellAll(shown)
  const charts = () => screen.queryAllByRole('figure').length
  const drawn = charts()
  await act(async () => shown.page.arrival.set('safe'))
  const requests = within(screen.getByRole('region', { name: 'Requests by outcome' }))
  expect(charts()).toBe(0)
  requests.getByText(/^Requests by outcome, failed: last 0, lowest 0, highest 0;.*The chart is left out/)
  fireEvent.click(requests.getByRole('button', { name: 'Show charts' }))
  expect([drawn, charts()]).toEqual([4, 4])
})
