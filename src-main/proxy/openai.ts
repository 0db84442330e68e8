import { type Bytes, type Tokens, tokensOfBytes } from '../base/units'

/** What a copy of an OpenAI request body tells; null where it does not. */
export interface BodyFacts {
  readonly model: string | null
  /** `"stream": true` was seen. */
  readonly stream: boolean
  /** Estimate by decision D27, of the prompt as the chat template renders it; null when there is no prompt to see. */
  readonly promptTokens: Tokens | null
}

/** Nothing known: no body, or one that is not readable JSON text. */
export const noFacts: BodyFacts = { model: null, stream: false, promptTokens: null }

/**
 * Reads a body's start. One pass over bytes, no recursion, no throw: a body that is cut anywhere, not JSON, or not UTF-8
 * gives what could be seen up to there.
 * @param unseen bytes of the body beyond this copy; nearly all of a long body is prompt, so they count as prompt
 */
export function readBodyFacts(bytes: Uint8Array, unseen: Bytes = 0): BodyFacts {
  const scan = startScan(bytes)
  while (scan.at < bytes.length) step(scan)
  while (scan.depth > 0) close(scan)
  const { text, tokens, messages } = scan
  if (text === 0 && tokens === 0 && messages === 0)
    return { ...noFacts, model: scan.model, stream: scan.stream }
  const closing = messages > 0 ? assistantBytes : 0
  return {
    model: scan.model,
    stream: scan.stream,
    promptTokens: tokens + tokensOfBytes(text + closing + unseen),
  }
}

// Sizes of what the chat template puts around texts (domain/prompts/chat-template.ts): a role as `<|role|>\n`, the mark
// `<|end|>\n`, and `<|assistant|>\n` filled up to whole tokens at the end.
const aroundRole: Bytes = 5
const endMark: Bytes = 8
const assistantBytes: Bytes = 16
const aroundTools: Bytes = 10
/** `<tool_call>\n{"name": "` … `", "arguments": ` … `}\n</tool_call>`: a call that an earlier answer made. */
const aroundCall: Bytes = 52

const wholeTokens = (bytes: Bytes): Bytes => Math.ceil(bytes / 4) * 4

/** Where in the body the scan is; objects are odd, arrays even. */
const place = {
  array: 0,
  object: 1,
  messages: 2,
  root: 3,
  parts: 4,
  message: 5,
  prompt: 6,
  part: 7,
  calls: 8,
  call: 9,
  function: 11,
} as const
type Place = (typeof place)[keyof typeof place]

/** Deepest nesting that is read; a body that goes deeper is no request, and reading stops there. */
const depthMax = 64
const modelMaxBytes = 256
/** No key that we look for is longer: `tool_calls`. */
const keyMaxBytes = 10

interface Scan {
  readonly bytes: Uint8Array
  at: number
  depth: number
  readonly places: Uint8Array
  key: string
  expectsKey: boolean
  model: string | null
  stream: boolean
  /** Bytes of prompt text, the template's marks included. */
  text: Bytes
  /** Prompt given as token numbers. */
  tokens: Tokens
  messages: number
  role: Bytes
  content: Bytes
  /** Tool calls of the message under way. */
  calls: number
  /** Where the tools' own text began, and at which depth; -1 when not in them. */
  toolsFrom: number
  toolsDepth: number
}

const startScan = (bytes: Uint8Array): Scan => ({
  bytes,
  at: 0,
  depth: 0,
  places: new Uint8Array(depthMax),
  key: '',
  expectsKey: false,
  model: null,
  stream: false,
  text: 0,
  tokens: 0,
  messages: 0,
  role: 0,
  content: 0,
  calls: 0,
  toolsFrom: -1,
  toolsDepth: 0,
})

const placeNow = (scan: Scan): Place =>
  scan.depth === 0 ? place.array : (scan.places[scan.depth - 1] as Place)

function step(scan: Scan): void {
  const code = scan.bytes[scan.at] as number
  switch (code) {
    case 0x22:
      return string(scan)
    case 0x7b:
    case 0x5b:
      return open(scan, code === 0x7b)
    case 0x7d:
    case 0x5d:
      scan.at++
      return close(scan)
    case 0x2c:
      scan.at++
      scan.expectsKey = (placeNow(scan) & 1) === 1
      return
    case 0x74:
      if (scan.key === 'stream' && placeNow(scan) === place.root) scan.stream = true
      return word(scan)
    case 0x66:
      if (scan.key === 'stream' && placeNow(scan) === place.root) scan.stream = false
      return word(scan)
    default:
      if (code >= 0x30 && code <= 0x39) return number(scan)
      scan.at++
  }
}

