import { emptySketch, type PackedSketch, pack, quantile, record, type Sketch } from '../base/quantiles'
import type { Bytes, Millis, Tokens } from '../base/units'
import { type EventFacts, readEvent } from './event-facts'

/**
 * SSE tap: looks on at a copy of an event stream, changes nothing and never throws. The request path pays for finding
 * line ends and remembering where events lie; JSON is parsed only until the first content, and for the last few events
 * when the stream has ended, which is where engines put the finish reason and the usage.
 */
export interface SseTap {
  read(chunk: Buffer, atMonoMs: Millis): void
  /** True when the last byte ended an event, or none came yet: a further event may be written there. */
  readonly atBoundary: boolean
  /** `[DONE]` has passed: nothing may follow it. */
  readonly sawDone: boolean
  /** Ends the reading; what the stream was. */
  close(): SseFacts
}

/** What an event stream was. */
export interface SseFacts {
  /** A terminal event was seen: `[DONE]`, a finish reason, an error, or the end event of the Responses API. */
  readonly terminal: boolean
  readonly firstContentMonoMs: Millis | null
  readonly contentEvents: number
  readonly itlMsP50: Millis | null
  readonly itlMsMax: Millis | null
  /** Gaps between content events, ms. */
  readonly itlGaps: PackedSketch | null
  readonly finish: string | null
  readonly promptTokens: Tokens | null
  readonly outputTokens: Tokens | null
  readonly cachedTokens: Tokens | null
  /** Code of an error object inside the stream. */
  readonly errorCode: string | null
  /** Events too long to be read; they were passed on and counted as content. */
  readonly unparsed: number
}

/** Events at the start that are parsed in search of the first content; a later one counts as content unseen. */
const openingEvents = 16
/** Events at the end that are parsed for finish, usage and error. */
const closingEvents = 4

/** An event's data where it lies: no copy is made. */
interface Held {
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
  readonly atMonoMs: Millis
}

/** @param lineMaxBytes longest line, and @param eventMaxBytes longest event, that is read */
export function createSseTap(lineMaxBytes: Bytes, eventMaxBytes: Bytes): SseTap {
  const events = createEventLog()
  const unended = createUnendedLine(lineMaxBytes)
  let boundary = true
  let sawDone = false
  let data: Held | null = null
  let further: Buffer[] | null = null
  let dataBytes = 0
  let tooLong = false

  const dispatch = (atMonoMs: Millis) => {
    if (tooLong) events.unread(atMonoMs)
    else if (data && isDone(data)) sawDone = true
    else if (data) events.add(further ? joined(data, further) : data)
    data = null
    further = null
    dataBytes = 0
    tooLong = false
  }
  const line = (bytes: Buffer, from: number, lineEnd: number, atMonoMs: Millis) => {
    const to = lineEnd > from && bytes[lineEnd - 1] === 13 ? lineEnd - 1 : lineEnd
    boundary = to === from
    if (boundary) return dispatch(atMonoMs)
    if (!isDataLine(bytes, from, to)) return
    const start = bytes[from + 5] === 32 ? from + 6 : from + 5
    dataBytes += to - start + 1
    if (dataBytes > eventMaxBytes) tooLong = true
    else if (data === null) data = { bytes, from: start, to, atMonoMs }
    else {
      further ??= []
      further.push(bytes.subarray(start, to))
    }
  }
  return {
    read(chunk, atMonoMs) {
      let from = 0
      for (let lf = chunk.indexOf(10); lf >= 0; lf = chunk.indexOf(10, from)) {
        if (unended.empty) line(chunk, from, lf, atMonoMs)
        else {
          const whole = unended.end(chunk.subarray(from, lf))
          if (whole) line(whole, 0, whole.length, atMonoMs)
          else {
            tooLong = true
            boundary = false
          }
        }
        from = lf + 1
      }
      if (from === chunk.length) return
      boundary = false
      unended.add(from === 0 ? chunk : chunk.subarray(from))
    },
    get atBoundary() {
      return boundary
    },
    get sawDone() {
      return sawDone
    },
    close: () => events.close(sawDone),
  }
}

