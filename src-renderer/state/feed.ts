import type { Millis } from '../../src-main/base/units'
import {
  type FeedFrame,
  type FeedLogs,
  type FeedStream,
  type FeedValues,
  logNames,
  type Resume,
  valueNames,
} from '../../src-main/contract/feed'
import {
  type FeedStores,
  type GapWhy,
  type LogStores,
  type ValueStores,
  withGap,
  withItems,
  withSnapshot,
} from './feed-stores'
import type { ServerTime } from './server-clock'

/** What a feed needs from its page. */
export interface FeedOptions {
  readonly stores: FeedStores
  readonly time: ServerTime
  /** Asks the server for a stream anew. */
  resync(stream: FeedStream): void
}

/** Takes the frames of the feed, in order, and keeps the stores true to them. */
export interface Feed {
  take(frame: FeedFrame): void
  /** The connection ended: what comes next may not follow on. */
  lost(): void
  /** Where this page is, for coming back; null before the first hello. */
  position(): Resume | null
  /** Frames of a kind this version does not know. */
  readonly unknownFrames: number
}

/** Beats that a stream waits for its snapshot before it is asked for again. */
const patienceBeats = 2

interface Track {
  /** Sequence number of the last message taken; null: nothing yet. */
  last: number | null
  /** Set while the stream waits for a snapshot: what comes meanwhile is not drawn. */
  waiting: boolean
  /** What the server said it had sent at the last beat. */
  promised: number
  /** Beats heard while waiting. */
  waited: number
}

/**
 * The client's rules (security page 12): each message is the last plus one, else the stream stops, the gap is marked and
 * the stream is asked for anew. A snapshot replaces. Nothing is ever made up in between.
 */
export function createFeed({ stores, time, resync }: FeedOptions): Feed {
  const tracks = new Map<FeedStream, Track>()
  const track = (stream: FeedStream): Track => {
    const known = tracks.get(stream)
    if (known) return known
    const fresh = { last: null, waiting: false, promised: 0, waited: 0 }
    tracks.set(stream, fresh)
    return fresh
  }
  let epoch: string | null = null
  let heardWallMs: Millis | null = null
  let lostAtWallMs: Millis | null = null
  let unknownFrames = 0

  const mark = (stream: FeedStream, why: GapWhy, fromWallMs: Millis | null) => {
    const toWallMs = time.wallMs()
    stores.gaps.set(withGap(stores.gaps.get(), { stream, why, fromWallMs: fromWallMs ?? toWallMs, toWallMs }))
  }
  const stop = (stream: FeedStream, why: GapWhy) => {
    const state = track(stream)
    if (state.waiting) return
    state.waiting = true
    mark(stream, why, heardWallMs)
    resync(stream)
  }
  /** True when the message is the next one of its stream. A message that was taken before is let go silently. */
  const follows = (stream: FeedStream, seq: number): boolean => {
    const state = track(stream)
    if (state.waiting || (state.last !== null && seq <= state.last)) return false
    if (state.last !== null && seq !== state.last + 1) {
      stop(stream, 'lost')
      return false
    }
    state.last = seq
    return true
  }

  const takers: { readonly [T in FeedFrame['t']]: (frame: Extract<FeedFrame, { t: T }>) => void } = {
    hello(frame) {
      const restarted = epoch !== null && epoch !== frame.epoch
      if (restarted) {
        for (const stream of tracks.keys()) mark(stream, 'source-restarted', lostAtWallMs ?? heardWallMs)
        tracks.clear()
        time.forget()
      }
      epoch = frame.epoch
      for (const state of tracks.values()) state.promised = 0
      time.hear(frame.clock)
    },
    items({ stream, seq, items }) {
      if (follows(stream, seq)) addItems(stores, stream, items)
    },
    value({ stream, seq, value }) {
      if (follows(stream, seq)) setValue(stores, stream, value)
    },
    snapshot(frame) {
      const state = track(frame.stream)
      // Not asked for, and further on than we were: the server no longer has what lies between.
      if (!state.waiting && state.last !== null && frame.seq > state.last && isLog(frame.stream))
        mark(frame.stream, 'beyond-kept', lostAtWallMs ?? heardWallMs)
      state.last = frame.seq
      state.waiting = false
      if (isLog(frame.stream)) replaceItems(stores, frame.stream, frame.items ?? [])
      else if (frame.value !== null) setValue(stores, frame.stream, frame.value)
    },
    gap(frame) {
      track(frame.stream).waiting = true
      mark(frame.stream, frame.why, frame.fromWallMs ?? heardWallMs)
    },
    beat(frame) {
      time.hear(frame.clock)
      for (const stream of [...logNames, ...valueNames]) {
        const state = track(stream)
        // Two beats in a row: what was sent before the last one must have arrived by now, pipes keep the order.
        if (state.last !== null && state.promised > state.last) stop(stream, 'lost')
        state.promised = frame.seqs[stream] ?? 0
        // The question or its answer was lost: ask again.
        state.waited = state.waiting ? state.waited + 1 : 0
        if (state.waited > 0 && state.waited % patienceBeats === 0) resync(stream)
      }
    },
  }

  return {
    take(frame) {
      const taker = Object.hasOwn(takers, frame.t) ? takers[frame.t] : undefined
      if (!taker) {
        unknownFrames++
        return
      }
      ;(taker as (frame: FeedFrame) => void)(frame)
      heardWallMs = time.wallMs()
      if (frame.t === 'beat') lostAtWallMs = null
    },
    lost() {
      lostAtWallMs ??= heardWallMs
      for (const state of tracks.values()) state.waiting = false
    },
    position: () => (epoch === null ? null : { epoch, seqs: lastSeqs(tracks) }),
    get unknownFrames() {
      return unknownFrames
    },
  }
}

const isLog = (stream: FeedStream): stream is keyof FeedLogs => stream in logIndex
const logIndex = Object.fromEntries(logNames.map((name) => [name, true]))

function lastSeqs(tracks: ReadonlyMap<FeedStream, Track>): Partial<Record<FeedStream, number>> {
  const seqs: Partial<Record<FeedStream, number>> = {}
  for (const [stream, { last, waiting }] of tracks) if (last !== null && !waiting) seqs[stream] = last
  return seqs
}

// The server's own items and values, whose shape the contract's types give: it is the one end that we trust.
function addItems<Name extends keyof FeedLogs>(stores: LogStores, name: Name, items: readonly unknown[]) {
  const store = stores[name]
  store.set(withItems(name, store.get(), items as readonly FeedLogs[Name][]))
}
function replaceItems<Name extends keyof FeedLogs>(stores: LogStores, name: Name, items: readonly unknown[]) {
  const store = stores[name]
  store.set(withSnapshot(name, store.get(), items as readonly FeedLogs[Name][]))
}
function setValue<Name extends keyof FeedValues>(stores: ValueStores, name: Name, value: unknown) {
  stores[name].set(value as FeedValues[Name])
}
