import type { Bytes, Millis } from '../base/units'

/** Every number of the proxy, from the security page 7.4 and 7.5. All times are of the monotonic clock. */
export interface ProxyLimits {
  readonly targetMaxBytes: Bytes
  /** Header block of a request; the parser refuses more. */
  readonly headerMaxBytes: Bytes
  /** Header block of a reply. */
  readonly replyHeaderMaxBytes: Bytes
  readonly headerMaxCount: number
  readonly bodyMaxBytes: Bytes
  /** Part of a body that is read before the router is asked; the record and body-aware policies see no more. */
  readonly prefixMaxBytes: Bytes
  /** Parts of the copy of a stream that are parsed; beyond them bytes pass unparsed. */
  readonly sseLineMaxBytes: Bytes
  readonly sseEventMaxBytes: Bytes
  /** Part of a plain JSON reply that is kept for reading its usage. */
  readonly replyCopyMaxBytes: Bytes
  /** Requests under way at once. */
  readonly streams: number
  readonly informationalMax: number
  readonly clientHeaderMs: Millis
  readonly clientBodyGapMs: Millis
  readonly clientBodyTotalMs: Millis
  readonly clientIdleMs: Millis
  readonly clientRequests: number
  /** Longest that a client may leave its bytes unread. */
  readonly clientStalledMs: Millis
  readonly connectMs: Millis
  readonly connectAllMs: Millis
  /** Until a replica's headers, for a request that asked for a stream and for one that did not. */
  readonly replyHeaderStreamMs: Millis
  readonly replyHeaderMs: Millis
  readonly firstEventMs: Millis
  readonly eventGapMs: Millis
  readonly wholeStreamMs: Millis
  /** How long a cut connection may take to hand over its last words. */
  readonly lastWordsMs: Millis
  /** When it is found out whether a half-closed client has left, and when again: the system is asked once for all. */
  readonly peerLookMs: Millis
  readonly peerAgainMs: Millis
  /** How often deadlines are looked at: how late one may be. */
  readonly sweepEveryMs: Millis
}

/** The defaults; `streams` is lowered to what the process's descriptors allow. */
export const defaultLimits: ProxyLimits = {
  targetMaxBytes: 8 * 1024,
  headerMaxBytes: 16 * 1024,
  replyHeaderMaxBytes: 32 * 1024,
  headerMaxCount: 100,
  bodyMaxBytes: 32 * 1024 * 1024,
  prefixMaxBytes: 256 * 1024,
  sseLineMaxBytes: 64 * 1024,
  sseEventMaxBytes: 1024 * 1024,
  replyCopyMaxBytes: 256 * 1024,
  streams: 10_000,
  informationalMax: 8,
  clientHeaderMs: 10_000,
  clientBodyGapMs: 15_000,
  clientBodyTotalMs: 120_000,
  clientIdleMs: 15_000,
  clientRequests: 1_000,
  clientStalledMs: 60_000,
  connectMs: 2_000,
  connectAllMs: 5_000,
  replyHeaderStreamMs: 120_000,
  replyHeaderMs: 600_000,
  firstEventMs: 120_000,
  eventGapMs: 60_000,
  wholeStreamMs: 3_600_000,
  lastWordsMs: 1_000,
  peerLookMs: 30,
  peerAgainMs: 1_000,
  sweepEveryMs: 250,
}

/** Descriptors that are not for streams: listeners, links, probes, files. */
const reservedDescriptors = 512

/** How many streams a process can carry, each with a client's and a replica's socket (SR-058). */
export const streamsWithin = (descriptors: number): number =>
  Math.max(16, Math.floor((descriptors - reservedDescriptors) / 2))
