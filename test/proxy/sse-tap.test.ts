import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseTap, type SseFacts } from '../../src-main/proxy/sse-tap'
import { contentEvent, doneEvent, finishEvent, usageEvent } from '../helpers/scripted-replica'

const roleEvent = 'data: {"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n'

/** Reads pieces that come 10 ms apart. */
function read(pieces: readonly (string | Buffer)[], lineMax = 65_536, eventMax = 1_048_576) {
  const tap = createSseTap(lineMax, eventMax)
  const boundaries = pieces.map((piece, at) => {
    tap.read(Buffer.from(piece), 10 * (at + 1))
    return tap.atBoundary
  })
  const { sawDone } = tap
  return { boundaries, sawDone, facts: tap.close() }
}

describe('what an event stream was', () => {
  const rows: readonly { name: string; pieces: readonly string[]; is: Partial<SseFacts> }[] = [
    {
      name: 'a chat with usage',
      pieces: [
        roleEvent,
        contentEvent('a'),
        contentEvent('b'),
        finishEvent(),
        usageEvent(7, 2, 3),
        doneEvent,
      ],
      is: {
        terminal: true,
        firstContentMonoMs: 20,
        contentEvents: 2,
        finish: 'stop',
        promptTokens: 7,
        outputTokens: 2,
        cachedTokens: 3,
      },
    },
    {
      name: 'no usage: content events are counted',
      pieces: [roleEvent, ...'abcdefgh'.split('').map(contentEvent), finishEvent('length'), doneEvent],
      is: { contentEvents: 8, outputTokens: 8, finish: 'length', cachedTokens: null, promptTokens: null },
    },
    {
      name: 'tool calls are content',
      pieces: [
        'data: {"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}\n\n',
        finishEvent('tool_calls'),
        doneEvent,
      ],
      is: { contentEvents: 1, firstContentMonoMs: 10, finish: 'tool_calls' },
    },
    {
      name: 'reasoning is content',
      pieces: ['data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}\n\n', doneEvent],
      is: { contentEvents: 1 },
    },
    {
      name: 'a plain completion',
      pieces: [
        'data: {"choices":[{"text":"a","finish_reason":null}]}\n\n',
        'data: {"choices":[{"text":"b","finish_reason":"stop"}]}\n\n',
      ],
      is: { contentEvents: 2, finish: 'stop', terminal: true },
    },
    {
      name: 'the Responses API',
      pieces: [
        'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"a"}\n\n',
        'event: response.completed\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":5,"output_tokens":1,"input_tokens_details":{"cached_tokens":2}}}}\n\n',
      ],
      is: { terminal: true, contentEvents: 1, promptTokens: 5, outputTokens: 1, cachedTokens: 2 },
    },
    {
      name: 'an error object',
      pieces: ['data: {"error":{"code":"context_length"}}\n\n'],
      is: { errorCode: 'context_length', terminal: true },
    },
    {
      name: 'comments only',
      pieces: [': ping\n\n', ': ping\n\n'],
      is: { terminal: false, contentEvents: 0, outputTokens: null },
    },
    { name: 'nothing', pieces: [], is: { terminal: false, firstContentMonoMs: null } },
    {
      name: 'no terminal event',
      pieces: [contentEvent('a'), contentEvent('b')],
      is: { terminal: false, contentEvents: 2 },
    },
    {
      name: 'CRLF line ends',
      pieces: [contentEvent('a').replaceAll('\n', '\r\n'), 'data: [DONE]\r\n\r\n'],
      is: { terminal: true, contentEvents: 1 },
    },
    {
      name: 'no blank after the colon',
      pieces: ['data:{"choices":[{"delta":{"content":"a"}}]}\n\n', 'data:[DONE]\n\n'],
      is: { terminal: true, contentEvents: 1 },
    },
    {
      name: 'data of two lines',
      pieces: ['data: {"choices":\ndata: [{"delta":{"content":"a"}}]}\n\n'],
      is: { contentEvents: 1 },
    },
    { name: 'not JSON', pieces: ['data: hello\n\n', doneEvent], is: { contentEvents: 1, terminal: true } },
  ]
  test.each(rows)('$name', ({ pieces, is }) => {
    expect(read(pieces).facts).toMatchObject(is)
  })

  test('gaps between content events: those of finish and usage do not count', () => {
    const words = 'abcdefghijkl'.split('').map(contentEvent)
    const { facts } = read([
      roleEvent,
      ...words,
      ': ping\n\n',
      finishEvent(),
      usageEvent(1, 12, 0),
      doneEvent,
    ])
    expect(facts.itlMsMax).toBe(10)
    expect(facts.itlMsP50).toBeCloseTo(10, 0)
  })

  test('the same bytes give the same facts, however they are cut', () => {
    const words = ['한', 'b\n', '🙂', 'd', 'e', 'f', 'g'].map(contentEvent)
    const bytes = Buffer.from(
      [roleEvent, ...words, ': ping\n\n', finishEvent(), usageEvent(9, 7, 1), doneEvent].join(''),
    )
    const {
      itlMsP50: _p50,
      itlMsMax: _max,
      itlGaps: _gaps,
      firstContentMonoMs: _first,
      ...expected
    } = read([bytes.toString()]).facts
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const { facts, sawDone } = read(at.slice(1).map((to, index) => bytes.subarray(at[index], to)))
        expect(facts).toMatchObject(expected)
        expect(sawDone).toBe(true)
      }),
      { seed: 20260101, numRuns: 200 },
    )
  })
})

