import { expect, test } from 'vitest'
import { classify, isFailure } from '../../src-main/domain/routing/outcome'
import { anOutcome } from '../helpers/a-row'

test.each([
  ['went well', {}, 'ok', false],
  ['a fallback answered', { rank: 1 }, 'fallback', false],
  ['its client left', { end: 'client_left', status: 0, reason: 'client_left' }, 'client-left', false],
  ['the replica found it wrong', { status: 400, reason: 'replica_4xx' }, 'client-error', false],
  ['its model is not there', { status: 404, reason: 'replica_4xx' }, 'client-error', false],
  ['we found it wrong', { end: 'refused', status: 413, reason: 'body_too_large' }, 'client-error', false],
  [
    'its client stalled',
    { end: 'refused', status: 408, reason: 'client_body_timeout' },
    'client-error',
    false,
  ],
  [
    'its client asks too often',
    { end: 'refused', status: 429, reason: 'client_limit' },
    'client-error',
    false,
  ],
  ['the replica had no room', { status: 429, reason: 'replica_refused' }, 'replica-error', true],
  ['the replica got it too slowly', { status: 408, reason: 'replica_4xx' }, 'replica-error', true],
  [
    'the answer that it is wrong broke off',
    { end: 'broke', status: 400, reason: 'stream_truncated' },
    'broken',
    true,
  ],
  ['the replica failed', { status: 500, reason: 'replica_5xx' }, 'replica-error', true],
  [
    'the replica was silent',
    { end: 'broke', status: 504, reason: 'replica_header_timeout' },
    'timeout',
    true,
  ],
  ['its stream broke', { end: 'broke', status: 200, reason: 'stream_truncated' }, 'broken', true],
  ['no replica was there', { end: 'refused', status: 503, reason: 'no_replica' }, 'refused', true],
] as const)('a request of which %s', (_, own, standing, failure) => {
  const outcome = classify(anOutcome(own))
  expect([outcome, isFailure(outcome)]).toEqual([standing, failure])
})
