import { expect, test } from 'vitest'
import { present } from '../../src-main/base/assert'
import { createDraw } from '../../src-main/base/draw'
import { findPreset } from '../../src-main/sim/presets'
import { createReplicaModel } from '../../src-main/sim/replica-model'

// The toy check of reference C7 (b): 8 replicas, each large enough for one group of 2,048 tokens, 8 groups, 40 requests each.
const groupTokens = 2_048
const preset = {
  ...present(findPreset('llama-3.1-8b_h100'), 'preset'),
  kvTokens: groupTokens + 16, // and a block for the answer
  modelTokensMax: groupTokens + 16,
}

function hitRatio(choose: (group: number) => number): number {
  const models = Array.from({ length: 8 }, () => createReplicaModel(preset))
  const groups = createDraw(3).fork('order')
  const left = Array.from({ length: 8 }, () => 40)
  for (let nth = 0; nth < 320; nth++) {
    let group = groups.below(8)
    while (left[group] === 0) group = (group + 1) % 8
    left[group] = (left[group] ?? 0) - 1
    const blocks = Array.from({ length: groupTokens / 16 + 1 }, (_, at) => group * 1_000 + at)
    const model = present(models[choose(group)], 'replica')
    model.submit(
      { id: `${nth}`, promptTokens: groupTokens, outputTokens: 1, finish: 'stop', blocks },
      nth * 1e6,
    )
    while (model.nextStepUs() !== null) model.step()
  }
  const sum = (of: 'hitTokens' | 'queriedTokens') => models.reduce((total, { stats }) => total + stats[of], 0)
  return sum('hitTokens') / sum('queriedTokens')
}

test('affinity finds 39 of 40 prompts, but for the last block of each: .967 of the tokens', () => {
  expect(hitRatio((group) => group)).toBeCloseTo((39 / 40) * (127 / 128), 10)
})

test('random finds one in eight: .125, within what chance allows', () => {
  const draw = createDraw(4)
  expect(Math.abs(hitRatio(() => draw.below(8)) - 0.125)).toBeLessThan(0.04)
})