describe('where an event may be added', () => {
  const rows = [
    { name: 'after an event', pieces: ['data: a\n\n'], at: [true] },
    { name: 'inside a line', pieces: ['data: a'], at: [false] },
    { name: 'after the line, before the blank one', pieces: ['data: a\n'], at: [false] },
    { name: 'when the blank line comes later', pieces: ['data: a\n', '\n'], at: [false, true] },
    { name: 'in the middle of CRLF', pieces: ['data: a\r\n\r', '\n'], at: [false, true] },
    { name: 'after a comment', pieces: [': ping\n\n'], at: [true] },
    { name: 'between two events of which one is open', pieces: ['data: a\n\ndata: b'], at: [false] },
  ]
  test.each(rows)('$name', ({ pieces, at }) => {
    expect(read(pieces).boundaries).toEqual(at)
  })
})

describe('limits of the copy', () => {
  test('a line beyond the limit is passed over and counted; reading goes on after it', () => {
    const long = `data: ${'x'.repeat(200)}`
    const { facts, boundaries } = read(
      [long.slice(0, 150), long.slice(150), '\n\n', contentEvent('a'), doneEvent],
      100,
    )
    expect(facts).toMatchObject({ unparsed: 1, contentEvents: 2, terminal: true })
    expect(boundaries).toEqual([false, false, true, true, true])
  })

  test('an event beyond the limit, in many lines', () => {
    const { facts } = read([`${'data: 0123456789\n'.repeat(20)}\n`, contentEvent('a'), doneEvent], 100, 150)
    expect(facts).toMatchObject({ unparsed: 1, contentEvents: 2, terminal: true })
  })

  test('a mebibyte in pieces of one byte is read in linear time', () => {
    const bytes = Buffer.alloc(65_000, 'data: x')
    const tap = createSseTap(65_536, 1_048_576)
    const startMs = performance.now()
    for (let at = 0; at < bytes.length; at++) tap.read(bytes.subarray(at, at + 1), at)
    tap.read(Buffer.from('\n\n'), 1)
    expect(performance.now() - startMs).toBeLessThan(500)
    expect(tap.atBoundary).toBe(true)
  })

  test('random bytes give facts, never a throw', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 10 }), (pieces) => {
        expect(
          read(
            pieces.map((piece) => Buffer.from(piece)),
            50,
            100,
          ).facts,
        ).toHaveProperty('terminal')
      }),
      { seed: 20260101, numRuns: 300 },
    )
  })
})
