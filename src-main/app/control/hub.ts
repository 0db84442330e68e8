import type { Millis } from '../../base/units'
import {
  beatEveryMs,
  type FeedFrame,
  type FeedLogs,
  type FeedStream,
  type FeedValues,
  logKeeps,
  logNames,
  type Resume,
  valueNames,
} from '../../contract/feed'
import { protocol } from '../../contract/wire'
import type { Clock } from '../../ports/seams/clock'
import type { Timers } from '../../ports/seams/timers'

/** Messages of a log that a returning screen can still be sent one by one. */
const ringMessages = 10_000
/** … and for how long they are kept. */
const ringKeepsMs: Millis = 60_000
/** A screen with more bytes than this on the way to it, or this many messages undrawn, is too slow for every message. */
const slowBytes = 4 * 1024 * 1024
const slowMessages = 2_000
/** A screen that stays too slow for this long is disconnected; it comes back with a snapshot. */
const slowForMs: Millis = 30_000

/** Where a screen's frames go. `send` is false when the pipe refused the frame. */
export interface Outlet {
  send(frame: FeedFrame): boolean
  readonly bufferedBytes: number
  close(why: string): void
}

/** One screen's subscription. */
export interface Subscription {
  open(resume: Resume | null): void
  seen(seqs: Readonly<Record<string, number>>): void
  resync(stream: FeedStream): void
  end(): void
}

/** The feed: takes what the other processes publish, hands it to every screen, keeps enough for those who come later. */
export interface Hub {
  readonly epoch: string
  items<Name extends keyof FeedLogs>(stream: Name, items: readonly FeedLogs[Name][]): void
  value<Name extends keyof FeedValues>(stream: Name, value: FeedValues[Name]): void
  /** The source of these streams restarted: what happened in between is not known. */
  gap(streams: readonly FeedStream[], fromWallMs: Millis): void
  latest<Name extends keyof FeedValues>(stream: Name): FeedValues[Name] | null
  subscribe(outlet: Outlet): Subscription
  readonly subscriptions: number
  stop(): void
}

interface Message {
  readonly seq: number
  readonly atMonoMs: Millis
  readonly frame: FeedFrame
}

interface Channel {
  seq: number
  /** The last messages of a log, oldest first; none of a value, of which only the newest counts. */
  readonly messages: Message[]
  /** What a snapshot holds: the kept items of a log, the value otherwise. */
  snapshot(): FeedFrame
}

/** @param epoch random per process: a screen that knows another epoch starts anew */
export function createHub(clock: Clock, timers: Timers, epoch: string): Hub {
  const logs = Object.fromEntries(logNames.map((name) => [name, createKept(logKeeps[name])])) as Record<
    keyof FeedLogs,
    Kept
  >
  const values: Partial<Record<keyof FeedValues, unknown>> = {}
  const channels = new Map<FeedStream, Channel>()
  const screens = new Set<Screen>()
  const channel = (stream: FeedStream): Channel => channels.get(stream) as Channel
  for (const stream of [...logNames, ...valueNames]) {
    const open: Channel = {
      seq: 0,
      messages: [],
      snapshot: () =>
        stream in logs
          ? { t: 'snapshot', stream, seq: open.seq, items: logs[stream as keyof FeedLogs].all() }
          : { t: 'snapshot', stream, seq: open.seq, value: values[stream as keyof FeedValues] ?? null },
    }
    channels.set(stream, open)
  }

  const publish = (stream: FeedStream, make: (seq: number) => FeedFrame) => {
    const to = channel(stream)
    const frame = make(++to.seq)
    if (stream in logs) to.messages.push({ seq: to.seq, atMonoMs: clock.monoMs(), frame })
    dropOld(to, clock.monoMs())
    for (const screen of screens) screen.send(stream, frame)
  }
  const times = () => ({ wallMs: clock.wallMs(), monoMs: clock.monoMs() })
  const beat = timers.every(beatEveryMs, () => {
    const seqs = Object.fromEntries([...channels].map(([stream, { seq }]) => [stream, seq])) as Record<
      FeedStream,
      number
    >
    for (const screen of screens) screen.beat({ t: 'beat', clock: times(), seqs })
  })

  return {
    epoch,
    items(stream, items) {
      if (items.length === 0) return
      logs[stream].add(items)
      publish(stream, (seq) => ({ t: 'items', stream, seq, items }))
    },
    value(stream, value) {
      values[stream] = value
      publish(stream, (seq) => ({ t: 'value', stream, seq, value }))
    },
    gap(streams, fromWallMs) {
      const toWallMs = clock.wallMs()
      for (const stream of streams) {
        channel(stream).messages.length = 0 // whoever comes back later gets a snapshot, too
        for (const screen of screens)
          screen.gap({ t: 'gap', stream, why: 'source-restarted', fromWallMs, toWallMs })
      }
    },
    latest: (stream) => (values[stream] ?? null) as never,
    subscribe(outlet) {
      const screen = createScreen(outlet, channel, clock, () => {
        screens.delete(screen)
      })
      return {
        open(resume) {
          screens.add(screen)
          outlet.send({ t: 'hello', protocol, epoch, clock: times() })
          for (const stream of channels.keys())
            screen.resume(stream, resume?.epoch === epoch ? resume.seqs[stream] : undefined)
        },
        seen: (seqs) => screen.seen(seqs),
        resync: (stream) => screen.snapshot(stream),
        end: () => void screens.delete(screen),
      }
    },
    get subscriptions() {
      return screens.size
    },
    stop() {
      beat.stop()
      screens.clear()
    },
  }
}

