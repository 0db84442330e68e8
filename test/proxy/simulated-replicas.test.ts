import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { startRouter } from '../helpers/router-rig'
import { openReplica } from '../helpers/simulated-replica'

// The embedded fleet's own replicas behind the proxy: the same bytes of meaning through it and directly, and one measure
// of a prompt on both sides (decision D27).
const client = (url: string) => new OpenAI({ apiKey: 'sk-test', baseURL: `${url}/v1` })
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const model = 'demo-8b'
const user = (content: string) => ({ role: 'user' as const, content })
const shapes: readonly {
  name: string
  body: Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream' | 'model'>
}[] = [
  { name: 'a short chat', body: { messages: [user('hello')], max_tokens: 12 } },
  {
    name: 'a chat in Korean with a system prompt',
    body: { messages: [{ role: 'system', content: '짧게 대답해' }, user('안녕 🙂')], max_tokens: 12 },
  },
  {
    name: 'a tool call',
    body: { messages: [user('weather in Oslo?')], tools: [weather], tool_choice: 'required' },
  },
  {
    name: 'the turn after a tool call',
    body: {
      messages: [
        user('weather?'),
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'rain' },
      ],
      tools: [weather],
      max_tokens: 8,
    },
  },
]

test.each(shapes)('$name: equal through the proxy and at the replica, streamed and not', async ({ body }) => {
  const replicas = [await openReplica({ id: 'r1' }), await openReplica({ id: 'r2' })]
  const urls = replicas.map(({ url }) => url)
  const rig = await startRouter({
    replicas: urls.map((url, at) => ({ id: `r${at + 1}`, url, model })),
    policy: 'consistent-hash',
  })
  const plain = await client(rig.proxyUrl)
    .chat.completions.create({ ...body, model })
    .withResponse()
  const served = plain.response.headers.get('x-signalbox-replica')
  const direct = client(urls[served === 'r1' ? 0 : 1] as string)
  const [there] = (await direct.chat.completions.create({ ...body, model })).choices
  const [here] = plain.data.choices
  expect(said(here?.message)).toEqual(said(there?.message))
  expect(here?.finish_reason).toBe(there?.finish_reason)

  let streamed = ''
  let calls = ''
  const stream = await client(rig.proxyUrl).chat.completions.create({
    ...body,
    model,
    stream: true,
    stream_options: { include_usage: true },
  })
  for await (const part of stream) {
    streamed += part.choices[0]?.delta.content ?? ''
    calls += part.choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? ''
  }
  expect([streamed, calls]).toEqual([here?.message.content ?? '', argumentsOf(here?.message)])

  const id = plain.response.headers.get('x-signalbox-decision') ?? undefined
  const [made, { outcome }] = [await rig.made(id), await rig.ended(id)]
  expect(made.promptTokens, 'the proxy measures a prompt as the replica does').toBe(
    plain.data.usage?.prompt_tokens,
  )
  expect(outcome).toMatchObject({
    promptTokens: plain.data.usage?.prompt_tokens,
    outputTokens: plain.data.usage?.completion_tokens,
    finish: here?.finish_reason,
  })
  expect(await rig.inFlight()).toBe(0)
})

const argumentsOf = (message: OpenAI.ChatCompletionMessage | undefined): string => {
  const call = message?.tool_calls?.[0]
  return call?.type === 'function' ? call.function.arguments : ''
}
const said = (message: OpenAI.ChatCompletionMessage | undefined) => [
  message?.content ?? '',
  argumentsOf(message),
]
