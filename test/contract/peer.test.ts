import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fail, ok } from '../../src-main/base/result'
import { createTransportPair } from '../../src-main/contract/memory-transport'
import { changes, createPeer, reads } from '../../src-main/contract/peer'
import { frameMaxDepth, readFrame, withinDepth } from '../../src-main/contract/wire'

const table = {
  double: reads<number>()(z.strictObject({ of: z.number() })),
  wipe: changes<null>()(z.strictObject({})),
  breaks: reads<null>()(z.strictObject({})),
}
type Table = typeof table
type Nothing = Record<string, never>
type Notes = { readonly hello: string }

function aPair(mayOperate = true) {
  const [near, far] = createTransportPair()
  const heard: string[] = []
  const bad: string[] = []
  createPeer<Table, Nothing, Nothing, Notes>(far, {
    serves: table,
    mayOperate,
    onNote: { hello: (text) => void heard.push(text) },
    onBadFrame: (why) => void bad.push(why),
    handlers: {
      double: async ({ of }) => (of < 0 ? fail({ code: 'negative', message: 'only upwards' }) : ok(of * 2)),
      wipe: async () => ok(null),
      breaks: async () => {
        throw new Error('a bug')
      },
    },
  })
  const client = createPeer<Nothing, Table, Notes, Nothing>(near, { serves: {}, handlers: {} })
  return { client, near, heard, bad }
}

describe('a call', () => {
  test('is answered', async () => {
    expect(await aPair().client.call('double', { of: 21 })).toEqual(ok(42))
  })
  test('brings an expected failure back as a value', async () => {
    expect(await aPair().client.call('double', { of: -1 })).toEqual(
      fail({ code: 'negative', message: 'only upwards' }),
    )
  })
  test.each([
    ['an unknown member', { of: 1, also: 2 }],
    ['a wrong type', { of: 'x' }],
    ['a missing member', {}],
    ['no object at all', 7],
  ])('with %s is refused before the handler sees it', async (_name, params) => {
    const result = await aPair().client.call('double', params as never)
    expect(result).toMatchObject({ ok: false, error: { code: 'bad_params' } })
  })
  test.each(['nothing', '__proto__', 'constructor', 'toString'])(
    'of the unknown name %s is refused',
    async (name) => {
      expect(await aPair().client.call(name as 'double', { of: 1 })).toMatchObject({
        error: { code: 'no_such_call' },
      })
    },
  )
  test('that changes something is refused to those who may only look', async () => {
    const { client } = aPair(false)
    expect(await client.call('wipe', {})).toMatchObject({ error: { code: 'read_only' } })
    expect(await client.call('double', { of: 1 })).toEqual(ok(2))
  })
  test('whose handler has a bug comes back as an internal error, and the next one works', async () => {
    const { client } = aPair()
    expect(await client.call('breaks', {})).toMatchObject({ error: { code: 'internal' } })
    expect(await client.call('double', { of: 1 })).toEqual(ok(2))
  })
  test('under way when the pipe closes is told so, and a later one, too', async () => {
    const { client, near } = aPair()
    const waiting = client.call('double', { of: 1 })
    near.close('gone')
    expect(await waiting).toMatchObject({ error: { code: 'disconnected' } })
    expect(await client.call('double', { of: 1 })).toMatchObject({ error: { code: 'disconnected' } })
  })
  test('number 257 at once is refused', async () => {
    const { client } = aPair()
    const all = await Promise.all(Array.from({ length: 257 }, (_, of) => client.call('double', { of })))
    expect(all.filter(({ ok: good }) => good)).toHaveLength(256)
    expect(all[256]).toMatchObject({ error: { code: 'busy' } })
  })
})

test('a note arrives and an unknown one is ignored', async () => {
  const { client, heard } = aPair()
  client.note('hello', 'there')
  client.note('nonsense' as 'hello', 'x')
  await client.call('double', { of: 1 })
  expect(heard).toEqual(['there'])
})

describe('what is no frame closes the pipe', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { in: deep(levels - 1) })
  test.each([
    ['a number', 7],
    ['null', null],
    ['a list', []],
    ['an unknown kind', { k: 'shout', id: 1 }],
    ['a member too many', { k: 'note', name: 'hello', body: 1, extra: 1 }],
    ['an id that is no number', { k: 'call', id: '1', name: 'double', params: {} }],
    ['a negative id', { k: 'call', id: -1, name: 'double', params: {} }],
    ['a name of 65 characters', { k: 'note', name: 'n'.repeat(65), body: 1 }],
    ['nesting beyond the limit', { k: 'note', name: 'hello', body: deep(frameMaxDepth + 1) }],
  ])('%s', async (_name, frame) => {
    const { near, bad } = aPair()
    const closed = new Promise<string>((resolve) => near.onClose(resolve))
    near.send(frame)
    expect(await closed).toBe('bad frame')
    expect(bad).toHaveLength(1)
  })
  test('depth is counted, and never walked far beyond the limit', () => {
    expect(withinDepth(deep(frameMaxDepth))).toBe(true)
    expect(withinDepth(deep(frameMaxDepth + 1))).toBe(false)
    expect(withinDepth(deep(5_000))).toBe(false)
  })
  test('the four kinds are frames', () => {
    for (const frame of [
      { k: 'call', id: 0, name: 'x', params: null },
      { k: 'reply', id: 0, value: null },
      { k: 'refusal', id: 0, code: 'x', message: 'y' },
      { k: 'note', name: 'x', body: null },
    ]) {
      expect(readFrame(frame)).toEqual(frame)
    }
  })
})