/** Lets go of messages that are too old or too many. */
function dropOld(channel: Channel, nowMonoMs: Millis): Channel {
  const { messages } = channel
  const young = messages.findIndex(({ atMonoMs }) => nowMonoMs - atMonoMs <= ringKeepsMs)
  const old = young < 0 ? messages.length : young
  messages.splice(0, Math.max(old, messages.length - ringMessages))
  return channel
}

interface Screen {
  send(stream: FeedStream, frame: FeedFrame): void
  beat(frame: FeedFrame): void
  gap(frame: FeedFrame & { readonly t: 'gap' }): void
  resume(stream: FeedStream, from: number | undefined): void
  snapshot(stream: FeedStream): void
  seen(seqs: Readonly<Record<string, number>>): void
}

/** One screen: sends every message while it keeps up; lets go and tells so when it does not; then starts it anew. */
function createScreen(
  outlet: Outlet,
  channel: (stream: FeedStream) => Channel,
  clock: Clock,
  leave: () => void,
): Screen {
  const drawn = new Map<string, number>()
  const missed = new Map<FeedStream, Millis>()
  let slowSince: Millis | null = null
  const undrawn = () => {
    let most = 0
    for (const [stream, seq] of drawn) most = Math.max(most, channel(stream as FeedStream).seq - seq)
    return most
  }
  const tooSlow = (part = 1) => outlet.bufferedBytes > slowBytes * part || undrawn() > slowMessages * part
  const snapshot = (stream: FeedStream) => {
    const from = missed.get(stream)
    missed.delete(stream)
    if (from !== undefined)
      outlet.send({ t: 'gap', stream, why: 'slow', fromWallMs: from, toWallMs: clock.wallMs() })
    outlet.send(channel(stream).snapshot())
  }
  const catchUp = () => {
    if (slowSince === null || tooSlow(0.5)) return
    slowSince = null
    for (const stream of [...missed.keys()]) snapshot(stream)
  }
  const giveUp = () => {
    if (slowSince === null || clock.monoMs() - slowSince < slowForMs) return
    leave()
    outlet.close('slow')
  }
  return {
    send(stream, frame) {
      if (slowSince === null && tooSlow()) slowSince = clock.monoMs()
      if (slowSince === null && outlet.send(frame)) return
      slowSince ??= clock.monoMs()
      if (!missed.has(stream)) missed.set(stream, clock.wallMs())
    },
    beat(frame) {
      catchUp()
      giveUp()
      outlet.send(frame)
    },
    gap(frame) {
      outlet.send(frame)
      snapshot(frame.stream)
    },
    resume(stream, from) {
      const { seq, messages } = dropOld(channel(stream), clock.monoMs())
      const later = from === undefined ? [] : messages.filter((message) => message.seq > from)
      const whole = from !== undefined && from <= seq && later.length === seq - from
      drawn.set(stream, from ?? seq)
      if (!whole) snapshot(stream)
      else for (const { frame } of later) outlet.send(frame)
    },
    snapshot,
    seen(seqs) {
      for (const [stream, seq] of Object.entries(seqs)) if (drawn.has(stream)) drawn.set(stream, seq)
      catchUp()
    },
  }
}

interface Kept {
  add(items: readonly unknown[]): void
  all(): unknown[]
}

/** The newest `limit` items; an item with an `id` replaces the older one of that id in its place. */
function createKept(limit: number): Kept {
  const byKey = new Map<string, unknown>()
  let counter = 0
  return {
    add(items) {
      for (const item of items) {
        const { id } = item as { readonly id?: string }
        byKey.set(id ?? `#${counter++}`, item)
        if (byKey.size > limit) byKey.delete(byKey.keys().next().value as string)
      }
    },
    all: () => [...byKey.values()],
  }
}
