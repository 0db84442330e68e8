import { describe, expect, test } from 'vitest'
import { type BannerFacts, bannersOf } from '../../../src-renderer/frame/banner-list'
import { matches } from '../../../src-renderer/frame/palette'
import { sourceChips } from '../../../src-renderer/frame/source-chips'
import { nextTheme } from '../../../src-renderer/frame/theme'
import { moveSelection } from '../../../src-renderer/state/use-keys'
import { suggestionsFor } from '../../../src-renderer/views/decisions/suggestions'
import { aFleet, aHealth, aReplica, aRow, aSummary, startWallMs } from '../builders'

const facts = (over: Partial<BannerFacts> = {}): BannerFacts => ({
  link: { phase: 'open' },
  health: aHealth(),
  summary: aSummary(),
  fleet: aFleet([aReplica('r1'), aReplica('r2')]),
  view: 'decisions',
  gaps: [],
  dismissed: new Set(),
  arrival: null,
  nowWallMs: startWallMs + 8_000,
  nowMonoMs: 1_000,
  zone: 'utc',
  ...over,
})
const waiting = {
  phase: 'waiting',
  why: 'the connection broke',
  sinceWallMs: startWallMs,
  retryMonoMs: 4_200,
} as const
const gap = {
  stream: 'seconds',
  why: 'source-restarted',
  fromWallMs: startWallMs,
  toWallMs: startWallMs + 5_000,
} as const
const storeBanner = {
  id: 'store',
  severity: 'warning',
  text: 'the store is in memory',
  sinceWallMs: 0,
} as const

const dying = aFleet([aReplica('r1'), aReplica('r2', {}, 'down')])
const failing = aSummary({
  errors: { part: 30, whole: 720 },
  failingSinceWallMs: startWallMs - 60_000,
})

describe('banners', () => {
  test.each([
    ['all is well', {}, []],
    [
      'the line is gone',
      { link: waiting },
      ['Not connected: the connection broke. Figures are those of 03:00:00. Next try in 4 s'],
    ],
    [
      'a try is under way',
      { link: waiting, nowMonoMs: 5_000 },
      ['Not connected: the connection broke. Figures are those of 03:00:00. Connecting…'],
    ],
    [
      'silence',
      { link: { phase: 'silent', sinceWallMs: startWallMs } },
      ['Data is 8 s old: figures below describe 03:00:00.'],
    ],
    ['a gap is news', { gaps: [gap] }, ['No data from 03:00:00 to 03:00:05: the source restarted.']],
    ['a gap is no news any more', { gaps: [gap], nowWallMs: startWallMs + 120_000 }, []],
    [
      'streams were lost',
      { health: aHealth({ lostStreams: 3 }) },
      ['3 streams were lost when a process ended.'],
    ],
    [
      'F73 the window crashed and is back',
      { arrival: 'restarted' },
      ['This window crashed and was opened again where it was. Requests and recording went on untouched.'],
    ],
    [
      'F73 the window keeps crashing',
      { arrival: 'safe' },
      [
        'This window crashed three times within five minutes, so charts are left out. Requests and recording went on untouched.',
      ],
    ],
    [
      'the link was used before',
      { link: { phase: 'ended', end: 'used-ticket', why: '', sinceWallMs: startWallMs } },
      [
        expect.stringContaining(
          'This link was used before, or is older than a minute. Run “npx signalbox open”',
        ),
      ],
    ],
    [
      'a fault is on',
      {
        health: aHealth({
          faults: [{ name: 'router-down', replicaId: null, sinceWallMs: startWallMs, untilWallMs: null }],
        }),
      },
      [
        'The fault router-down is on since 03:00:00: put on by hand, and ended in Overview or by “signalbox fault clear”.',
      ],
    ],
    ['requests fail', { summary: failing }, ['Requests fail since 02:59:00: 4.2 % in the last minute.']],
    [
      'some requests failed',
      { summary: aSummary({ errors: { part: 6, whole: 720 } }) },
      ['0.83 % of requests failed in the last minute.'],
    ],
    [
      'failures are over',
      { summary: aSummary({ failed: { fromWallMs: startWallMs - 60_000, toWallMs: startWallMs } }) },
      ['Requests failed until 03:00:00; over since.'],
    ],
    [
      'streams break',
      { summary: aSummary({ breaks: { part: 9, whole: 3_000 } }) },
      ['0.30 % of streams broke in the last five minutes.'],
    ],
    ['clients err', { summary: aSummary({ clientErrors: { part: 700, whole: 720 } }) }, []],
    ['a replica is down', { fleet: dying }, ['1 of 2 replicas is down.']],
    [
      'requests fail, and a replica is down',
      { fleet: dying, summary: failing },
      ['Requests fail since 02:59:00: 4.2 % in the last minute.', '1 of 2 replicas is down.'],
    ],
    [
      'of old figures nothing is said',
      { fleet: dying, summary: failing, link: { phase: 'silent', sinceWallMs: startWallMs } },
      ['Data is 8 s old: figures below describe 03:00:00.'],
    ],
    ['what was put away', { gaps: [gap], dismissed: new Set([`gap-${gap.toWallMs}`]) }, []],
  ] as const)('%s', (_, over, texts) => {
    expect(bannersOf(facts(over as Partial<BannerFacts>)).map(({ text }) => text)).toEqual(texts)
  })

  test.each([
    ['requests fail', 'decisions', { summary: failing }, [false]],
    ['requests fail, which the overview’s headline says', 'overview', { summary: failing }, [true]],
    ['a replica of two is down', 'decisions', { fleet: dying }, [true]],
    ['the only replica is down', 'decisions', { fleet: aFleet([aReplica('r1', {}, 'down')]) }, [false]],
  ] as const)('behind the bell alone: %s, on %s', (_, view, over, quiet) => {
    const banners = bannersOf(facts({ view, ...over }))
    expect(banners.map((banner) => banner.quiet === true)).toEqual(quiet)
  })

  test('the worst stands first: connection, what is broken now, what was lost, then warnings and the gaps they explain', () => {
    const health = aHealth({
      lostStreams: 1,
      banners: [storeBanner, { ...storeBanner, id: 'r', severity: 'critical', text: 'router is down' }],
    })
    const all = bannersOf(facts({ link: waiting, health, gaps: [gap] }))
    expect(all.map(({ id }) => id)).toEqual([
      'link',
      'health-r',
      'lost-1',
      'health-store',
      `gap-${gap.toWallMs}`,
    ])
  })

  test('[F86] a revoked token says how to get a new link, and offers no vain retry', () => {
    const [banner] = bannersOf(
      facts({ link: { phase: 'ended', end: 'unauthorised', why: '', sinceWallMs: 0 } }),
    )
    expect(banner?.text).toContain('npx signalbox open')
    expect([banner?.tone, banner?.action]).toEqual(['crit', null])
  })
})

