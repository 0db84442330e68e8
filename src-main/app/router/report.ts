import { createBoundedQueue } from '../../base/bounded-queue'
import type { Bytes, Millis } from '../../base/units'
import type { FleetNotes, RecordNotes } from '../../contract/links'
import { createPeer, type Peer } from '../../contract/peer'
import type { Transport } from '../../contract/transport'
import type { FleetSnapshot } from '../../domain/fleet/replica'
import type { DecisionBody, DecisionEnded, DecisionMade } from '../../domain/journal/record'
import { type Decision, fallbacksOf, pickOf } from '../../domain/routing/decision'
import type { Digests } from '../../ports/seams/digests'
import type { Stoppable, Timers } from '../../ports/seams/timers'
import type { Configuration } from './configuration'
import type { Question } from './consult'

/** A decision as it waits for its record: what the reasons will be made from, when somebody has time. */
export interface PendingDecision {
  readonly id: string
  readonly question: Question
  /** Null when the deciding step gave no decision. */
  readonly decision: Decision | null
  readonly configuration: Configuration
  readonly answer: DecisionMade['answer']
  readonly fleetEpoch: number
  readonly wallMs: Millis
  readonly monoMs: Millis
  readonly consultUs: number
}

/** Decision records on their way to ingest. Nothing here is ever waited for. */
export interface Report {
  made(pending: PendingDecision): void
  ended(ended: DecisionEnded): void
  readonly dropped: number
  readonly linked: boolean
  /** Sends what waits, as far as the link takes it, and closes. */
  stop(): Promise<void>
}

/** What a report is made from. */
export interface ReportOptions {
  readonly timers: Timers
  readonly digests: Digests
  /** Opens a link to ingest; null when there is nobody. */
  readonly dial: () => Promise<Transport | null>
  /** What is said first on each new link, besides the decisions that are open. */
  readonly hello: () => Omit<RecordNotes['hello'], 'open'>
  readonly onFleet: (fleet: FleetSnapshot) => void
}

/** Pace of the batches. */
const flushEveryMs: Millis = 50
/** Pace while a backlog is worked off, so that no batch holds the event loop for long. */
const backlogEveryMs: Millis = 5
/** Records in one batch. */
const batchRecords = 256
/** Records that may wait for ingest, and their estimated size in memory. */
const waitingMaxRecords = 50_000
const waitingMaxBytes: Bytes = 16 * 1024 * 1024
/** Bytes in the link's own buffer above which no further batch is made. */
const linkBusyBytes: Bytes = 4 * 1024 * 1024
/** Rest between tries to reach ingest. */
const firstRetryMs: Millis = 100
const lastRetryMs: Millis = 2_000
/** How often, and how long, a stopping report looks whether its last bytes have left. */
const stopCheckMs: Millis = 10
const stopMaxMs: Millis = 1_000

type Waiting = { readonly made: PendingDecision } | { readonly ended: DecisionEnded }

