import { fail, ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import { type Absence, absent, observed, type Reading } from '../../domain/fleet/reading'
import type { EngineReadings } from '../../domain/fleet/replica'
import type {
  Connector,
  ConnectorSeams,
  EngineReport,
  FleetSource,
  HttpReply,
  PollError,
} from '../../ports/fleet-source'
import { parseGuarded } from '../http/guarded-json'
import { type CounterWindow, createCounterWindow, type Growth, totalOf } from '../metrics/counter-window'
import { type Buckets, bucketsOf, countOf, histogramQuantile } from '../metrics/histogram-quantile'
import {
  countersOf,
  type EnginePage,
  enginePage,
  gaugeOf,
  type Meaning,
  speaksOf,
  vllmMetrics,
} from '../metrics/metric-aliases'
import { pageMaxBytes, readMetricPage } from '../metrics/prometheus-text'

/** Time limit of each of the requests of a read. */
const requestTimeoutMs: Millis = 1_000
/** Rates and percentiles describe this long. */
const windowMs: Millis = 60_000
/** A rate over less than this, or over less than a twelfth of its own unit, says nothing yet. */
const rateMinMs: Millis = 900
const healthMaxBytes = 64 * 1024
const modelsMaxBytes = 1024 * 1024

export default {
  id: 'vllm',
  title: 'vLLM',
  open: ({ id, url }, seams) => openVllm(`engine:${id}`, new URL(url).origin, seams),
} satisfies Connector

function openVllm(id: string, origin: string, seams: ConnectorSeams): FleetSource {
  const windows = openWindows()
  const get = (path: string, maxBytes: number, signal: AbortSignal) =>
    seams.get(origin + path, { timeoutMs: requestTimeoutMs, maxBytes, signal })
  return {
    id,
    kind: 'vllm',
    target: origin,
    async read(signal) {
      const health = whole(await get('/health', healthMaxBytes, signal), '/health')
      if (!health.ok) return health
      const [metrics, models] = await Promise.all([
        get('/metrics', pageMaxBytes, signal),
        get('/v1/models', modelsMaxBytes, signal),
      ])
      return ok(
        report(id, seams.clock.monoMs(), windows, whole(metrics, '/metrics'), whole(models, '/v1/models')),
      )
    },
    restart() {
      for (const window of Object.values(windows)) window.restart()
    },
  }
}

/** Anything but a 200 is a failure; a redirect is one, too, since it is not followed. */
function whole(reply: Result<HttpReply, PollError>, path: string): Result<Uint8Array, PollError> {
  if (!reply.ok) return reply
  const { status, body } = reply.value
  if (status === 200) return ok(body)
  const how = status >= 300 && status < 400 ? 'a redirect, which is not followed' : `status ${status}`
  return fail({ kind: 'status', message: `${path} answered with ${how}` })
}

/** Counters whose growth over the last minute is shown. */
const differenced = [
  'cachedPromptTokens',
  'promptTokens',
  'outputTokens',
  'preemptions',
  'ttftSeconds',
  'itlSeconds',
] as const satisfies readonly Meaning[]
type Differenced = (typeof differenced)[number]
type Windows = Readonly<Record<Differenced, CounterWindow>>

const openWindows = (): Windows => {
  const open = () => createCounterWindow(windowMs)
  return {
    cachedPromptTokens: open(),
    promptTokens: open(),
    outputTokens: open(),
    preemptions: open(),
    ttftSeconds: open(),
    itlSeconds: open(),
  }
}

function report(
  id: string,
  takenMonoMs: Millis,
  windows: Windows,
  metrics: Result<Uint8Array, PollError>,
  models: Result<Uint8Array, PollError>,
): EngineReport {
  const page = metrics.ok ? readPage(metrics.value) : metrics
  const started = page.ok ? gaugeOf(page.value, 'processStartSeconds') : 'never-received'
  return {
    takenMonoMs,
    readings: page.ok ? ok(readingsOf(page.value, id, takenMonoMs, windows)) : page,
    models: models.ok ? modelNames(models.value) : null,
    startedWallMs: typeof started === 'number' ? started * 1_000 : null,
    bytes: metrics.ok ? metrics.value.length : 0,
    skippedLines: page.ok ? page.value.skippedLines : 0,
  }
}

/** A page that is cut, is no metrics page, or is another program's, is thrown away whole: never half a table. */
function readPage(bytes: Uint8Array): Result<EnginePage & { readonly skippedLines: number }, PollError> {
  const bad = (why: string) =>
    fail<PollError>({ kind: 'bad-data', message: `/metrics is not usable: ${why}` })
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') return bad('it is empty')
  if (/^\s*<(!doctype|html)/i.test(text)) return bad('it is a web page, perhaps a login')
  const page = readMetricPage(text)
  if (page.samples.length === 0) return bad('there is no sample in it')
  if (page.cut !== null) return bad(page.cut)
  if (!text.endsWith('\n') && !text.endsWith('# EOF')) return bad('it ends in the middle of a line')
  if (page.skippedCount > page.samples.length) return bad(`${page.skippedCount} of its lines cannot be read`)
  const engine = enginePage(page, vllmMetrics)
  if (!speaksOf(engine))
    return fail({ kind: 'unsupported', message: '/metrics has no series that starts with vllm:' })
  return ok({ ...engine, skippedLines: page.skippedCount })
}

function readingsOf(page: EnginePage, id: string, takenMonoMs: Millis, windows: Windows): EngineReadings {
  const reading = (value: number | Absence): Reading<number> =>
    typeof value === 'number' ? observed(value, id, takenMonoMs) : absent(value, id)
  const grown = Object.fromEntries(
    differenced.map((meaning) => [meaning, grow(page, meaning, takenMonoMs, windows[meaning])]),
  ) as Record<Differenced, Grown>
  const kvUsed = gaugeOf(page, 'kvUsedRatio')
  const ttft = latency(grown.ttftSeconds)
  const itl = latency(grown.itlSeconds)
  return {
    running: reading(gaugeOf(page, 'running')),
    waiting: reading(gaugeOf(page, 'waiting')),
    maxOngoing: absent('not-exported', id), // vLLM's max_num_seqs is on no page
    kvUsedRatio: reading(typeof kvUsed === 'number' && kvUsed > 1 ? 'never-received' : kvUsed),
    cacheHitRatio: reading(partOf(grown.cachedPromptTokens, grown.promptTokens)),
    preemptionsPerMinute: reading(rate(grown.preemptions, 60_000)),
    outputTokensPerSecond: reading(rate(grown.outputTokens, 1_000)),
    ttftMsP50: reading(ttft(0.5)),
    ttftMsP99: reading(ttft(0.99)),
    itlMsP99: reading(itl(0.99)),
    latencySamples: typeof grown.ttftSeconds === 'string' ? 0 : countOf(bucketsIn(grown.ttftSeconds)),
  }
}

/** Growth of a counter, or why there is none; a histogram's bounds stand beside it. */
type Grown = (Growth & { readonly bounds: readonly number[] }) | Absence

function grow(page: EnginePage, meaning: Meaning, takenMonoMs: Millis, window: CounterWindow): Grown {
  const counters = countersOf(page, meaning)
  if (typeof counters === 'string') {
    window.restart()
    return counters
  }
  window.add(takenMonoMs, counters)
  const growth = window.growth()
  return growth === null ? 'never-received' : { ...growth, bounds: counters.bounds }
}

function rate(grown: Grown, perMs: Millis): number | Absence {
  if (typeof grown === 'string') return grown
  return grown.overMs < Math.max(rateMinMs, perMs / 12)
    ? 'never-received'
    : (totalOf(grown) * perMs) / grown.overMs
}

/** Token-weighted; without a prompt in the window there is nothing to divide. */
function partOf(part: Grown, of: Grown): number | Absence {
  if (typeof part === 'string') return part
  if (typeof of === 'string') return of
  const whole = totalOf(of)
  return whole > 0 ? Math.min(1, totalOf(part) / whole) : 'never-received'
}

const bucketsIn = (grown: Exclude<Grown, Absence>): Buckets => bucketsOf(grown.bounds, grown.by)

/** A percentile in ms; one beyond the engine's last bound is not a number that anybody knows. */
const latency =
  (grown: Grown) =>
  (q: number): number | Absence => {
    if (typeof grown === 'string') return grown
    const seconds = histogramQuantile(bucketsIn(grown), q)
    if (seconds === 'beyond') return 'not-supported'
    return seconds === null ? 'never-received' : seconds * 1_000
  }

function modelNames(body: Uint8Array): readonly string[] | null {
  const parsed = parseGuarded(new TextDecoder().decode(body))
  const list = parsed.ok ? (parsed.value as { readonly data?: unknown } | null)?.data : null
  if (!Array.isArray(list)) return null
  const ids = list.slice(0, 256).map((entry: { readonly id?: unknown } | null) => entry?.id)
  const names = ids.filter((name): name is string => typeof name === 'string')
  return names.length === 0 ? null : names.map((name) => name.slice(0, 256))
}