describe('source chips', () => {
  test.each([
    ['requests fail', failing, 'requests failing crit'],
    ['some failed', aSummary({ errors: { part: 6, whole: 720 } }), 'requests failing warn'],
    ['clients err', aSummary({ clientErrors: { part: 700, whole: 720 } }), 'router ok'],
    ['nothing is known', null, 'router ok'],
  ])('are not calm while requests fail: %s', (_, summary, first) => {
    const [chip] = sourceChips(aHealth(), dying, summary, { phase: 'open' })
    expect(`${chip?.text} ${chip?.tone}`).toBe(first)
  })
  test('say what is not well, and nothing of what cannot be known', () => {
    const health = aHealth({ store: { state: 'memory', why: 'disk is full', path: null } })
    expect(
      sourceChips(health, dying, aSummary(), { phase: 'open' }).map(({ text, tone }) => `${text} ${tone}`),
    ).toEqual([
      'router ok',
      'ingest ok',
      'fleet ok',
      'traffic ok',
      'store memory only warn',
      'replicas 1/2, 1 down warn',
    ])
    expect(sourceChips(health, dying, failing, waiting).every(({ tone }) => tone === 'unknown')).toBe(true)
    expect(sourceChips(null, dying, failing, { phase: 'open' })).toEqual([])
    const faults = [{ name: 'replica-kill', replicaId: 'r2', sinceWallMs: 0, untilWallMs: null }] as const
    expect(sourceChips(aHealth({ faults }), dying, aSummary(), { phase: 'open' })[0]).toMatchObject({
      text: 'fault replica-kill r2',
      tone: 'crit',
    })
  })
})

describe('small parts', () => {
  test.each([
    ['Go: Decisions', 'dec', true],
    ['Go: Decisions', '>dec', true],
    ['Decisions: Filter failures', 'dff', true],
    ['Go: Overview', 'zzz', false],
  ])('palette: %s for %s', (title, search, found) => expect(matches(title, search) > 0).toBe(found))
  test('the nearer match wins', () => {
    expect(matches('Go: Decisions', 'dec')).toBeGreaterThan(
      matches('Decisions of the day: every choice', 'dyc'),
    )
  })
  test('themes go round', () => {
    expect([nextTheme(null), nextTheme('dark'), nextTheme('light')]).toEqual(['dark', 'light', null])
  })
  test.each([
    ['down from none: the first', null, 1, 'a'],
    ['up from none: the last', null, -1, 'c'],
    ['down', 'a', 1, 'b'],
    ['no further than the end', 'c', 1, 'c'],
    ['one that left: the first', 'x', 1, 'a'],
  ] as const)('selection: %s', (_, selected, step, expected) => {
    expect(moveSelection(['a', 'b', 'c'], (row) => row, selected, step)).toBe(expected)
  })
  test('the filter suggests fields, then values by how many rows have them', () => {
    const rows = [aRow('a', { pick: 'r1' }), aRow('b', { pick: 'r2' }), aRow('c', { pick: 'r2' })]
    expect(suggestionsFor('-outc', rows).map(({ text }) => text)).toEqual(['-outcome:'])
    expect(suggestionsFor('ttft>5 pick:', rows).map(({ text, hint }) => `${text} ${hint}`)).toEqual([
      'ttft>5 pick:r2 2 rows',
      'ttft>5 pick:r1 1 rows',
    ])
    expect(suggestionsFor('', rows)).toEqual([])
  })
})
