import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, test } from 'vitest'
import { Agreement, Timing } from '../../../src-renderer/views/decisions/why/sections'
import { aRow, startWallMs } from '../builders'

afterEach(cleanup)

describe('a decision without an outcome, an hour later', () => {
  test.each([
    ['still runs', 'proxy', /^running for 1 h$/, 'not served yet'],
    ['was routed for somebody else’s proxy and never runs', 'http', /^routed only$/, 'routed only'],
  ] as const)('that %s', (_, asked, timing, served) => {
    const row = aRow('d1', { outcome: null, endedWallMs: null, asked })
    const { unmount } = render(<Timing row={row} nowWallMs={startWallMs + 3_600_000} />)
    expect(screen.getByText(timing)).toBeTruthy()
    unmount()
    render(<Agreement row={row} />)
    expect(screen.getAllByText(served)).toHaveLength(2)
  })
})