/** The start of a line whose end has not come yet; past its limit it keeps nothing. */
function createUnendedLine(maxBytes: Bytes) {
  let parts: Buffer[] = []
  let size = 0
  return {
    get empty() {
      return size === 0
    },
    add(part: Buffer) {
      size += part.length
      if (size > maxBytes) parts = []
      else parts.push(part)
    },
    /** The whole line, or null when it is too long to be read. */
    end(part: Buffer): Buffer | null {
      const whole = size + part.length > maxBytes ? null : Buffer.concat([...parts, part])
      parts = []
      size = 0
      return whole
    },
  }
}

/** Content events with their times. The newest few wait unparsed, since only the end tells what they were. */
function createEventLog() {
  const waiting: Held[] = []
  let opening = 0
  let first: Millis | null = null
  let last: Millis = 0
  let content = 0
  let unparsed = 0
  let gaps: Sketch | null = null
  const known: Noted = {
    finish: null,
    errorCode: null,
    ended: false,
    prompt: null,
    output: null,
    cached: null,
  }

  const countContent = (atMonoMs: Millis) => {
    content++
    if (first === null) first = atMonoMs
    else {
      gaps ??= emptySketch()
      record(gaps, atMonoMs - last)
    }
    last = atMonoMs
  }
  const parse = (held: Held) => {
    const facts = readEvent(held.bytes.toString('utf8', held.from, held.to))
    note(known, facts)
    if (facts.content) countContent(held.atMonoMs)
  }
  return {
    add(held: Held) {
      if (first === null && opening++ < openingEvents) return parse(held)
      waiting.push(held)
      if (waiting.length > closingEvents) countContent((waiting.shift() as Held).atMonoMs)
    },
    unread(atMonoMs: Millis) {
      unparsed++
      for (const held of waiting.splice(0)) parse(held)
      countContent(atMonoMs)
    },
    close(sawDone: boolean): SseFacts {
      for (const held of waiting.splice(0)) parse(held)
      return {
        terminal: sawDone || known.ended || known.finish !== null || known.errorCode !== null,
        firstContentMonoMs: first,
        contentEvents: content,
        itlMsP50: gaps ? quantile(gaps, 0.5) : null,
        itlMsMax: gaps?.max ?? null,
        itlGaps: gaps ? pack(gaps) : null,
        finish: known.finish,
        promptTokens: known.prompt,
        outputTokens: known.output ?? (content > 0 ? content : null),
        cachedTokens: known.cached,
        errorCode: known.errorCode,
        unparsed,
      }
    },
  }
}

interface Noted {
  finish: string | null
  errorCode: string | null
  ended: boolean
  prompt: Tokens | null
  output: Tokens | null
  cached: Tokens | null
}

function note(known: Noted, facts: EventFacts): void {
  known.finish = facts.finish ?? known.finish
  known.errorCode = facts.errorCode ?? known.errorCode
  known.ended ||= facts.ends
  known.prompt = facts.promptTokens ?? known.prompt
  known.output = facts.outputTokens ?? known.output
  known.cached = facts.cachedTokens ?? known.cached
}

/** `data:` at the start of a line. */
const isDataLine = (bytes: Buffer, from: number, to: number): boolean =>
  to - from >= 5 &&
  bytes[from] === 100 &&
  bytes[from + 1] === 97 &&
  bytes[from + 2] === 116 &&
  bytes[from + 3] === 97 &&
  bytes[from + 4] === 58

/** Data that is `[DONE]` and nothing else. */
const isDone = ({ bytes, from, to }: Held): boolean =>
  to - from === 6 && bytes[from] === 91 && bytes.toString('latin1', from, to) === '[DONE]'

/** Data of several lines as one text, as the SSE standard joins them. */
function joined({ bytes, from, to, atMonoMs }: Held, further: readonly Buffer[]): Held {
  const lineFeed = Buffer.from('\n')
  const whole = Buffer.concat([bytes.subarray(from, to), ...further.flatMap((part) => [lineFeed, part])])
  return { bytes: whole, from: 0, to: whole.length, atMonoMs }
}