function open(scan: Scan, isObject: boolean): void {
  const inside = scan.depth === 0 ? (isObject ? place.root : place.array) : placeWithin(scan, isObject)
  if (scan.depth === 1 && scan.key === 'tools') {
    scan.toolsFrom = scan.at
    scan.toolsDepth = scan.depth
  }
  if (scan.depth === depthMax) {
    scan.at = scan.bytes.length
    return
  }
  scan.places[scan.depth] = inside
  scan.depth++
  scan.at++
  scan.key = ''
  scan.expectsKey = isObject
}

function placeWithin(scan: Scan, isObject: boolean): Place {
  const outer = placeNow(scan)
  if (isObject) {
    if (outer === place.messages) return place.message
    if (outer === place.parts) return place.part
    if (outer === place.calls) return place.call
    if (outer !== place.call || scan.key !== 'function') return place.object
    scan.content += aroundCall + (scan.calls++ === 0 ? 0 : 1) // calls are joined by a line feed
    return place.function
  }
  if (outer === place.root && scan.key === 'messages') return place.messages
  if (outer === place.root && (scan.key === 'prompt' || scan.key === 'input')) return place.prompt
  if (outer === place.message && scan.key === 'content') return place.parts
  if (outer === place.message && scan.key === 'tool_calls') return place.calls
  return outer === place.prompt ? place.prompt : place.array
}

function close(scan: Scan): void {
  if (scan.depth === 0) return
  if (placeNow(scan) === place.message) {
    scan.messages++
    scan.text += wholeTokens(scan.role + aroundRole) + wholeTokens(scan.content) + endMark
    scan.role = 0
    scan.content = 0
    scan.calls = 0
  }
  scan.depth--
  scan.key = ''
  scan.expectsKey = false
  if (scan.toolsFrom >= 0 && scan.depth === scan.toolsDepth) {
    scan.text += wholeTokens(aroundTools + scan.at - scan.toolsFrom)
    scan.toolsFrom = -1
  }
}

/** A string token: a key, or a value that may count. Decoded size is counted on the way to its end. */
function string(scan: Scan): void {
  const { bytes } = scan
  const from = scan.at + 1
  let size = 0
  let at = from
  for (; at < bytes.length; at++) {
    const code = bytes[at] as number
    if (code === 0x22) break
    size++
    if (code !== 0x5c) continue
    if (bytes[at + 1] === 0x75) {
      size += escapedBytes(bytes, at + 2) - 1
      at += 5
    } else at++
  }
  const to = Math.min(at, bytes.length)
  scan.at = to + 1
  if (scan.expectsKey) {
    scan.key = to - from <= keyMaxBytes ? latin1(bytes, from, to) : ''
    scan.expectsKey = false
  } else value(scan, from, to, size)
}

function value(scan: Scan, from: number, to: number, size: Bytes): void {
  switch (placeNow(scan)) {
    case place.root:
      if (scan.key === 'model') scan.model = textOf(scan.bytes, from, to)
      else if (scan.key === 'prompt' || scan.key === 'input') scan.text += size
      return
    case place.message:
      if (scan.key === 'role') scan.role = size
      else if (scan.key === 'content') scan.content += size
      return
    case place.part:
      if (scan.key === 'text') scan.content += size
      return
    case place.parts:
      scan.content += size
      return
    case place.function:
      if (scan.key === 'name' || scan.key === 'arguments') scan.content += size
      return
    case place.prompt:
      scan.text += size
  }
}

function number(scan: Scan): void {
  if (placeNow(scan) === place.prompt) scan.tokens++
  word(scan)
}

/** Passes over a literal or a number. */
function word(scan: Scan): void {
  const { bytes } = scan
  let { at } = scan
  for (at++; at < bytes.length; at++) {
    const code = bytes[at] as number
    const inWord = (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) || code === 0x2e
    if (!inWord && code !== 0x45 && code !== 0x2b && code !== 0x2d) break
  }
  scan.at = at
}

/** UTF-8 bytes of an escaped unit; a surrogate counts as half of its pair's four bytes. */
function escapedBytes(bytes: Uint8Array, at: number): Bytes {
  let unit = 0
  for (let digit = 0; digit < 4; digit++) unit = unit * 16 + hexValue(bytes[at + digit])
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  return unit >= 0xd800 && unit <= 0xdfff ? 2 : 3
}

/** The low bits of a letter's code are its place in the alphabet, in either case; what is no digit gives some number. */
const hexValue = (code = 0): number => (code <= 0x39 ? code & 15 : (code & 7) + 9)

function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at] as number)
  return text
}

function textOf(bytes: Uint8Array, from: number, to: number): string | null {
  if (to - from > modelMaxBytes || to >= bytes.length) return null
  try {
    return String(JSON.parse(Buffer.from(bytes.subarray(from - 1, to + 1)).toString('utf8')))
  } catch {
    return null
  }
}
