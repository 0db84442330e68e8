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

/** How far each stream was taken, and the times between which something is missing. */
interface Tracks {
  of(stream: FeedStream): Track
  all(): Iterable<readonly [FeedStream, Track]>
  clear(): void
  mark(stream: FeedStream, why: GapWhy, fromWallMs?: Millis | null): void
  /** The stream is not whole any more: it waits for a snapshot. */
  stop(stream: FeedStream, why: GapWhy): void
  /** True when the message is the next one of its stream. A message that was taken before is let go silently. */
  follows(stream: FeedStream, seq: number): boolean
  /** Something was heard just now. */
  heard(beat: boolean): void
  lost(): void
}

function createTracks({ stores, time, resync }: FeedOptions): Tracks {
  const byStream = new Map<FeedStream, Track>()
  let heardWallMs: Millis | null = null
  let lostAtWallMs: Millis | null = null
  const of = (stream: FeedStream): Track => {
    const known = byStream.get(stream)
    if (known) return known
    const fresh = { last: null, waiting: false, promised: 0, waited: 0 }
    byStream.set(stream, fresh)
    return fresh
  }
  const mark = (stream: FeedStream, why: GapWhy, fromWallMs?: Millis | null) => {
    const toWallMs = time.wallMs()
    const from = fromWallMs ?? lostAtWallMs ?? heardWallMs ?? toWallMs
    stores.gaps.set(withGap(stores.gaps.get(), { stream, why, fromWallMs: from, toWallMs }))
  }
  const stop = (stream: FeedStream, why: GapWhy) => {
    const track = of(stream)
    if (track.waiting) return
    track.waiting = true
    mark(stream, why)
    resync(stream)
  }
  return {
    of,
    all: () => byStream.entries(),
    clear: () => byStream.clear(),
    mark,
    stop,
    follows(stream, seq) {
      const track = of(stream)
      if (track.waiting || (track.last !== null && seq <= track.last)) return false
      if (track.last !== null && seq !== track.last + 1) {
        stop(stream, 'lost')
        return false
      }
      track.last = seq
      return true
    },
    heard(beat) {
      heardWallMs = time.wallMs()
      if (beat) lostAtWallMs = null
    },
    lost() {
      lostAtWallMs ??= heardWallMs
      for (const track of byStream.values()) track.waiting = false
    },
  }
}

/**
 * The client's rules (security page 12): each message is the last plus one, else the stream stops, the gap is marked and
 * the stream is asked for anew. A snapshot replaces. Nothing is ever made up in between.
 */
export function createFeed(options: FeedOptions): Feed {
  const { stores, time, resync } = options
  const tracks = createTracks(options)
  let epoch: string | null = null
  let unknownFrames = 0

  const takers: { readonly [T in FeedFrame['t']]: (frame: Extract<FeedFrame, { t: T }>) => void } = {
    hello(frame) {
      if (epoch !== null && epoch !== frame.epoch) {
        for (const [stream] of tracks.all()) tracks.mark(stream, 'source-restarted')
        tracks.clear()
        time.forget()
      }
      epoch = frame.epoch
      for (const [, track] of tracks.all()) track.promised = 0
      time.hear(frame.clock)
    },
    items({ stream, seq, items }) {
      if (tracks.follows(stream, seq)) addItems(stores, stream, items)
    },
    value({ stream, seq, value }) {
      if (tracks.follows(stream, seq)) setValue(stores, stream, value)
    },
    snapshot(frame) {
      const track = tracks.of(frame.stream)
      // Not asked for, and further on than we were: the server no longer has what lies between.
      const skipped = !track.waiting && track.last !== null && frame.seq > track.last
      if (skipped && isLog(frame.stream)) tracks.mark(frame.stream, 'beyond-kept')
      track.last = frame.seq
      track.waiting = false
      if (isLog(frame.stream)) replaceItems(stores, frame.stream, frame.items ?? [])
      else if (frame.value !== null) setValue(stores, frame.stream, frame.value)
    },
    gap(frame) {
      tracks.of(frame.stream).waiting = true
      tracks.mark(frame.stream, frame.why, frame.fromWallMs)
    },
    beat(frame) {
      time.hear(frame.clock)
      for (const stream of [...logNames, ...valueNames]) {
        const track = tracks.of(stream)
        // Two beats in a row: what was sent before the last one must have arrived by now, pipes keep the order.
        if (track.last !== null && track.promised > track.last) tracks.stop(stream, 'lost')
        track.promised = frame.seqs[stream] ?? 0
        // The question or its answer was lost: ask again.
        track.waited = track.waiting ? track.waited + 1 : 0
        if (track.waited > 0 && track.waited % patienceBeats === 0) resync(stream)
      }
    },
  }

  return {
    take(frame) {
      const taker = Object.hasOwn(takers, frame.t) ? takers[frame.t] : undefined
      if (taker) (taker as (frame: FeedFrame) => void)(frame)
      else unknownFrames++
      tracks.heard(frame.t === 'beat')
    },
    lost: () => tracks.lost(),
    position: () => (epoch === null ? null : { epoch, seqs: lastSeqs(tracks) }),
    get unknownFrames() {
      return unknownFrames
    },
  }
}

const isLog = (stream: FeedStream): stream is keyof FeedLogs => stream in logIndex
const logIndex = Object.fromEntries(logNames.map((name) => [name, true]))

function lastSeqs(tracks: Tracks): Partial<Record<FeedStream, number>> {
  const seqs: Partial<Record<FeedStream, number>> = {}
  for (const [stream, { last, waiting }] of tracks.all()) if (last !== null && !waiting) seqs[stream] = last
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
