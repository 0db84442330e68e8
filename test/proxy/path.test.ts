import { describe, expect, test } from 'vitest'
import { chatRequest, exchange } from '../helpers/raw-client'
import { startRouter } from '../helpers/router-rig'
import {
  answerJson,
  answerStream,
  contentEvent,
  doneEvent,
  finishEvent,
  startReplica,
  usageEvent,
} from '../helpers/scripted-replica'

describe('a request through the proxy', () => {
  test('a plain answer passes byte for byte, with the headers that say where it came from', async () => {
    const replica = await startReplica((call) =>
      answerJson(call, {
        object: 'chat.completion',
        choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 8 } },
      }),
    )
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(
      rig.proxyPort,
      chatRequest(rig.proxyPort, { headers: 'x-session-id: s-1\r\n' }),
    )
    expect(reply.status).toBe(200)
    expect(reply.header('x-signalbox-replica')).toBe('r1')
    expect(reply.header('x-signalbox-attempts')).toBe('1')
    expect(reply.header('x-signalbox-reason')).toBe('ok')
    expect(reply.header('x-signalbox-request-id')).toMatch(/^sb-[0-9a-f]{4}-1$/)
    const decision = reply.header('x-signalbox-decision')
    expect(decision).toMatch(/^[0-9a-f]{4}-1$/)
    const made = await rig.made(decision)
    expect(made).toMatchObject({
      pick: 'r1',
      asked: 'proxy',
      mode: 'pick-only',
      method: 'POST',
      path: '/v1/chat/completions',
    })
    expect(made.session).toMatch(/^[0-9a-f]{32}$/)
    expect(made.reasons).toHaveLength(1)
    const { outcome } = await rig.ended(decision)
    expect(outcome).toMatchObject({
      end: 'done',
      status: 200,
      reason: 'ok',
      served: 'r1',
      rank: 0,
      attempts: 1,
      streamed: false,
      promptTokens: 12,
      outputTokens: 3,
      cachedTokens: 8,
      finish: 'stop',
    })
    expect(outcome.ttftMs).toBeGreaterThan(0)
    expect(await rig.inFlight()).toBe(0)
  })

  test('a stream passes byte for byte, and its figures are recorded', async () => {
    const words = ['one', ' two', ' three', ' four', ' five', ' six', ' seven']
    const replica = await startReplica((call) => answerStream(call, words))
    const rig = await startRouter({ replicas: [{ id: 'r1', url: replica.url }] })
    const reply = await exchange(rig.proxyPort, chatRequest(rig.proxyPort, { body: { stream: true } }))
    expect(reply.whole).toBe(true)
    expect(reply.text).toBe(
      words.map(contentEvent).join('') + finishEvent() + usageEvent(11, 7, 4) + doneEvent,
    )
    const { outcome } = await rig.ended(reply.header('x-signalbox-decision'))
    expect(outcome).toMatchObject({
      end: 'done',
      streamed: true,
      finish: 'stop',
      promptTokens: 11,
      outputTokens: 7,
      cachedTokens: 4,
      bytesOut: reply.body.length,
    })
  })
})
