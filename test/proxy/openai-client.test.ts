import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { eventually } from '../helpers/eventually'
import { type RouterRig, startRouter } from '../helpers/router-rig'
import {
  answerJson,
  answerStream,
  beginStream,
  chunkOf,
  contentEvent,
  doneEvent,
  finishEvent,
  type ScriptedCall,
  startReplica,
} from '../helpers/scripted-replica'

// The official client with its default settings, two retries included, against the rows of the security page's table 7.7.
const client = (url: string) => new OpenAI({ apiKey: 'sk-test', baseURL: `${url}/v1` })
const prompt = { model: 'm', messages: [{ role: 'user' as const, content: 'hello' }] }

async function read(url: string): Promise<string> {
  let text = ''
  for await (const part of await client(url).chat.completions.create({ ...prompt, stream: true }))
    text += part.choices[0]?.delta.content ?? ''
  return text
}

const setUp = async (script: (call: ScriptedCall) => void) => {
  const replica = await startReplica(script)
  return { replica, rig: await startRouter({ replicas: [{ id: 'r1', url: replica.url }] }) }
}

describe('the official client', () => {
  test('reads the same stream through the proxy as from the replica itself', async () => {
    const { replica, rig } = await setUp((call) => answerStream(call, ['안녕', ' ', '🙂', ' world']))
    const [through, direct] = [await read(rig.proxyUrl), await read(replica.url)]
    expect(through).toBe('안녕 🙂 world')
    expect(direct).toBe(through)
  })

  test('reads the same plain answer, and finds who gave it', async () => {
    const answer = {
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    }
    const { replica, rig } = await setUp((call) => answerJson(call, answer))
    const through = await client(rig.proxyUrl).chat.completions.create(prompt).withResponse()
    expect(through.data).toMatchObject(answer)
    expect(through.response.headers.get('x-signalbox-replica')).toBe('r1')
    expect(await client(replica.url).chat.completions.create(prompt)).toMatchObject(answer)
  })

  const broken: readonly { name: string; script: (call: ScriptedCall) => void }[] = [
    {
      name: 'ends cleanly without [DONE]',
      script: (call) => {
        beginStream(call)
        call.chunk(contentEvent('a'))
        call.endChunks()
      },
    },
    {
      name: 'dies at a boundary',
      script: (call) => {
        beginStream(call)
        call.socket.write(chunkOf(contentEvent('a')), () => call.socket.destroy())
      },
    },
    {
      name: 'dies inside an event',
      script: (call) => {
        beginStream(call)
        call.socket.write(chunkOf(`${contentEvent('a')}data: {`), () => call.socket.destroy())
      },
    },
    {
      name: 'carries an error',
      script: (call) => {
        beginStream(call)
        call.chunk(`data: {"error":{"message":"x"}}\n\n${doneEvent}`)
        call.endChunks()
      },
    },
  ]
  test.each(broken)('throws when a stream $name, and does not ask again', async ({ script }) => {
    const { replica, rig } = await setUp(script)
    await expect(read(rig.proxyUrl)).rejects.toThrow()
    expect(replica.calls).toHaveLength(1)
  })

  const once: readonly { name: string; script: (call: ScriptedCall) => void; status: number }[] = [
    { name: 'reset before the answer', script: (call) => call.socket.resetAndDestroy(), status: 502 },
    { name: 'not HTTP', script: (call) => call.socket.end('nonsense\r\n'), status: 502 },
    {
      name: '500 of the replica',
      script: (call) => answerJson(call, { error: { message: 'x' } }, '500 Internal Server Error'),
      status: 500,
    },
    {
      name: '400 of the replica',
      script: (call) => answerJson(call, { error: { message: 'x' } }, '400 Bad Request'),
      status: 400,
    },
  ]
  test.each(once)('$name: one generation, no second one', async ({ script, status }) => {
    const { replica, rig } = await setUp(script)
    await expect(client(rig.proxyUrl).chat.completions.create(prompt)).rejects.toMatchObject({ status })
    expect(replica.calls).toHaveLength(1)
  })

  test('503 of a full replica may be tried again, and is', async () => {
    let answers = 0
    const { replica, rig } = await setUp((call) =>
      answers++ === 0
        ? answerJson(
            call,
            { error: { message: 'full' } },
            '503 Service Unavailable',
            'retry-after-ms: 10\r\n',
          )
        : answerStream(call),
    )
    expect(await read(rig.proxyUrl)).toBe('one two three')
    expect(replica.calls).toHaveLength(2)
  })

  test('a router fault shows as its status and code', async () => {
    const { rig } = await setUp((call) => answerStream(call))
    await rig.fault('router-unknown-replica')
    const strict = new OpenAI({ apiKey: 'x', baseURL: `${rig.proxyUrl}/v1`, maxRetries: 0 })
    await expect(strict.chat.completions.create(prompt)).rejects.toMatchObject({
      status: 503,
      code: 'unknown_replica',
    })
  })

  test('an abort reaches the replica', async () => {
    const { replica, rig } = await setUp((call) => {
      beginStream(call)
      call.chunk(contentEvent('a'))
    })
    const stream = await client(rig.proxyUrl).chat.completions.create({ ...prompt, stream: true })
    for await (const _ of stream) break // leaving the loop aborts the request
    await replica.calls[0]?.closed
    await freed(rig)
  })

  test('tool calls pass', async () => {
    const call1 = { index: 0, id: 't1', type: 'function', function: { name: 'f', arguments: '{"a"' } }
    const call2 = { index: 0, function: { arguments: ':1}' } }
    const { rig } = await setUp((call) => {
      beginStream(call)
      for (const tool of [call1, call2])
        call.chunk(
          `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { tool_calls: [tool] }, finish_reason: null }] })}\n\n`,
        )
      call.chunk(finishEvent('tool_calls') + doneEvent)
      call.endChunks()
    })
    let text = ''
    for await (const part of await client(rig.proxyUrl).chat.completions.create({ ...prompt, stream: true }))
      text += part.choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? ''
    expect(text).toBe('{"a":1}')
    await eventually(() => rig.ingest.ended[0]?.outcome.finish).toBe('tool_calls')
  })
})

const freed = (rig: RouterRig) => eventually(() => rig.inFlight()).toBe(0)
