import { fail, ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import { demoHeader, type TrafficNotes, type trafficLink } from '../../contract/links'
import type { CheckedOf, Handlers } from '../../contract/peer'
import type { CallError } from '../../contract/wire'
import { sessionHeader } from '../../domain/routing/request'
import type { ChatClient, ChatFailure, ChatRequest } from '../../ports/chat-client'
import type { Clock } from '../../ports/seams/clock'
import type { Stoppable, Timers } from '../../ports/seams/timers'
import { createWorkload, type Turn, type Workload } from '../../sim/workload'
import { startArrivals } from './arrivals'

/** The demo's load: an open loop of chats through the proxy, as an outside client would send them. */
export interface Traffic {
  readonly handlers: Handlers<typeof trafficLink>
  status(): TrafficNotes['traffic.status']
  /** Sends nothing more and gives up what is under way. */
  close(): void
}

/** What traffic needs. */
export interface TrafficParts {
  readonly client: ChatClient
  readonly clock: Clock
  readonly timers: Timers
}

/** Requests under way at once. More are skipped, not queued: a queue here would hide that the cluster is late. */
const activeMax = 256
/** Longest that a request may take. */
const answerLimitMs: Millis = 120_000
type Start = CheckedOf<(typeof trafficLink)['traffic.start']>

/** Traffic that waits for `traffic.start`. */
export function createTraffic({ client, clock, timers }: TrafficParts): Traffic {
  const counted = { sent: 0, failed: 0, skipped: 0 }
  const underWay = new Set<AbortController>()
  let plan: Start | null = null
  let workload: Workload | null = null
  let arrivals: Stoppable | null = null

  async function send(turn: Turn, to: Start, from: Workload): Promise<void> {
    const own = new AbortController()
    underWay.add(own)
    counted.sent++
    const answer = await client.chat(requestOf(turn, to), answerLimitMs, own.signal)
    underWay.delete(own)
    if (answer.ok) return from.answered(turn, answer.value.text, clock.monoMs())
    counted.failed++
    from.failed(turn, clock.monoMs(), worthAsking(answer.error))
  }
  /** Takes a plan over: the next arrival is drawn anew at its rate. */
  function follow(next: Start, from: Workload): Result<null, CallError> {
    const { running, ratePerSecond } = next
    if (running && !(ratePerSecond > 0 && ratePerSecond <= rateMost)) return badRate(ratePerSecond)
    plan = next
    arrivals?.stop()
    arrivals = null
    if (!running) return ok(null)
    arrivals = startArrivals({
      clock,
      timers,
      gapMs: () => from.gapMs(ratePerSecond),
      onArrival(nowMs) {
        const turn = underWay.size < activeMax ? from.take(nowMs) : null
        if (turn) void send(turn, plan ?? next, from)
        else counted.skipped++
      },
    })
    return ok(null)
  }
  return {
    handlers: {
      async 'traffic.start'(start) {
        workload ??= createWorkload(start.seed)
        return follow(start, workload)
      },
      'traffic.set': async ({ running, ratePerSecond }) =>
        plan && workload ? follow({ ...plan, running, ratePerSecond }, workload) : notStarted,
      async 'traffic.proxy'({ proxyUrl }) {
        if (!plan) return notStarted
        plan = { ...plan, proxyUrl }
        return ok(null)
      },
    },
    status: () => ({ ...counted, active: underWay.size }),
    close() {
      arrivals?.stop()
      arrivals = null
      for (const each of underWay) each.abort()
    },
  }
}

const requestOf = (turn: Turn, { proxyUrl, model, dataPlaneKey }: Start): ChatRequest => ({
  url: proxyUrl,
  model,
  messages: turn.messages,
  outputTokensMax: turn.outputTokensMax,
  stream: turn.stream,
  headers: { [demoHeader]: '1', ...(turn.sessionId !== null && { [sessionHeader]: turn.sessionId }) },
  key: dataPlaneKey,
})

/** Highest rate that one process is trusted with, requests a second. */
const rateMost = 500

/** False when the same question would be refused again. */
const worthAsking = ({ status }: ChatFailure): boolean =>
  status === null || status < 400 || status >= 500 || status === 408 || status === 429

const badRate = (ratePerSecond: number) =>
  fail({
    code: 'bad_params',
    message: `the rate is ${ratePerSecond} requests a second; it must be above 0 and at most ${rateMost}`,
  })
const notStarted = fail({ code: 'not_started', message: 'the demo traffic has not been started' })
