import type { Millis } from '../../src-main/base/units'
import { type FeedLogs, type FeedStream, type FeedValues, logKeeps } from '../../src-main/contract/feed'
import type { ClusterRecord, DecisionRow } from '../../src-main/domain/journal/record'
import type { SecondBucket } from '../../src-main/domain/journal/views'
import type { Frames } from './clock'
import { createStore, type Store } from './store'

/** What is kept of a log: its newest items, oldest first. */
export interface Log<Item> {
  readonly items: readonly Item[]
  /** How many items came in since the page was opened, replacements of kept ones not counted. */
  readonly received: number
}

/** A span of which the page knows that it was not told everything. */
export interface Gap {
  readonly stream: FeedStream
  readonly why: GapWhy
  readonly fromWallMs: Millis
  readonly toWallMs: Millis
}
/** Why something is missing: the server's reasons, and messages that were lost on the way. */
export type GapWhy = 'slow' | 'beyond-kept' | 'source-restarted' | 'lost'

/** How many gaps are kept. */
const gapsMax = 100

/** One store a log. */
export type LogStores = { readonly [Name in keyof FeedLogs]: Store<Log<FeedLogs[Name]>> }
/** One store a value. */
export type ValueStores = { readonly [Name in keyof FeedValues]: Store<FeedValues[Name] | null> }
/** Everything the feed tells, each part in its store. */
export type FeedStores = LogStores & ValueStores & { readonly gaps: Store<readonly Gap[]> }

const emptyLog = { items: [], received: 0 } as const

/** Empty stores; their listeners are told at most once a frame. */
export function createFeedStores(frames: Frames): FeedStores {
  return {
    cluster: createStore<Log<ClusterRecord>>(emptyLog, frames),
    decisions: createStore<Log<DecisionRow>>(emptyLog, frames),
    seconds: createStore<Log<SecondBucket>>(emptyLog, frames),
    fleet: createStore<FeedValues['fleet'] | null>(null, frames),
    summary: createStore<FeedValues['summary'] | null>(null, frames),
    health: createStore<FeedValues['health'] | null>(null, frames),
    gaps: createStore<readonly Gap[]>([], frames),
  }
}

interface Shape<Item> {
  key(item: Item): string | number
  atMs(item: Item): Millis
}
const shapes: { readonly [Name in keyof FeedLogs]: Shape<FeedLogs[Name]> } = {
  cluster: { key: ({ stamp }) => `${stamp.boot}/${stamp.seq}`, atMs: ({ stamp }) => stamp.wallMs },
  decisions: { key: ({ id }) => id, atMs: ({ wallMs }) => wallMs },
  seconds: { key: ({ wallMs }) => wallMs, atMs: ({ wallMs }) => wallMs },
}

/** The log with these items added: one of a known key replaces the older in its place; the oldest are let go. */
export function withItems<Name extends keyof FeedLogs>(
  name: Name,
  log: Log<FeedLogs[Name]>,
  added: readonly FeedLogs[Name][],
): Log<FeedLogs[Name]> {
  const { key, atMs } = shapes[name]
  const byKey = new Map(log.items.map((item) => [key(item), item] as const))
  const before = byKey.size
  for (const item of added) byKey.set(key(item), item)
  const items = [...byKey.values()].sort((a, b) => atMs(a) - atMs(b))
  return { items: items.slice(-logKeeps[name]), received: log.received + byKey.size - before }
}

/**
 * The log as a snapshot says. Charts keep the seconds from before the snapshot's first: they were true then, and the gap
 * between is drawn; rows of decisions and the cluster's story are only what the server still stands for.
 */
export function withSnapshot<Name extends keyof FeedLogs>(
  name: Name,
  log: Log<FeedLogs[Name]>,
  items: readonly FeedLogs[Name][],
): Log<FeedLogs[Name]> {
  const { atMs } = shapes[name]
  const first = items[0] ? atMs(items[0]) : Number.POSITIVE_INFINITY
  const kept = name === 'seconds' ? log.items.filter((item) => atMs(item) < first) : []
  const before = { items: kept, received: log.received }
  const known = new Set(log.items.map(shapes[name].key))
  const fresh = items.filter((item) => !known.has(shapes[name].key(item))).length
  return { ...withItems(name, before, items), received: log.received + fresh }
}

/** The gaps with one more; one that touches the last of its stream is joined to it. */
export function withGap(gaps: readonly Gap[], gap: Gap): readonly Gap[] {
  const touching = gaps.find((each) => each.stream === gap.stream && each.toWallMs >= gap.fromWallMs)
  if (!touching) return [...gaps, gap].slice(-gapsMax)
  const joined = {
    ...touching,
    fromWallMs: Math.min(touching.fromWallMs, gap.fromWallMs),
    toWallMs: Math.max(touching.toWallMs, gap.toWallMs),
  }
  return gaps.map((each) => (each === touching ? joined : each))
}
