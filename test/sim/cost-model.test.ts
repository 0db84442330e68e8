import { describe, expect, test } from 'vitest'
import { present } from '../../src-main/base/assert'
import { kvBytesPerToken, prefillUs, stepCosts, stepUs } from '../../src-main/sim/cost-model'
import { findPreset, presets, withKvTokens } from '../../src-main/sim/presets'

const preset = (id: string) => present(findPreset(id), id)
const costs = (id: string) => stepCosts(preset(id))

describe('derived costs (reference C4)', () => {
  test.each([
    // id, kv bytes, c_lin µs, c_att ns, t_w ms, c_kv ns
    ['llama-3.1-8b_h100', 131_072, 29.5, 0.964, 6.0, 48.9],
    ['qwen3-32b_2xmi250', 262_144, 201.4, 6.437, 15.4, 61.6],
    ['qwen3-32b_2xh100', 262_144, 55.3, 1.766, 13.1, 52.2],
    ['codellama-13b_a100-40', 819_200, 151.5, 4.774, 19.0, 598.7],
    ['llama-3.1-70b_4xh100', 327_680, 64.9, 1.205, 15.0, 34.9],
  ])('%s', (id, kvBytes, linearUs, attentionNs, weightsMs, kvReadNs) => {
    const derived = costs(id)
    expect(kvBytesPerToken(preset(id))).toBe(kvBytes)
    // Printed to three places, some rounded up: a unit of the last place is allowed.
    expect(Math.abs(derived.linearUs - linearUs)).toBeLessThan(0.1)
    expect(derived.attentionUs * 1_000).toBeCloseTo(attentionNs, 3)
    expect(Math.abs(derived.weightsUs / 1_000 - weightsMs)).toBeLessThan(0.1)
    expect(derived.kvReadUs * 1_000).toBeCloseTo(kvReadNs, 1)
  })

  test('the table above has every preset, and each says where it comes from', () => {
    expect(presets.map(({ id }) => id)).toHaveLength(5)
    for (const { sources } of presets) expect(sources.length).toBeGreaterThan(1)
  })
})

describe('published figures', () => {
  test('7,200 tokens of a 32B model on two H100: 0.449 s, 16,050 tokens a second', () => {
    const seconds = prefillUs(costs('qwen3-32b_2xh100'), 7_200, 0) / 1e6
    expect(seconds).toBeCloseTo(0.449, 3)
    expect(7_200 / seconds).toBeGreaterThan(15_928 * 0.99)
  })

  test.each([
    // prompt, miss ms, full hit ms: C5, without the front time
    [1_024, 34, 9.0],
    [2_048, 66, 9.0],
    [4_096, 132, 9.1],
    [8_192, 277, 9.1],
    [13_700, 498, 9.2],
    [16_384, 616, 9.3],
  ])('8B on one H100, %i tokens: miss %d ms, hit %d ms (C5)', (tokens, missMs, hitMs) => {
    const table = costs('llama-3.1-8b_h100')
    expect(Math.abs(prefillUs(table, tokens, 0) / 1_000 - missMs)).toBeLessThan(0.6)
    expect(Math.abs(prefillUs(table, tokens, tokens - 16) / 1_000 - hitMs)).toBeLessThan(0.1)
  })

  test('headline 1: a hit of 13,700 tokens reaches the client after 18 ms with the front time', () => {
    const { frontUs } = preset('llama-3.1-8b_h100')
    const hit = prefillUs(costs('llama-3.1-8b_h100'), 13_700, 13_684)
    expect(Math.round((frontUs + hit) / 1_000)).toBe(18)
  })

  test('C6: full miss 2.07 s, group hit 0.26 s, decode step of 34 sequences 45 ms', () => {
    const table = costs('qwen3-32b_2xmi250')
    expect(prefillUs(table, 9_000, 0) / 1e6).toBeCloseTo(2.08, 2) // 2.07 of compute and 8 ms overhead
    expect(prefillUs(table, 9_000, 8_000) / 1e6).toBeCloseTo(0.264, 2)
    const decode = { tokens: 34, prefillPairs: 0, decodeContext: 34 * 9_500, sequences: 34 }
    expect(stepUs(table, decode) / 1_000).toBeCloseTo(45, 0)
  })

  test('attention is 14 % of the linear part at 9,000 tokens, 51 % at 32,000, twice at 128,000', () => {
    const { attentionUs, linearUs } = costs('qwen3-32b_2xmi250')
    const share = (tokens: number) => (attentionUs * tokens) / 2 / linearUs
    expect(share(9_000)).toBeCloseTo(0.14, 2)
    expect(share(32_000)).toBeCloseTo(0.51, 2)
    expect(share(128_000)).toBeCloseTo(2.0, 1)
  })
})

test('a small batch is limited by reading the weights, a large one by compute', () => {
  const table = costs('llama-3.1-8b_h100')
  const step = (tokens: number) => stepUs(table, { tokens, prefillPairs: 0, decodeContext: 0, sequences: 1 })
  expect(step(1)).toBe(step(200))
  expect(step(400)).toBeGreaterThan(step(200))
})

test('another KV size keeps everything but the capacity, and the longest context fits into it', () => {
  const small = withKvTokens(preset('llama-3.1-8b_h100'), 10_007)
  expect(small.kvTokens).toBe(10_000)
  expect(small.modelTokensMax).toBe(10_000)
  expect(stepCosts(small)).toEqual(costs('llama-3.1-8b_h100'))
})
