import { expect, test } from 'vitest'
import { runThatIsOver, severityOf } from '../../src-main/domain/journal/severity'
import type { SummaryView } from '../../src-main/domain/journal/views'
import { aFleet, aReplica, aSummary, startWallMs } from '../renderer/builders'

const [well, dying, dead] = [
  aFleet([aReplica('r1'), aReplica('r2')]),
  aFleet([aReplica('r1'), aReplica('r2', {}, 'down')]),
  aFleet([aReplica('r1', {}, 'down'), aReplica('r2', {}, 'down')]),
]
const endedAgo = (ms: number) => ({
  failed: { fromWallMs: startWallMs - ms - 60_000, toWallMs: startWallMs - ms },
})

test.each([
  ['all is well', {}, well, 'ok', null],
  ['a run of failures goes on', { failingSinceWallMs: startWallMs }, dead, 'critical', 'failing'],
  ['no replica is left, and nobody asked yet', { lastRequestWallMs: null }, dead, 'critical', 'down'],
  ['one of two replicas is down', {}, dying, 'warning', 'down'],
  ['many failed', { errors: { part: 30, whole: 720 } }, well, 'critical', 'errors'],
  ['one of three failed', { errors: { part: 1, whole: 3 } }, well, 'warning', 'errors'],
  ['some failed', { errors: { part: 6, whole: 720 } }, dying, 'warning', 'errors'],
  ['one of a thousand failed', { errors: { part: 1, whole: 1_000 } }, well, 'ok', null],
  ['every client erred', { clientErrors: { part: 720, whole: 720 } }, well, 'ok', null],
  ['streams broke', { breaks: { part: 9, whole: 3_000 } }, well, 'warning', 'breaks'],
  ['one stream broke', { breaks: { part: 1, whole: 30 } }, well, 'ok', null],
  [
    'a run ended, and the last minute still holds it',
    { ...endedAgo(30_000), errors: { part: 300, whole: 720 } },
    well,
    'warning',
    'over',
  ],
  ['a run ended a while ago', endedAgo(90_000), well, 'ok', null],
  [
    'a run ended a while ago, and it fails again',
    { ...endedAgo(90_000), errors: { part: 30, whole: 720 } },
    well,
    'critical',
    'errors',
  ],
] as const)('%s', (_, own, fleet, level, by) => {
  expect(severityOf(aSummary(own as Partial<SummaryView>), fleet, startWallMs)).toEqual({ level, by })
})

test('nothing is known: nothing is said', () => {
  expect(severityOf(null, null, startWallMs)).toEqual({ level: 'ok', by: null })
  expect(severityOf(null, dying, startWallMs)).toEqual({ level: 'warning', by: 'down' })
})

test.each([
  [600_000, true],
  [600_001, false],
])('a run that ended %i ms ago is news: %s', (ms, news) => {
  expect(runThatIsOver(aSummary(endedAgo(ms)), startWallMs) !== null).toBe(news)
})
