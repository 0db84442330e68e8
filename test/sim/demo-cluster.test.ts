import { describe, expect, test } from 'vitest'
import { demoKvTokens } from '../../src-main/app/fleet/membership'
import { present } from '../../src-main/base/assert'
import { renderChat } from '../../src-main/domain/prompts/chat-template'
import { drawAnswerText, layAnswer, promptDraw } from '../../src-main/sim/answer'
import { findPreset, withKvTokens } from '../../src-main/sim/presets'
import { createReplicaModel, type ReplicaModel } from '../../src-main/sim/replica-model'
import type { Sequence } from '../../src-main/sim/sequence'
import { createWorkload, type Turn } from '../../src-main/sim/workload'

const preset = withKvTokens(present(findPreset('llama-3.1-8b_h100'), 'preset'), demoKvTokens)
const speed = 10
const replicas = 8

type Choose = (turn: Turn, nth: number) => number
const bySession: Choose = (turn, nth) => (turn.sessionId === null ? nth : turn.conversation) % replicas
const byTurn: Choose = (_, nth) => nth % replicas

/** The demo in virtual time: the same workload, model and answers that run over HTTP, on a loop of events. */
function play(choose: Choose, seconds: number) {
  const workload = createWorkload(1)
  const models = Array.from({ length: replicas }, () => createReplicaModel(preset))
  const asked = new Map<Sequence, { turn: Turn; text: string }>()
  const firstTokensMs: number[] = []
  const wallMs = (us: number) => us / 1_000 / speed

  const submit = (turn: Turn, nth: number, nowMs: number) => {
    const prompt = renderChat(turn.messages.map(({ role, content }) => ({ role, text: content })))
    const answer = layAnswer(
      prompt,
      drawAnswerText(promptDraw(prompt, 1)),
      turn.outputTokensMax,
      preset.blockTokens,
    )
    const { promptTokens, tokens, finish, blocks, text } = answer
    const model = present(models[choose(turn, nth)], 'replica')
    const request = { id: `${nth}`, promptTokens, outputTokens: tokens, finish, blocks }
    asked.set(model.submit(request, nowMs * 1_000 * speed), { turn, text })
  }
  const step = (model: ReplicaModel) => {
    for (const event of model.step().events) {
      const about = present(asked.get(event.sequence), 'what was asked')
      if (event.kind === 'token') {
        if (event.index === 0)
          firstTokensMs.push(wallMs((event.sequence.firstTokenUs ?? 0) - event.sequence.arrivedUs))
        continue
      }
      workload.answered(about.turn, about.text, wallMs(event.sequence.lastTokenUs ?? 0))
      asked.delete(event.sequence)
    }
  }
  let arrivalMs = 0
  for (let nth = 0; arrivalMs < seconds * 1_000; nth++) {
    arrivalMs += workload.gapMs(6)
    for (;;) {
      const due = models
        .map((model) => ({ model, atMs: wallMs(model.nextStepUs() ?? Number.POSITIVE_INFINITY) }))
        .reduce((first, each) => (each.atMs < first.atMs ? each : first))
      if (due.atMs > arrivalMs) break
      step(due.model)
    }
    submit(present(workload.take(arrivalMs), 'a turn'), nth, arrivalMs)
  }
  const sum = (of: 'hitTokens' | 'queriedTokens') => models.reduce((total, { stats }) => total + stats[of], 0)
  return { hitRatio: sum('hitTokens') / sum('queriedTokens'), firstTokensMs, models }
}

describe('the demo in virtual time', () => {
  const sticky = play(bySession, 300)
  const spread = play(byTurn, 300)

  test('with affinity nearly everything is found; spread over all, the cache is too small and it shows', () => {
    expect(sticky.hitRatio).toBeGreaterThan(0.85)
    expect(spread.hitRatio).toBeLessThan(0.7)
  })

  test('affinity shortens the mean time to the first token', () => {
    const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length
    expect(mean(spread.firstTokensMs) / mean(sticky.firstTokensMs)).toBeGreaterThan(1.3)
  })

  test('the same seed plays the same', () => {
    const again = play(bySession, 300)
    expect(again.firstTokensMs).toEqual(sticky.firstTokensMs)
    expect(again.models.map(({ stats }) => stats)).toEqual(sticky.models.map(({ stats }) => stats))
  })
})
