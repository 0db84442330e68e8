import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tokensOfBytes } from '../../src-main/base/units'
import { renderChat } from '../../src-main/domain/prompts/chat-template'
import { noFacts, readBodyFacts } from '../../src-main/proxy/openai'

const facts = (body: unknown) => readBodyFacts(Buffer.from(JSON.stringify(body)))
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => part.text ?? '').join('')
      : ''
const seeded = { seed: 20260101, numRuns: 200 }

describe('what a body tells', () => {
  const rows: readonly { name: string; body: unknown; is: object }[] = [
    { name: 'a chat', body: { model: 'm', messages: [], stream: true }, is: { model: 'm', stream: true } },
    { name: 'not streamed', body: { stream: false, model: 'a/b' }, is: { model: 'a/b', stream: false } },
    { name: 'a completion', body: { model: 'm', prompt: 'abcde' }, is: { promptTokens: 2 } },
    { name: 'prompts', body: { prompt: ['abcd', 'efgh'] }, is: { promptTokens: 2 } },
    { name: 'token numbers', body: { prompt: [1, 22, 333] }, is: { promptTokens: 3 } },
    { name: 'lists of token numbers', body: { prompt: [[1, 2], [3]] }, is: { promptTokens: 3 } },
    { name: 'an embedding', body: { input: 'abcdefgh' }, is: { promptTokens: 2 } },
    {
      name: 'words in deeper places',
      body: { x: { model: 'no', stream: true }, model: 'm' },
      is: { model: 'm', stream: false },
    },
    { name: 'an escaped model', body: { model: 'a"\n한' }, is: { model: 'a"\n한' } },
    { name: 'a list', body: [{ model: 'm' }], is: noFacts },
    { name: 'a number', body: 7, is: noFacts },
  ]
  test.each(rows)('$name', ({ body, is }) => {
    expect(facts(body)).toMatchObject(is)
  })

  test('the prompt size is that of the rendered chat', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 })
    const content = fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 3 }))
    const role = fc.constantFrom('system', 'user', 'assistant', 'tool')
    const messages = fc.array(fc.record({ role, content }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(messages, fc.boolean(), (chat, withTools) => {
        const tools = withTools ? [{ type: 'function', function: { name: 'f', parameters: {} } }] : undefined
        const plain = chat.map((each) => ({ role: each.role, text: textOf(each.content) }))
        const size = renderChat(plain, tools ? JSON.stringify(tools) : '').length
        expect(facts({ model: 'm', messages: chat, tools }).promptTokens).toBe(tokensOfBytes(size))
      }),
      seeded,
    )
  })

  test('tool calls of earlier turns count as the replica renders them', () => {
    const call = { id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
    const text = '<tool_call>\n{"name": "weather", "arguments": {"city":"Oslo"}}\n</tool_call>'
    const messages = [{ role: 'assistant', content: null, tool_calls: [call, call] }]
    const size = renderChat([{ role: 'assistant', text: `${text}\n${text}` }]).length
    expect(facts({ messages }).promptTokens).toBe(tokensOfBytes(size))
  })
})

describe('what is no body', () => {
  const body = JSON.stringify({
    model: 'model-한',
    messages: [
      { role: 'system', content: 'be\n"brief"' },
      { role: 'user', content: [{ type: 'text', text: '안녕 \ud83d\ude42' }] },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
    stream: true,
  })

  test('a body cut at every byte still tells what was before the cut', () => {
    const bytes = Buffer.from(body)
    const whole = readBodyFacts(bytes)
    for (let at = 0; at <= bytes.length; at++) {
      const { model, promptTokens } = readBodyFacts(bytes.subarray(0, at))
      expect([null, 'model-한']).toContain(model)
      expect(promptTokens ?? 0).toBeLessThanOrEqual((whole.promptTokens ?? 0) + 1)
    }
    expect(readBodyFacts(bytes.subarray(0, 30)).model).toBe('model-한')
  })

  test('what was not seen of a long body counts as prompt', () => {
    const start = Buffer.from('{"model":"m","prompt":"abcd')
    expect(readBodyFacts(start, 4_000).promptTokens).toBe(1_001)
  })

  test('random bytes and mutated bodies give facts, never a throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(), (noise, at) => {
        const mutated = Buffer.from(body)
        mutated.set(noise.subarray(0, mutated.length - (at % mutated.length)), at % mutated.length)
        for (const bytes of [noise, mutated]) expect(readBodyFacts(bytes)).toHaveProperty('model')
      }),
      seeded,
    )
  })

  const hostile = [
    { name: 'a quarter MiB of brackets', bytes: Buffer.alloc(262_144, '[') },
    { name: 'a quarter MiB of braces', bytes: Buffer.alloc(262_144, '{') },
    { name: 'a quarter MiB of escaped quotes', bytes: Buffer.from(`{"a":"${'\\"'.repeat(131_000)}`) },
    { name: 'a quarter MiB of escapes', bytes: Buffer.from(`{"prompt":"${'\\u0041'.repeat(43_000)}`) },
    { name: 'a quarter MiB of digits', bytes: Buffer.alloc(262_144, '1') },
    { name: 'lone surrogates', bytes: Buffer.from('{"model":"\\ud800","prompt":"\\udc00"}') },
    { name: 'a byte order mark', bytes: Buffer.from('\ufeff{"model":"m"}') },
    { name: 'a model of 10 KiB', bytes: Buffer.from(JSON.stringify({ model: 'm'.repeat(10_240) })) },
  ]
  test.each(hostile)('$name: read in a few milliseconds', ({ bytes }) => {
    const timesMs = Array.from({ length: 10 }, () => {
      const startMs = performance.now()
      readBodyFacts(bytes)
      return performance.now() - startMs
    })
    // 5 ms when warm; the best of ten, since the cores are shared with others
    expect(Math.min(...timesMs)).toBeLessThan(5)
  })
})
