import { describe, expect, test } from 'vitest'
import { frameMaxDepth, readFrame, withinDepth } from '../../src-main/contract/wire'

const frames = [
  ['a call', { k: 'call', id: 0, name: 'status.read', params: {} }],
  ['a call whose parameters were dropped by JSON', { k: 'call', id: 7, name: 'status.read' }],
  ['a reply', { k: 'reply', id: 1, value: null }],
  ['a refusal', { k: 'refusal', id: 1, code: 'busy', message: 'try again' }],
  ['a note', { k: 'note', name: 'feed', body: { t: 'beat' } }],
] as const

const nothings = [
  ['null', null],
  ['a text', 'call'],
  ['a list', [{ k: 'note', name: 'feed', body: 1 }]],
  ['no kind', { id: 1, value: 1 }],
  ['an unknown kind', { k: 'shout', id: 1 }],
  ['a kind from the prototype', { k: 'constructor', id: 1 }],
  ['a negative id', { k: 'reply', id: -1, value: 1 }],
  ['a fractional id', { k: 'reply', id: 1.5, value: 1 }],
  ['an id as text', { k: 'reply', id: '1', value: 1 }],
  ['a name that is too long', { k: 'note', name: 'n'.repeat(65), body: 1 }],
  ['one member too many', { k: 'note', name: 'feed', body: 1, token: 'x' }],
  ['a refusal without words', { k: 'refusal', id: 1, code: 'busy' }],
] as const

describe('reading a frame', () => {
  test.each(frames)('%s is one', (_, raw) => expect(readFrame(raw)).toBe(raw))
  test.each(nothings)('%s is none', (_, raw) => expect(readFrame(raw)).toBeNull())
})

test('depth is counted to the limit and not beyond', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) })
  expect(withinDepth(nested(frameMaxDepth))).toBe(true)
  expect(withinDepth(nested(frameMaxDepth + 1))).toBe(false)
})
