import type { Tokens } from '../base/units'
import type { Preset } from './presets'

/** Microseconds of the engine's own, virtual time. */
export type Micros = number

/**
 * What each kind of work in a step costs, virtual µs. Left out on purpose: speculative decoding, padding of CUDA graphs,
 * growth of tensor-parallel communication, multimodal encoders, LoRA switching and restarts.
 */
export interface StepCosts {
  /** Launch and scheduling, per step. */
  readonly overheadUs: Micros
  /** Linear layers, per token: 2·P / F. */
  readonly linearUs: Micros
  /** Reading all weights once, per step: the roofline's other side. Weights are 16 bit: 2·P / BW. */
  readonly weightsUs: Micros
  /** Attention of prefill, per new token and token before it: 4 · layers · heads · head_dim / F. */
  readonly attentionUs: Micros
  /** Reading KV during decode, per token of context: kv_bytes / BW. */
  readonly kvReadUs: Micros
  readonly sequenceUs: Micros
}

/** What one step has to compute. */
export interface StepWork {
  /** All tokens that are computed. */
  readonly tokens: Tokens
  /** Sum over prefilling sequences of n · (context before + n/2). */
  readonly prefillPairs: number
  /** Sum of the contexts of decoding sequences. */
  readonly decodeContext: Tokens
  readonly sequences: number
}

/** KV bytes of one token: keys and values, all layers, 16 bit. */
export const kvBytesPerToken = (preset: Preset): number =>
  2 * preset.layers * preset.kvHeads * preset.headDim * 2

/** The cost table of a preset. */
export function stepCosts(preset: Preset): StepCosts {
  const flopsPerUs = (preset.peakFlops * preset.computeEfficiency) / 1e6
  const bytesPerUs = (preset.peakBytesPerSecond * preset.bandwidthEfficiency) / 1e6
  return {
    overheadUs: preset.stepOverheadUs,
    linearUs: (2 * preset.parameters) / flopsPerUs,
    weightsUs: (2 * preset.parameters) / bytesPerUs,
    attentionUs: (4 * preset.layers * preset.queryHeads * preset.headDim) / flopsPerUs,
    kvReadUs: kvBytesPerToken(preset) / bytesPerUs,
    sequenceUs: preset.sequenceOverheadUs,
  }
}

/**
 * Length of one engine step, whole virtual µs, at least 1. A small batch is limited by reading the weights, a prefill by
 * compute: hence the `max`.
 */
export function stepUs(costs: StepCosts, work: StepWork): Micros {
  const us =
    costs.overheadUs +
    Math.max(costs.linearUs * work.tokens, costs.weightsUs) +
    costs.attentionUs * work.prefillPairs +
    costs.kvReadUs * work.decodeContext +
    costs.sequenceUs * work.sequences
  return Math.max(1, Math.round(us))
}

/** Engine time of a prompt that runs alone in one step, `cached` of its tokens being in the cache, virtual µs. */
export function prefillUs(costs: StepCosts, prompt: Tokens, cached: Tokens): Micros {
  const tokens = prompt - cached
  return stepUs(costs, {
    tokens,
    prefillPairs: tokens * (cached + tokens / 2),
    decodeContext: 0,
    sequences: 1,
  })
}
