import { blockTokens, type Tokens } from '../base/units'

/**
 * What one engine on one kind of machine can do: the model's shape, the machine's peaks, and the fitted figures that
 * turn peaks into speed. `cost-model.ts` makes step times of it.
 */
export interface Preset {
  readonly id: string
  /** Full name of the model, as a model hub spells it. */
  readonly model: string
  /** Weights, count. */
  readonly parameters: number
  readonly layers: number
  readonly queryHeads: number
  readonly kvHeads: number
  readonly headDim: number
  /** 16-bit peak of all cards together, FLOP/s, and the share of it that a prefill reaches (MFU). */
  readonly peakFlops: number
  readonly computeEfficiency: number
  /** Memory bandwidth of all cards together, bytes/s, and the share of it that a decode reaches. */
  readonly peakBytesPerSecond: number
  readonly bandwidthEfficiency: number
  /** Fixed launch and scheduling overhead of a step, virtual µs. */
  readonly stepOverheadUs: number
  /** Overhead of each sequence in a step, virtual µs. */
  readonly sequenceOverheadUs: number
  /** HTTP, gateway and tokenisation before a request reaches the scheduler, virtual µs. */
  readonly frontUs: number
  /** Capacity of the KV cache. */
  readonly kvTokens: Tokens
  readonly blockTokens: Tokens
  /** Token budget of one step (`max_num_batched_tokens`). */
  readonly batchTokensMax: Tokens
  /** Sequences that may run at once (`max_num_seqs`). */
  readonly sequencesMax: number
  /** Longest prompt and answer together (`max_model_len`). */
  readonly modelTokensMax: Tokens
  /** Where the figures come from. */
  readonly sources: readonly string[]
}

const fitted = 'MFU, bandwidth efficiency, step and sequence overhead, front time: fitted by us'
const llama = 'parameters, layers, heads, context: Llama 3.1 model cards (Meta, 2024)'
const qwen = 'parameters, layers, heads, native context of 32,768: Qwen3-32B model card (Alibaba, 2025)'
const h100 = 'peaks: NVIDIA H100 SXM data sheet, 989 TFLOP/s dense BF16 and 3.35 TB/s a card'
const byFormula = 'KV tokens: inferred from memory left beside the weights'

/** The five presets of the cost model, each a published set-up. */
export const presets: readonly Preset[] = [
  {
    id: 'llama-3.1-8b_h100',
    model: 'meta-llama/Llama-3.1-8B-Instruct',
    parameters: 8.03e9,
    layers: 32,
    queryHeads: 32,
    kvHeads: 8,
    headDim: 128,
    peakFlops: 989e12,
    computeEfficiency: 0.55,
    peakBytesPerSecond: 3.35e12,
    bandwidthEfficiency: 0.8,
    stepOverheadUs: 3_000,
    sequenceOverheadUs: 20,
    frontUs: 9_000,
    kvTokens: 403_000,
    blockTokens,
    batchTokensMax: 8_192,
    sequencesMax: 256,
    modelTokensMax: 131_072,
    sources: [llama, h100, byFormula, fitted],
  },
  {
    id: 'qwen3-32b_2xmi250',
    model: 'Qwen/Qwen3-32B',
    parameters: 32.8e9,
    layers: 64,
    queryHeads: 64,
    kvHeads: 8,
    headDim: 128,
    peakFlops: 724e12,
    computeEfficiency: 0.45,
    peakBytesPerSecond: 6.55e12,
    bandwidthEfficiency: 0.65,
    stepOverheadUs: 8_000,
    sequenceOverheadUs: 50,
    frontUs: 100_000,
    kvTokens: 430_000,
    blockTokens: 32,
    batchTokensMax: 65_536,
    sequencesMax: 512,
    modelTokensMax: 32_768,
    sources: [
      qwen,
      'peaks: AMD MI250 data sheet, two cards, tensor parallel over their four dies',
      'block size and limits: set-up of Moreh’s published prefix-routing run',
      byFormula,
      fitted,
    ],
  },
  {
    id: 'qwen3-32b_2xh100',
    model: 'Qwen/Qwen3-32B',
    parameters: 32.8e9,
    layers: 64,
    queryHeads: 64,
    kvHeads: 8,
    headDim: 128,
    peakFlops: 1_979e12,
    computeEfficiency: 0.6,
    peakBytesPerSecond: 6.7e12,
    bandwidthEfficiency: 0.75,
    stepOverheadUs: 5_000,
    sequenceOverheadUs: 50,
    frontUs: 250_000,
    kvTokens: 307_328,
    blockTokens,
    batchTokensMax: 8_192,
    sequencesMax: 256,
    modelTokensMax: 32_768,
    sources: [qwen, h100, 'KV tokens: published with llm-d’s 73 % capacity benchmark', fitted],
  },
  {
    id: 'codellama-13b_a100-40',
    model: 'codellama/CodeLlama-13b-Instruct-hf',
    parameters: 13e9,
    layers: 40,
    queryHeads: 40,
    kvHeads: 40,
    headDim: 128,
    peakFlops: 312e12,
    computeEfficiency: 0.55,
    peakBytesPerSecond: 1.555e12,
    bandwidthEfficiency: 0.88,
    stepOverheadUs: 2_000,
    sequenceOverheadUs: 50,
    frontUs: 12_000,
    kvTokens: 13_000,
    blockTokens,
    batchTokensMax: 2_048,
    sequencesMax: 256,
    modelTokensMax: 8_192,
    sources: [
      'parameters, layers, heads: CodeLlama model card (Meta, 2023); full multi-head attention',
      'peaks: NVIDIA A100 40 GB data sheet',
      'context and memory share: set-up of Ranvier’s published runs (February 2026)',
      byFormula,
      fitted,
    ],
  },
  {
    id: 'llama-3.1-70b_4xh100',
    model: 'meta-llama/Llama-3.1-70B-Instruct',
    parameters: 70.6e9,
    layers: 80,
    queryHeads: 64,
    kvHeads: 8,
    headDim: 128,
    peakFlops: 3_956e12,
    computeEfficiency: 0.55,
    peakBytesPerSecond: 13.4e12,
    bandwidthEfficiency: 0.7,
    stepOverheadUs: 6_000,
    sequenceOverheadUs: 50,
    frontUs: 150_000,
    kvTokens: 461_376,
    blockTokens,
    batchTokensMax: 8_192,
    sequencesMax: 256,
    modelTokensMax: 131_072,
    sources: [
      llama,
      h100,
      'KV tokens: published with llm-d’s 37 % capacity benchmark',
      `${fitted}; extrapolated, not checked by simulation`,
    ],
  },
]

/** The preset of that id, or null. */
export const findPreset = (id: string): Preset | null => presets.find((preset) => preset.id === id) ?? null

/**
 * The same engine with another KV capacity: a small cache makes eviction visible at demo load. The longest context shrinks
 * with it, since an engine refuses requests that could never fit.
 * @param kvTokens at least two blocks; cut to whole ones
 */
export function withKvTokens(preset: Preset, kvTokens: Tokens): Preset {
  const whole = Math.floor(kvTokens / preset.blockTokens) * preset.blockTokens
  return { ...preset, kvTokens: whole, modelTokensMax: Math.min(preset.modelTokensMax, whole) }
}
