/** Label names and values of one series. */
export type Labels = Readonly<Record<string, string>>

/** A cumulative histogram in the making. */
export interface Histogram {
  observe(value: number): void
  /** Counts of values up to each bound, then of all. */
  readonly cumulative: readonly number[]
  readonly bounds: readonly number[]
  readonly sum: number
  readonly count: number
}

/** An empty histogram. @param bounds ascending upper bounds, without infinity */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  let count = 0
  return {
    observe(value) {
      let at = 0
      while (at < bounds.length && value > (bounds[at] as number)) at++
      counts[at] = (counts[at] as number) + 1
      sum += value
      count++
    },
    get cumulative() {
      let total = 0
      return counts.map((each) => {
        total += each
        return total
      })
    },
    bounds,
    get sum() {
      return sum
    },
    get count() {
      return count
    },
  }
}

/** The bounds 1, 2, 5, 10, 20, 50 … up to a limit: vLLM's buckets for token counts. */
export function bounds125(limit: number): number[] {
  const bounds: number[] = []
  for (let power = 1; ; power *= 10)
    for (const mantissa of [1, 2, 5]) {
      if (mantissa * power > limit) return bounds
      bounds.push(mantissa * power)
    }
}

/** Writes metric families in the Prometheus text format, version 0.0.4, as the Python client does. */
export interface PrometheusWriter {
  gauge(name: string, help: string, series: readonly (readonly [Labels, number])[]): void
  /** `name` without `_total`; writes `_created` beside it, seconds since 1970. */
  counter(name: string, help: string, series: readonly (readonly [Labels, number])[], created: number): void
  histogram(name: string, help: string, labels: Labels, histogram: Histogram, created: number): void
  text(): string
}

/** A writer that holds no text yet. */
export function createPrometheusWriter(): PrometheusWriter {
  const lines: string[] = []
  const head = (name: string, help: string, type: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
  const line = (name: string, labels: Labels, value: number) =>
    lines.push(`${name}${labelText(labels)} ${valueText(value)}`)
  return {
    gauge(name, help, series) {
      head(name, help, 'gauge')
      for (const [labels, value] of series) line(name, labels, value)
    },
    counter(name, help, series, created) {
      head(`${name}_total`, help, 'counter')
      for (const [labels, value] of series) line(`${name}_total`, labels, value)
      head(`${name}_created`, help, 'gauge')
      for (const [labels] of series) line(`${name}_created`, labels, created)
    },
    histogram(name, help, labels, { bounds, cumulative, sum, count }, created) {
      head(name, help, 'histogram')
      for (const [at, bound] of bounds.entries())
        line(`${name}_bucket`, { ...labels, le: valueText(bound) }, cumulative[at] as number)
      line(`${name}_bucket`, { ...labels, le: '+Inf' }, count)
      line(`${name}_count`, labels, count)
      line(`${name}_sum`, labels, sum)
      head(`${name}_created`, help, 'gauge')
      line(`${name}_created`, labels, created)
    },
    text: () => `${lines.join('\n')}\n`,
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string) =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** Python's way: whole numbers carry a `.0`. */
function valueText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : `${value}`
}
