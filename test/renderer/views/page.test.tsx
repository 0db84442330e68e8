import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { failuresFilter } from '../../../src-renderer/field/clause'
import { leavePages, type ShownPage, showPage, tellAll } from '../a-page'
import {
  aFleet,
  aHealth,
  anOutcome,
  aRecord,
  aReplica,
  aRow,
  aSummary,
  noPercentiles,
  startWallMs,
} from '../builders'
import { settled } from '../scripted-server'

/** Looking elements up by role takes long without a browser. */
vi.setConfig({ testTimeout: 20_000 })
afterEach(leavePages)

const ready = async (hash: string, answers: Parameters<typeof showPage>[1] = {}): Promise<ShownPage> => {
  const shown = await showPage(hash, answers)
  await tellAll(shown)
  return shown
}
const main = () => within(screen.getByRole('main'))
const rowsOf = (grid: string) =>
  within(screen.getByRole('grid', { name: grid }))
    .getAllByRole('row')
    .slice(1)
const decisions = 'Decisions, newest first'
const explanation = {
  row: aRow('d1'),
  session: [aRow('d0', { outcome: anOutcome({ served: 'r2' }) }), aRow('d1')],
  policy: null,
}

describe('before there is data', () => {
  test('nothing for 300 ms, then a skeleton, after three seconds what is awaited', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await showPage('#/replicas')
      expect(main().queryByRole('status')).toBeNull()
      await act(async () => vi.advanceTimersByTime(400))
      expect(main().getByRole('status').textContent).toBe('Waiting for the fleet')
      expect(main().queryByText('Waiting for the fleet', { selector: 'p' })).toBeNull()
      await act(async () => vi.advanceTimersByTime(3_000))
      expect(main().getByText('Waiting for the fleet', { selector: 'p' })).toBeTruthy()
    } finally {
      vi.useRealTimers()
    }
  })
  test.each(['overview', 'decisions', 'replicas', 'timeline'])(
    'without a ticket %s says that it is not connected',
    async (view) => {
      const { server, told, page } = await showPage(`#/${view}`)
      server.refuse = { why: 'no ticket', end: 'no-ticket' }
      await told(() => server.hangUp('x', 'no-ticket'))
      expect(page.link.get().phase).toBe('ended')
      await waitFor(() => main().getByText('Nothing to show: this page is not connected.'))
      expect(screen.getByRole('alert').textContent).toContain('This page needs a link with a ticket')
    },
  )
  test('the chip does not say live', async () => {
    await showPage('')
    expect(screen.getByText('CONNECTING')).toBeTruthy()
    expect(screen.queryByText('LIVE')).toBeNull()
  })
})

