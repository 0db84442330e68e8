import type { Draw } from '../../src-main/base/draw'
import { fail, type Result } from '../../src-main/base/result'
import type { Millis } from '../../src-main/base/units'
import {
  deadAfterMs,
  type FeedFrame,
  type FeedNotes,
  type Resume,
  staleAfterMs,
} from '../../src-main/contract/feed'
import { type Call, type CallTable, createPeer, type NoteTable } from '../../src-main/contract/peer'
import type { Rpc } from '../../src-main/contract/rpc'
import type { Transport } from '../../src-main/contract/transport'
import { type CallError, protocol } from '../../src-main/contract/wire'
import type { Stoppable } from '../../src-main/ports/seams/timers'
import type { PageClock } from './clock'
import { createStore, type Store } from './store'

/** Why a page no longer tries to connect by itself. */
export type EndCode = 'unauthorised' | 'replaced' | 'forbidden' | 'no-ticket' | 'used-ticket' | 'protocol'

/** A line that could not be made, or had to close. `end`: trying again would not help. */
export interface DialError {
  readonly why: string
  readonly end: EndCode | null
}
/** A line to the server. */
export interface Line {
  readonly transport: Transport
  /** After the line closed: why it may not be made again, or null. */
  ended(): EndCode | null
}
/** Makes a new line to the server; the one place that knows how is `bridge/connect.ts`. */
export type Dial = () => Promise<Result<Line, DialError>>

/** How the page stands with its server. */
export type Link =
  | { readonly phase: 'connecting' }
  | { readonly phase: 'open' }
  /** The line is open, but nothing came for five seconds: what is shown is old. */
  | { readonly phase: 'silent'; readonly sinceWallMs: Millis }
  | {
      readonly phase: 'waiting'
      readonly why: string
      readonly sinceWallMs: Millis
      /** On the page's monotonic clock. */
      readonly retryMonoMs: Millis
    }
  | { readonly phase: 'ended'; readonly end: EndCode; readonly why: string; readonly sinceWallMs: Millis }

/** What a connection needs from its page. */
export interface ConnectionOptions {
  readonly dial: Dial
  readonly clock: PageClock
  /** For the jitter of the waits. */
  readonly draw: Draw
  onFrame(frame: FeedFrame): void
  onLost(): void
  /** Where to go on from. */
  position(): Resume | null
}

/** The page's connection: made anew for as long as it makes sense to. */
export interface Connection {
  readonly link: Store<Link>
  /** Asks the server; a closed line and ten seconds without an answer come back as errors. */
  readonly call: Call<Rpc>
  start(): void
  /** Ends a wait. */
  retryNow(): void
  stop(): void
}

/** Waits between tries: doubled from the first to the longest, each shortened by up to half at random (ux.md 5.1). */
const firstWaitMs: Millis = 1_000
const longestWaitMs: Millis = 15_000
/** Longest wait for the answer to a call. */
const answerMs: Millis = 10_000
/** How often silence is looked for. */
const watchEveryMs: Millis = 500

const lostCall: CallError = {
  code: 'disconnected',
  message: 'not connected to Signalbox; this page reconnects by itself',
}

/** Makes a connection; nothing happens before `start`. */
export function createConnection(options: ConnectionOptions): Connection {
  const { clock } = options
  const link = createStore<Link>({ phase: 'connecting' })
  let current: { readonly line: Line; readonly call: Call<Rpc> } | null = null
  let heardMonoMs: Millis = clock.monoMs()
  let watch: Stoppable | null = null
  const dialler = createDialler(options, link, open)

  const hangUp = (why: string) => {
    const { line } = current ?? {}
    current = null
    line?.transport.close(why)
  }
  /** The line is gone, for whichever reason came first. */
  const lost = (line: Line, why: string, end: EndCode | null = line.ended()) => {
    if (current?.line !== line) return
    hangUp(why)
    options.onLost()
    dialler.failed({ why, end })
  }
  const call = ((name, params) =>
    current
      ? withDeadline(clock, name, current.call(name, params))
      : Promise.resolve(fail(lostCall))) as Call<Rpc>

  async function open(line: Line): Promise<void> {
    const peer = createPeer<CallTable, Rpc, NoteTable, FeedNotes>(line.transport, {
      serves: {},
      handlers: {},
      onNote: { feed: heard },
    })
    current = { line, call: peer.call }
    heardMonoMs = clock.monoMs()
    line.transport.onClose((why) => lost(line, why))
    const opened = await call('feed.open', { protocol, resume: options.position() })
    if (opened.ok) return
    lost(line, opened.error.message, opened.error.code === 'protocol' ? 'protocol' : line.ended())
  }
  function heard(frame: FeedFrame): void {
    heardMonoMs = clock.monoMs()
    dialler.succeeded()
    if (link.get().phase !== 'open') link.set({ phase: 'open' })
    options.onFrame(frame)
  }
  const listen = () => {
    const silentMs = clock.monoMs() - heardMonoMs
    if (!current) return
    if (silentMs > deadAfterMs) lost(current.line, 'nothing came for 35 s')
    else if (silentMs > staleAfterMs && link.get().phase === 'open')
      link.set({ phase: 'silent', sinceWallMs: clock.wallMs() - silentMs })
  }

  return {
    link,
    call,
    start() {
      watch ??= clock.every(watchEveryMs, listen)
      dialler.dial()
    },
    retryNow() {
      if (link.get().phase === 'waiting') dialler.dial()
    },
    stop() {
      watch?.stop()
      watch = null
      dialler.stop()
      hangUp('the page closed')
    },
  }
}

/** Tries to get a line until there is one, with growing waits between, or until that makes no sense any more. */
interface Dialler {
  dial(): void
  /** A line could not be made, or was lost. */
  failed(error: DialError): void
  /** Something came over the line: waits start small again. */
  succeeded(): void
  stop(): void
}

function createDialler(
  { dial, clock, draw }: ConnectionOptions,
  link: Store<Link>,
  onLine: (line: Line) => Promise<void>,
): Dialler {
  let attempts = 0
  let dialling = false
  let stopped = false
  let retry: Stoppable | null = null

  const failed = ({ why, end }: DialError) => {
    const before = link.get()
    if (end) return link.set({ phase: 'ended', end, why, sinceWallMs: clock.wallMs() })
    const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempts++, 10))
    const waitMs = longest / 2 + (longest / 2) * draw.unit()
    const sinceWallMs = before.phase === 'waiting' ? before.sinceWallMs : clock.wallMs()
    link.set({ phase: 'waiting', why, sinceWallMs, retryMonoMs: clock.monoMs() + waitMs })
    retry = clock.after(waitMs, () => void attempt())
  }
  async function attempt(): Promise<void> {
    if (dialling || stopped) return
    dialling = true
    retry?.stop()
    const made = await dial()
    dialling = false
    if (stopped) return made.ok ? made.value.transport.close('the page closed') : undefined
    if (made.ok) await onLine(made.value)
    else failed(made.error)
  }
  return {
    dial: () => void attempt(),
    failed,
    succeeded() {
      attempts = 0
    },
    stop() {
      stopped = true
      retry?.stop()
    },
  }
}

function withDeadline<T>(
  clock: PageClock,
  name: string,
  answer: Promise<Result<T, CallError>>,
): Promise<Result<T, CallError>> {
  return new Promise((resolve) => {
    const timer = clock.after(answerMs, () =>
      resolve(fail({ code: 'timeout', message: `${name} was not answered within ${answerMs / 1_000} s` })),
    )
    void answer.then((result) => {
      timer.stop()
      resolve(result)
    })
  })
}
