import OpenAI from 'openai'
import { describe, expect, test, vi } from 'vitest'
import { openReplica } from '../../helpers/simulated-replica'

vi.setConfig({ testTimeout: 20_000 }) // real sockets on a machine that may be busy

const client = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 })
const model = 'demo-8b'
const question = [
  { role: 'system' as const, content: 'You are the assistant of a signal box. '.repeat(20) },
  { role: 'user' as const, content: 'When does the next train pass?' },
]
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', '°F'] },
        days: { type: 'integer', minimum: 1 },
      },
      required: ['city', 'unit', 'days'],
    },
  },
}

async function streamed(url: string, body: Partial<OpenAI.ChatCompletionCreateParamsStreaming> = {}) {
  const stream = await client(url).chat.completions.create({
    model,
    messages: question,
    ...body,
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return {
    chunks,
    content: chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''),
    argumentsText: chunks
      .map((chunk) => chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? '')
      .join(''),
    finish: chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? []),
    usage: chunks.at(-1)?.usage,
  }
}
const whole = (url: string, body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
  client(url).chat.completions.create({ model, messages: question, ...body, stream: false })

describe('chat completions with the official client', () => {
  test('streamed: role first, one event a token, the reason, the usage; the same text as in one piece', async () => {
    const { url } = await openReplica()
    const stream = await streamed(url)
    const document = await whole(url)
    expect(stream.chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(stream.content).toMatch(/^[A-Z][ -~]+\.$/)
    expect(stream.content).toBe(document.choices[0]?.message.content)
    expect(stream.finish).toEqual(['stop'])
    expect(stream.usage?.completion_tokens).toBe(stream.chunks.length - 3)
    expect(stream.usage?.completion_tokens).toBe(Math.ceil(stream.content.length / 4))
    expect(document.usage).toMatchObject({
      prompt_tokens: stream.usage?.prompt_tokens,
      completion_tokens: stream.usage?.completion_tokens,
    })
    expect(new Set(stream.chunks.map(({ id }) => id)).size).toBe(1)
  })

  test('another replica of the same seed says the same; another seed does not', async () => {
    const [first, second, other] = await Promise.all([
      openReplica({ id: 'r1' }),
      openReplica({ id: 'r2', kvTokens: 8_192 }),
      openReplica({ id: 'r1', seed: 2 }),
    ])
    const texts = await Promise.all(
      [first, second, other].map(
        async ({ url }) => (await whole(url, { temperature: 0.9 })).choices[0]?.message.content,
      ),
    )
    expect(texts[0]).toBe(texts[1])
    expect(texts[0]).not.toBe(texts[2])
  })

  test('the usage tells what was cached: nothing, then all full blocks of the prompt', async () => {
    const { url } = await openReplica()
    const first = await whole(url)
    const again = await streamed(url)
    const tokens = first.usage?.prompt_tokens ?? 0
    expect(first.usage?.prompt_tokens_details?.cached_tokens).toBe(0)
    expect(again.usage?.prompt_tokens_details?.cached_tokens).toBe(Math.floor((tokens - 1) / 16) * 16)
  })

  test('the next turn finds the whole conversation, the answer included', async () => {
    const { url } = await openReplica()
    const first = await whole(url)
    const answer = first.choices[0]?.message.content ?? ''
    const next = await whole(url, {
      messages: [...question, { role: 'assistant', content: answer }, { role: 'user', content: 'And then?' }],
    })
    const known = (first.usage?.prompt_tokens ?? 0) + (first.usage?.completion_tokens ?? 0)
    expect(next.usage?.prompt_tokens_details?.cached_tokens).toBe(Math.floor((known - 1) / 16) * 16)
  })

  test.each(['max_tokens', 'max_completion_tokens'] as const)('%s cuts, and says so', async (name) => {
    const { url } = await openReplica()
    const cut = await streamed(url, { [name]: 5 })
    expect(cut.finish).toEqual(['length'])
    expect(cut.usage?.completion_tokens).toBe(5)
    const full = await whole(url)
    expect(full.choices[0]?.message.content?.startsWith(cut.content)).toBe(true)
    expect(cut.content).toHaveLength(20)
  })

  /** A member that vLLM adds to the API and the official client does not know. */
  const vllmOnly: object = { ignore_eos: true }
  test('ignore_eos goes on to the limit, past the natural end, with the same beginning', async () => {
    const { url } = await openReplica()
    const long = await whole(url, { max_tokens: 600, ...vllmOnly })
    expect([long.choices[0]?.finish_reason, long.usage?.completion_tokens]).toEqual(['length', 600])
    const natural = (await whole(url)).choices[0]?.message.content ?? ''
    expect(natural.length).toBeLessThan(600 * 4)
    expect(long.choices[0]?.message.content?.startsWith(natural)).toBe(true)
  })

  test('a tool call, streamed and whole: the same arguments, and they satisfy the schema', async () => {
    const { url } = await openReplica()
    const stream = await streamed(url, { tools: [weather] })
    const document = await whole(url, { tools: [weather] })
    const call = document.choices[0]?.message.tool_calls?.[0]
    const first = stream.chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])[0]
    expect(first).toMatchObject({
      index: 0,
      type: 'function',
      function: { name: 'get_weather', arguments: '' },
    })
    expect(stream.finish).toEqual(['tool_calls'])
    expect(document.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
    expect(call?.type === 'function' && call.function).toEqual({
      name: 'get_weather',
      arguments: stream.argumentsText,
    })
    expect(JSON.parse(stream.argumentsText)).toEqual({
      city: expect.any(String),
      unit: expect.stringMatching(/^(celsius|°F)$/),
      days: expect.any(Number),
    })
    expect(stream.content).toBe('')
  })

  test.each([
    ['none', 'none' as const, [], 'stop'],
    ['required', 'required' as const, [], 'tool_calls'],
    ['a named one', { type: 'function' as const, function: { name: 'get_weather' } }, [], 'tool_calls'],
    [
      'auto, after a result',
      'auto' as const,
      [
        {
          role: 'assistant' as const,
          tool_calls: [
            { id: 'c1', type: 'function' as const, function: { name: 'get_weather', arguments: '{}' } },
          ],
        },
        { role: 'tool' as const, tool_call_id: 'c1', content: 'Rain.' },
      ],
      'stop',
    ],
  ])('tool choice %s', async (_, toolChoice, more, finish) => {
    const { url } = await openReplica()
    const reply = await whole(url, {
      messages: [...question, ...more],
      tools: [weather],
      tool_choice: toolChoice,
    })
    expect(reply.choices[0]?.finish_reason).toBe(finish)
  })

  test('plain completions, streamed and whole', async () => {
    const { url } = await openReplica()
    const body = { model, prompt: 'Once upon a time', max_tokens: 30 }
    const document = await client(url).completions.create(body)
    const pieces: string[] = []
    const finishes: string[] = []
    for await (const chunk of await client(url).completions.create({ ...body, stream: true })) {
      pieces.push(chunk.choices[0]?.text ?? '')
      finishes.push(...(chunk.choices[0]?.finish_reason ? [chunk.choices[0].finish_reason] : []))
    }
    expect(pieces.join('')).toBe(document.choices[0]?.text)
    expect(finishes).toEqual(['length'])
    expect(document.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 30 })
    const short = await client(url).completions.create({ model, prompt: 'Once upon a time' })
    expect(short.usage?.completion_tokens).toBe(16)
  })

  test('the model list names the model and its longest context', async () => {
    const { url } = await openReplica({ kvTokens: 20_000 })
    const [card] = (await client(url).models.list()).data
    expect(card).toMatchObject({ id: model, object: 'model', max_model_len: 20_000 })
  })
})
