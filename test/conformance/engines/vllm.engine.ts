import type { Figures, ScriptedEngine } from './scripted-engine'

const series = '{model_name="demo-8b",engine="0"}'
const histogram = (name: string, count: number) =>
  [
    `# TYPE ${name} histogram`,
    `${name}_bucket{le="0.1"} ${count}`,
    `${name}_bucket{le="+Inf"} ${count}`,
    `${name}_count ${count}`,
  ].join('\n')

/** The name of each figure: of V1, and where it differs of V0 and early V1. */
const names: Readonly<Record<keyof Figures, readonly [newest: string, older?: string]>> = {
  running: ['vllm:num_requests_running'],
  waiting: ['vllm:num_requests_waiting'],
  kvUsedRatio: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'],
  cachedPromptTokens: ['vllm:prefix_cache_hits_total', 'vllm:gpu_prefix_cache_hits_total'],
  promptTokens: ['vllm:prefix_cache_queries_total', 'vllm:gpu_prefix_cache_queries_total'],
  outputTokens: ['vllm:generation_tokens_total'],
  preemptions: ['vllm:num_preemptions_total'],
  firstTokens: ['vllm:time_to_first_token_seconds'],
  nextTokens: ['vllm:inter_token_latency_seconds', 'vllm:time_per_output_token_seconds'],
}

export default {
  namings: ['V1', 'V0 and early V1'],
  healthPath: '/health',
  figuresPath: '/metrics',
  pages(figures, naming) {
    const lines = Object.entries(figures).map(([figure, value]) => {
      const [newest, older = newest] = names[figure as keyof Figures]
      const name = naming === 'V1' ? newest : older
      return figure === 'firstTokens' || figure === 'nextTokens'
        ? histogram(name, value)
        : `${name}${series} ${value}`
    })
    return {
      '/health': '',
      '/metrics': [...lines, `vllm:cache_config_info${series} 1`, ''].join('\n'),
      '/v1/models': '{"object":"list","data":[{"id":"demo-8b","object":"model"}]}',
    }
  },
} satisfies ScriptedEngine
