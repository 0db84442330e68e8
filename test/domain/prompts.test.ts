import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockChain } from '../../src-main/domain/prompts/block-chain'
import { renderChat } from '../../src-main/domain/prompts/chat-template'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('chat template', () => {
  test('reads as a chat, each part on whole tokens', () => {
    const rendered = text(
      renderChat([
        { role: 'system', text: 'Be kind.' },
        { role: 'user', text: 'Hello' },
      ]),
    )
    expect(rendered).toBe(
      '<|system|>\n\nBe kind.<|end|>\n<|user|>\n\n\n\nHello\n\n\n<|end|>\n<|assistant|>\n\n\n',
    )
  })

  test('any text in any script fills whole tokens, and the next turn repeats turn and answer byte for byte', () => {
    const word = fc.string({ unit: 'binary', maxLength: 40 })
    fc.assert(
      fc.property(word, word, word, word, (preface, system, question, answer) => {
        const first = [
          { role: 'system', text: system },
          { role: 'user', text: question },
        ]
        const before = renderChat(first, preface)
        const after = renderChat(
          [...first, { role: 'assistant', text: answer }, { role: 'user', text: 'And then?' }],
          preface,
        )
        expect(before.length % 4).toBe(0)
        expect(after.length % 4).toBe(0)
        expect(after.subarray(0, before.length)).toEqual(before)
        const spoken = new TextEncoder().encode(answer)
        expect(after.subarray(before.length, before.length + spoken.length)).toEqual(spoken)
      }),
      { seed: 20_260_103, numRuns: 300 },
    )
  })
})

describe('block chain', () => {
  const bytes = (length: number, at = -1, value = 0) =>
    Uint8Array.from({ length }, (_, each) => (each === at ? value : each % 251))

  test.each([
    [0, 0],
    [63, 0],
    [64, 1],
    [127, 1],
    [1_280, 20],
  ])('%i bytes have %i full blocks of 16 tokens', (length, blocks) => {
    expect(blockChain(bytes(length), 16)).toHaveLength(blocks)
  })

  test('equal beginnings have equal identities, and one byte changes its block and all behind it', () => {
    const whole = blockChain(bytes(640), 16)
    expect(blockChain(bytes(320), 16)).toEqual(whole.subarray(0, 5))
    const changed = blockChain(bytes(640, 200, 255), 16)
    expect([...changed].map((hash, at) => hash === whole[at])).toEqual([
      ...[true, true, true],
      ...Array.from({ length: 7 }, () => false),
    ])
    expect(blockChain(bytes(640), 16, 1)[0]).not.toBe(whole[0])
  })

  test('identities are whole numbers, and a hundred thousand of them differ', () => {
    const seen = new Set<number>()
    for (let text = 0; text < 1_000; text++)
      for (const hash of blockChain(bytes(6_400, 0, text % 256).fill(text >> 8, 1, 2), 16)) seen.add(hash)
    expect(seen.size).toBe(100_000)
    expect([...seen].every((hash) => Number.isSafeInteger(hash))).toBe(true)
  })
})