/** A report that dials at once, and again whenever the link is lost, until it is stopped. */
export function createReport(options: ReportOptions): Report {
  const { timers } = options
  const queue = createBoundedQueue<Waiting>(waitingMaxBytes)
  const sessions = createSessionNames(options.digests)
  const open = new Set<string>()
  let link: {
    readonly transport: Transport
    readonly peer: Peer<Record<string, never>, RecordNotes>
  } | null = null
  let timer: Stoppable | null = null
  let retryMs = firstRetryMs
  let dropped = 0
  let told = 0
  let stopped = false

  const offer = (waiting: Waiting, bytes: Bytes) => {
    if (queue.size >= waitingMaxRecords || !queue.offer(waiting, bytes)) dropped++
    if (link) schedule(flushEveryMs)
  }
  const schedule = (ms: Millis) => {
    timer ??= timers.after(ms, flush)
  }
  const cancel = () => {
    timer?.stop()
    timer = null
  }
  const flush = () => {
    cancel()
    if (!link || queue.size === 0) return
    if (link.transport.bufferedBytes < linkBusyBytes) {
      const records = queue.take(batchRecords).map((waiting) => recordOf(waiting, sessions))
      const lost = dropped
      if (link.peer.note('records', { records, droppedBefore: lost - told })) told = lost
      else dropped += records.length
    }
    if (queue.size > 0) schedule(queue.size >= batchRecords ? backlogEveryMs : flushEveryMs)
  }
  const dial = () => {
    timer = null
    void options.dial().then((transport) => (transport ? linked(transport) : retry()))
  }
  const retry = () => {
    if (stopped) return
    cancel()
    timer = timers.after(retryMs, dial)
    retryMs = Math.min(2 * retryMs, lastRetryMs)
  }
  const linked = (transport: Transport) => {
    if (stopped) return transport.close('the router is stopping')
    const peer = createPeer<Record<string, never>, Record<string, never>, RecordNotes, FleetNotes>(
      transport,
      {
        serves: {},
        handlers: {},
        onNote: { fleet: ({ fleet }) => options.onFleet(fleet) },
      },
    )
    link = { transport, peer }
    retryMs = firstRetryMs
    transport.onClose(() => {
      link = null
      retry()
    })
    peer.note('hello', { ...options.hello(), open: [...open] })
    schedule(flushEveryMs)
  }
  /** Closes the link when its bytes have left, or after so many looks. */
  const sent = (looks: number): Promise<void> => {
    cancel()
    const { transport } = link ?? {}
    if (!transport) return Promise.resolve()
    if (transport.bufferedBytes > 0 && looks > 0)
      return new Promise((resolve) => {
        timer = timers.after(stopCheckMs, () => resolve(sent(looks - 1)))
      })
    transport.close('the router is stopping')
    return Promise.resolve()
  }
  dial()

  return {
    made(made) {
      if (made.question.asked === 'proxy') open.add(made.id)
      offer({ made }, madeBytes(made))
    },
    ended(ended) {
      open.delete(ended.id)
      offer({ ended }, 600)
    },
    get dropped() {
      return dropped
    },
    get linked() {
      return link !== null
    },
    stop: () => {
      stopped = true
      while (link && queue.size > 0 && link.transport.bufferedBytes < linkBusyBytes) flush()
      return sent(stopMaxMs / stopCheckMs)
    },
  }
}

/** A pending decision in memory: its own fields, and the copied in-flight column. */
const madeBytes = ({ decision }: PendingDecision): Bytes => 800 + 8 * (decision?.candidates.ids.length ?? 0)

function recordOf(waiting: Waiting, sessionName: (text: string) => string): DecisionBody {
  return 'ended' in waiting ? waiting.ended : decisionRecord(waiting.made, sessionName)
}

/** The record of a decision; its reasons are made here, from the columns that the decision saw. */
export function decisionRecord(
  { question, decision, configuration, ...rest }: PendingDecision,
  sessionName: (text: string) => string,
): DecisionMade {
  const { request } = question
  const choice = decision?.choice ?? null
  return {
    kind: 'decided',
    ...rest,
    requestId: question.requestId,
    session: request.sessionText === null ? null : sessionName(request.sessionText),
    method: question.method,
    path: question.path,
    model: request.model,
    policy: configuration.inForce,
    mode: 'pick-only',
    promptTokens: request.promptTokens,
    truncated: request.truncated,
    pick: decision ? pickOf(decision) : null,
    fallbacks: decision ? fallbacksOf(decision) : [],
    refusal: choice?.kind === 'refused' ? choice.refusal : null,
    reasons: decision ? explained(configuration, decision) : [],
    facts: choice?.facts ?? {},
    asked: question.asked,
    demo: question.demo,
  }
}

/** A policy that cannot explain itself loses its reasons, not the record. */
function explained({ policy }: Configuration, decision: Decision): DecisionMade['reasons'] {
  try {
    return policy.explain(decision)
  } catch {
    return []
  }
}

/** Keyed hashes of session ids, the last few thousand remembered: an HMAC costs more than a look-up. */
function createSessionNames(digests: Digests): (text: string) => string {
  const keep = 4_096
  let recent = new Map<string, string>()
  let older = new Map<string, string>()
  return (text) => {
    const known = recent.get(text) ?? older.get(text)
    const name = known ?? digests.keyed(text)
    if (recent.size >= keep) {
      older = recent
      recent = new Map()
    }
    recent.set(text, name)
    return name
  }
}
