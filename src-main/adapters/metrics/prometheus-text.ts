import { fail, ok, type Result } from '../../base/result'
import type { Bytes } from '../../base/units'
import { type Labels, readSample, type Sample } from './exposition-line'

/** Largest page that is read (security page, SR-074); the rest of a larger one is not looked at. */
export const pageMaxBytes: Bytes = 8 * 1024 * 1024
/** Most samples of one page. */
export const samplesMax = 200_000
/** Longest line, characters. */
export const lineMaxCharacters = 64 * 1024
/** How many skipped lines are named; all are counted. */
const skippedNamedMax = 20
/** Most `# TYPE` lines that are kept. */
const typesMax = 20_000

/** A line that could not be used. */
export interface SkippedLine {
  /** Counted from 1. */
  readonly line: number
  readonly why: string
}

/** A metrics page, as far as it could be read. */
export interface MetricPage {
  readonly samples: readonly Sample[]
  /** Declared type by family name. */
  readonly types: ReadonlyMap<string, string>
  /** The first skipped lines, and how many there were in all. */
  readonly skipped: readonly SkippedLine[]
  readonly skippedCount: number
  /** Why reading ended before the end of the page; null when it did not. */
  readonly cut: string | null
}

/**
 * Reads a page of the Prometheus text format or OpenMetrics: a line that cannot be used is skipped and counted, the
 * others count. Never throws, whatever the bytes are. For the strict check see `openmetrics-strict.ts`.
 */
export function readMetricPage(text: string): MetricPage {
  const page = openPage()
  const end = Math.min(text.length, pageMaxBytes)
  if (end < text.length) page.cut = `the page is larger than ${pageMaxBytes} bytes`
  let line = 0
  for (let from = 0; from < end; ) {
    const newline = text.indexOf('\n', from)
    const to = newline === -1 || newline > end ? end : newline
    line++
    if (to - from > lineMaxCharacters) skip(page, line, `longer than ${lineMaxCharacters} characters`)
    else readLine(page, line, text.slice(from, to))
    if (page.samples.length === samplesMax) {
      page.cut = `more than ${samplesMax} samples`
      break
    }
    from = to + 1
  }
  return page
}

interface OpenPage {
  readonly samples: Sample[]
  readonly types: Map<string, string>
  readonly skipped: SkippedLine[]
  skippedCount: number
  cut: string | null
  readonly seen: Set<string>
}

const openPage = (): OpenPage => ({
  samples: [],
  types: new Map(),
  skipped: [],
  skippedCount: 0,
  cut: null,
  seen: new Set(),
})

function skip(page: OpenPage, line: number, why: string): void {
  page.skippedCount++
  if (page.skipped.length < skippedNamedMax) page.skipped.push({ line, why })
}

function readLine(page: OpenPage, line: number, raw: string): void {
  const text = raw.trim()
  if (text === '') return
  if (text.startsWith('#')) return readComment(page, text)
  const sample = read(text)
  if (!sample.ok) return skip(page, line, sample.error)
  const series = seriesKey(sample.value)
  // A second value of one series at one time says that one of the two is wrong; the first stands.
  if (page.seen.has(series)) return skip(page, line, `a second value of ${sample.value.name}`)
  page.seen.add(series)
  page.samples.push(sample.value)
}

function readComment(page: OpenPage, text: string): void {
  const [, kind, name, type] = text.split(/[ \t]+/, 4)
  if (kind === 'TYPE' && name !== undefined && type !== undefined && page.types.size < typesMax)
    page.types.set(name, type)
}

function read(text: string): Result<Sample, string> {
  const sample = readSample(text, 'prometheus')
  if (sample.ok) return sample
  return readUnescaped(text) ?? sample
}

/**
 * Model names may hold quotes and braces, and not every exporter escapes them. The labels of such a line end at its last
 * brace, and each value at a quote that is followed by a comma and another label, or by the end.
 */
function readUnescaped(text: string): Result<Sample, string> | null {
  const open = text.indexOf('{')
  const close = text.lastIndexOf('}')
  if (open <= 0 || close < open) return null
  const bare = readSample(text.slice(0, open) + text.slice(close + 1), 'prometheus')
  if (!bare.ok) return null
  const labels = looseLabels(text.slice(open + 1, close))
  return labels === null ? fail('labels that cannot be told apart') : ok({ ...bare.value, labels })
}

function looseLabels(text: string): Labels | null {
  const starts = [...text.matchAll(/(?:^|",)[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)="/g)]
  if (starts.length === 0 || starts[0]?.index !== 0 || starts.length > 64) return null
  const end = text.replace(/[, \t]+$/, '')
  if (!end.endsWith('"')) return null
  const labels = new Map<string, string>()
  for (const [at, start] of starts.entries()) {
    const from = start.index + start[0].length
    const to = starts[at + 1]?.index ?? end.length - 1
    if (to < from) return null
    labels.set(start[1] as string, text.slice(from, to))
  }
  return labels
}

/** One text for one series, whatever the order of its labels. */
export function seriesKey({
  name,
  labels,
  timestamp,
}: Pick<Sample, 'name' | 'labels' | 'timestamp'>): string {
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `${name}\u0000${sorted.map(([label, value]) => `${label}\u0001${value}`).join('\u0000')}\u0000${timestamp ?? ''}`
}