describe('overview', () => {
  test('says in one sentence that all is well', async () => {
    await ready('')
    expect(main().getByText(/^Healthy: 12.0 req\/s/)).toBeTruthy()
    expect(screen.getByText('LIVE')).toBeTruthy()
    expect(screen.getByText('replicas 3/3')).toBeTruthy()
  })
  test('J1–J3: a failure stands in the headline; the errors tile leads to the reasons', async () => {
    const groups = {
      by: 'reason',
      groups: [{ key: 'policy_failed', count: 30, failed: 30, ttftMsP50: null, ttftMsP99: null }],
      searched: 30,
      fromWallMs: startWallMs,
    }
    const { server, told } = await ready('', { 'decisions.groups': () => groups })
    const failing = aSummary({
      errors: { part: 30, whole: 720 },
      reasons: [{ reason: 'policy_failed', count: 30 }],
      failingSinceWallMs: startWallMs - 60_000,
    })
    await told(() => server.value('summary', failing))
    await waitFor(() => main().getByText(/^Requests fail since 02:59:00 UTC/))
    fireEvent.click(main().getByText('Show evidence'))
    const shown = new URLSearchParams(window.location.hash.split('?')[1])
    expect(shown.get('q')).toBe('outcome:replica-error,timeout,broken,refused ended>=2026-01-01T02:59:00Z')
    await waitFor(() => main().getByText('router_unreachable (policy_failed)'))
    act(() => window.history.back())
    await waitFor(() => main().getByText('Errors'))
    fireEvent.click(main().getByText('Errors'))
    expect(window.location.hash).toBe('#/decisions?by=reason')
    await waitFor(() => main().getByText('router_unreachable (policy_failed)'))
  })
  test('a suspicion leads to what shows it, a replica to itself', async () => {
    const { server, told } = await ready(
      '#/overview?from=2026-01-01T02:00:00.000Z&to=2026-01-01T02:10:00.000Z',
    )
    const replicas = [
      { replicaId: 'r1', picks: 60, served: 50, failed: 10, inFlight: 3, ttftMs: noPercentiles, sessions: 2 },
    ]
    await told(() => server.value('summary', aSummary({ replicas })))
    fireEvent.click(await main().findByText('20 % of its requests fail'))
    const shown = new URLSearchParams(window.location.hash.split('?')[1])
    expect([...shown]).toEqual([['q', `served:r1 ${failuresFilter} ended>=2026-01-01T02:59:00Z`]])
    act(() => window.history.back())
    fireEvent.click(await main().findByText('r1', { selector: 'button' }))
    expect(window.location.hash).toMatch(/^#\/replicas\?.*sel=replica%3Ar1/)
  })
  test('a demo control shows its result at once, and says why when it cannot', async () => {
    const { server, told } = await ready('', { 'faults.set': () => ({ replicaId: null, untilWallMs: null }) })
    await act(async () => {
      fireEvent.click(main().getByText('Router down'))
      await settled()
    })
    await waitFor(() => screen.getByText('Fault router-down is on.'))
    expect(server.asked.at(-1)).toEqual({
      name: 'faults.set',
      params: { name: 'router-down', replicaId: null, forMs: null },
    })
    await told(() => server.hangUp('network'))
    fireEvent.click(main().getByText('Router down'))
    expect(server.asked.filter(({ name }) => name === 'faults.set')).toHaveLength(1)
  })
  test('a wrong number is not sent', async () => {
    const { server } = await ready('', { 'fleet.scale': () => ({ from: 3, to: 5, added: [], removed: [] }) })
    const field = main().getByLabelText('Replicas')
    fireEvent.change(field, { target: { value: '65' } })
    fireEvent.submit(field)
    expect(server.asked.filter(({ name }) => name === 'fleet.scale')).toEqual([])
    fireEvent.change(field, { target: { value: '5' } })
    await act(async () => {
      fireEvent.submit(field)
      await settled()
    })
    expect(server.asked.at(-1)).toEqual({ name: 'fleet.scale', params: { replicas: 5 } })
  })
  test('a read-only console offers nothing to press', async () => {
    const { server, told } = await ready('')
    await told(() => server.value('health', aHealth({ readOnly: true })))
    expect(screen.getByText('read-only')).toBeTruthy()
    expect(main().queryByText('Router down')).toBeNull()
  })
})

describe('decisions', () => {
  test('come live, the newest first, and hold while paused', async () => {
    const { server, told, wait, press } = await ready('#/decisions')
    expect(rowsOf(decisions)).toHaveLength(2)
    await press(' ')
    expect(screen.getByText(/^PAUSED/)).toBeTruthy()
    await told(() => server.items('decisions', [aRow('d3', { wallMs: startWallMs + 9 })]))
    await wait(1_000)
    expect(rowsOf(decisions)).toHaveLength(2)
    expect(screen.getByText('+1 new since pause')).toBeTruthy()
    await press(' ')
    await wait(1_000)
    expect(rowsOf(decisions)).toHaveLength(3)
    expect(screen.getByText('LIVE')).toBeTruthy()
  })
  test('keyboard: j moves and holds, Enter explains, Esc closes', async () => {
    const { press } = await ready('#/decisions', { 'decisions.explain': () => explanation })
    await press('j')
    await press('j')
    expect(screen.getByText(/^PAUSED/)).toBeTruthy()
    await press('Enter')
    const drawer = await screen.findByRole('complementary')
    await within(drawer).findByText(/^r1 was picked: it owns/)
    expect(window.location.hash).toContain('sel=decision%3Ad1')
    await press('Escape')
    expect(screen.queryByRole('complementary')).toBeNull()
  })
  test('J4: an id pasted into the palette explains its request', async () => {
    const { press, server } = await ready('', { 'decisions.explain': () => explanation })
    await press('k', { ctrlKey: true })
    const field = await screen.findByRole('combobox')
    fireEvent.change(field, { target: { value: '=d-unknown-here' } })
    fireEvent.click(await screen.findByText('Explain request d-unknown-here'))
    await screen.findByRole('complementary')
    await waitFor(() =>
      expect(server.asked.at(-1)).toEqual({ name: 'decisions.explain', params: { id: 'd-unknown-here' } }),
    )
  })
  test('a filter asks the whole population; a filter that matches nothing names its clause', async () => {
    const { server } = await ready('#/decisions?q=outcome%3Abroken', {
      'decisions.last': () => ({ rows: [], matched: 0, searched: 5_000, fromWallMs: startWallMs }),
    })
    await main().findByText('No match among 5,000 decisions.')
    expect(main().getByText('“outcome:broken” alone matches none of the rows on this page.')).toBeTruthy()
    expect(server.asked.find(({ name }) => name === 'decisions.last')?.params).toEqual({
      last: 500,
      filter: 'outcome:broken',
    })
    fireEvent.click(main().getByText('Clear filter'))
    expect(rowsOf(decisions)).toHaveLength(2)
  })
  test('clients’ own errors are counted beside the failures, and lead to their rows', async () => {
    const { server, told, wait } = await ready('#/decisions')
    await told(() => server.value('summary', aSummary({ clientErrors: { part: 40, whole: 720 } })))
    await wait(1_000)
    fireEvent.click(await main().findByText('client errors 40'))
    expect(window.location.hash).toBe('#/decisions?q=outcome%3Aclient-error')
  })
  test('a mistake in the filter is pointed at, and what was meant is one press away', async () => {
    await ready('#/decisions')
    const field = main().getByRole('combobox', { name: 'Filter' })
    fireEvent.change(field, { target: { value: 'outcome:okk' } })
    expect(main().getByRole('alert').textContent).toContain('okk')
    fireEvent.click(main().getByText('Use ok'))
    expect((field as HTMLInputElement).value).toBe('outcome:ok')
    fireEvent.keyDown(field, { key: 'Escape' })
    expect((field as HTMLInputElement).value).toBe('')
  })
  test('a search that fails says so, and can be tried again', async () => {
    let works = false
    await ready('#/decisions?q=outcome%3Aok', {
      'decisions.last': () =>
        works
          ? { rows: [aRow('found')], matched: 1, searched: 9, fromWallMs: null }
          : new Error('the store is busy'),
    })
    expect((await main().findByRole('alert')).textContent).toContain('the store is busy')
    works = true
    fireEvent.click(main().getByText('Retry'))
    await waitFor(() => expect(rowsOf(decisions)).toHaveLength(1))
  })
  test('nothing yet: what will stand here and how to make it come', async () => {
    const { told, server } = await showPage('#/decisions')
    await told(async () => {
      await server.hello()
      await server.snapshot('health', aHealth(), 1)
      await server.snapshot('decisions', [], 1)
    })
    expect(main().getByText(/^Waiting for the first decision/)).toBeTruthy()
    expect(main().getByText(/http:\/\/127.0.0.1:8000/)).toBeTruthy()
  })
  test('[F85] where rows were let go is said above the list', async () => {
    const { told, server, wait } = await ready('#/decisions')
    await told(async () => {
      await server.send({
        t: 'gap',
        stream: 'decisions',
        why: 'slow',
        fromWallMs: startWallMs - 9_000,
        toWallMs: startWallMs,
      })
      await server.snapshot('decisions', [aRow('d9')], 90)
    })
    await wait(200)
    expect(
      main().getByText(/^Rows from 02:59:51 to 03:00:00 may be missing: this page was too slow/),
    ).toBeTruthy()
    expect(rowsOf(decisions)).toHaveLength(1)
  })
})

describe('replicas', () => {
  test('the suspicious first; stale is unknown, never a state; what is not exported says why', async () => {
    const { told, server, wait } = await ready('#/replicas')
    await told(() =>
      server.value(
        'fleet',
        aFleet([
          aReplica('r1', { cacheHitRatio: { absent: 'not-exported', source: 'engine:r1' } }),
          aReplica('r2', { lastError: 'ECONNREFUSED' }, 'down'),
        ]),
      ),
    )
    await wait(500)
    const rows = within(screen.getByRole('table')).getAllByRole('row').slice(1)
    expect(rows.map((row) => row.textContent?.slice(0, 9))).toEqual(['Downr2dow', 'Servingr1'])
    expect(within(rows[1] as HTMLElement).getByTitle(/not exported/).textContent).toBe('—')
    expect(screen.getByText('sort: Suspicion')).toBeTruthy()
    for (let beats = 0; beats < 8; beats++) {
      await wait(2_000)
      await told(() => server.beat())
    }
    expect(screen.getByText('2 Unknown')).toBeTruthy()
  })
  test('a replica opens with all its readings', async () => {
    const { press } = await ready('#/replicas')
    await press('j')
    await press('Enter')
    const drawer = await screen.findByRole('complementary', { name: 'Replica r1' })
    expect(within(drawer).getByText('http://127.0.0.1:30001')).toBeTruthy()
  })
})

describe('timeline', () => {
  test('lanes, table and drawer tell the same event', async () => {
    const { told, server, wait } = await ready('#/timeline')
    const scaled = aRecord(-60, {
      kind: 'fleet.scaled',
      from: 8,
      to: 10,
      added: ['r9'],
      removed: [],
      cause: 'operator',
      epoch: 2,
    })
    await told(() => server.items('cluster', [scaled]))
    await wait(300)
    fireEvent.click(await main().findByRole('button', { name: /^scale 8→10/ }))
    const drawer = await screen.findByRole('complementary', { name: 'Event' })
    expect(within(drawer).getByText('2026-01-01T02:59:00.000Z')).toBeTruthy()
    expect(main().getAllByText('scale 8→10')).toHaveLength(1)
  })
  test('an empty range names the nearest event before it', async () => {
    const scaled = aRecord(-7_200, {
      kind: 'fleet.scaled',
      from: 8,
      to: 10,
      added: [],
      removed: [],
      cause: 'operator',
      epoch: 2,
    })
    const { told, server, wait } = await ready('#/timeline')
    await told(() => server.items('cluster', [scaled]))
    await wait(300)
    expect(await main().findByText(/^The nearest event was 1 h 45 m earlier: scale 8→10/)).toBeTruthy()
  })
  test('m adds a note at the cursor', async () => {
    const { press, server, page } = await ready('#/timeline', { 'notes.add': () => null })
    await act(async () => page.cursor.set({ wallMs: startWallMs - 5_000, locked: true }))
    await press('m')
    const field = await screen.findByLabelText('What happened?')
    fireEvent.change(field, { target: { value: 'spike seen' } })
    await act(async () => {
      fireEvent.submit(field)
      await settled()
    })
    expect(server.asked.at(-1)).toEqual({
      name: 'notes.add',
      params: { text: 'spike seen', atWallMs: startWallMs - 5_000 },
    })
    await screen.findByText('Note added to the timeline.')
  })
})

describe('when the line fails', () => {
  test('U2: a lost line is seen at once, with a countdown; nothing is called live; it heals itself', async () => {
    const { server, told, wait } = await ready('')
    await told(() => server.hangUp('the connection broke'))
    await wait(500)
    expect(screen.getByText('DOWN')).toBeTruthy()
    expect(screen.queryByText('LIVE')).toBeNull()
    expect(screen.getByRole('alert').textContent).toMatch(/^Not connected: the connection broke/)
    expect(screen.getByText('Retry now')).toBeTruthy()
    await wait(1_500)
    await told(() => server.hello())
    await wait(500)
    expect(screen.getByText('LIVE')).toBeTruthy()
  })
  test('silence for five seconds: stale, and no writes', async () => {
    const { wait } = await ready('')
    await wait(6_000)
    expect(screen.getByText(/^STALE/)).toBeTruthy()
    expect(main().getByText(/^Data is 6 s old/)).toBeTruthy()
    expect(main().getByText('Router down').getAttribute('aria-disabled')).toBe('true')
  })
  test('[F84] after a restart of the server the gap stands in the timeline', async () => {
    const { server, told, wait } = await ready('#/timeline')
    await told(() => server.hangUp('Signalbox is stopping'))
    await wait(8_000)
    server.epoch = 'e2'
    await told(() => server.hello())
    await wait(500)
    expect(main().getAllByRole('button', { name: /no data · the source restarted/ }).length).toBeGreaterThan(
      0,
    )
  })
  test('[F86] a revoked token leaves the last data to read, says how to go on, and offers no writes', async () => {
    const { server, told, wait } = await ready('#/decisions')
    await told(() => server.hangUp('the session ended', 'unauthorised'))
    await wait(30_000)
    expect(rowsOf(decisions)).toHaveLength(2)
    expect(screen.getByRole('alert').textContent).toContain('This session ended')
    expect(screen.queryByText('Retry now')).toBeNull()
    expect(server.opened).toHaveLength(1)
  })
})

describe('a link', () => {
  test('opens the same view, filter, selection and range', async () => {
    await ready(
      '#/decisions?from=2026-01-01T02:55:00.000Z&sel=decision%3Ad1&to=2026-01-01T03:00:00.001Z&tz=utc',
      {
        'decisions.explain': () => explanation,
      },
    )
    expect(screen.getByText('FIXED RANGE')).toBeTruthy()
    expect(rowsOf(decisions)).toHaveLength(1)
    await screen.findByRole('complementary')
  })
})
