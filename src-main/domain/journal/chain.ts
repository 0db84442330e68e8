import type { Result } from '../../base/result'
import { fail, ok } from '../../base/result'
import type { Json } from '../../base/stable-json'
import { isList, stableJson } from '../../base/stable-json'
import type { Millis } from '../../base/units'

/** What a record says, before the chain gives it a place. */
export interface ChainEntry {
  /** `action.intent`, `action.outcome`, `recovered`, `chain_restart` … */
  readonly kind: string
  readonly body: Json
}

/** A record of the audit stream. Its place in the chain is `seq`; `prev` is the hash of the record before it. */
export interface ChainRecord extends ChainEntry {
  readonly seq: number
  readonly prev: string
  /** Wall clock and monotonic clock at appending, whole milliseconds; `boot` names the run that appended it. */
  readonly ts: Millis
  readonly mono: Millis
  readonly boot: string
  /** SHA-256, lower-case hex, over `prev` and the canonical text of the other members. */
  readonly hash: string
}

/** The newest record of a chain; of an empty chain `seq` 0 and the hash of 64 zeros. */
export interface ChainHead {
  readonly seq: number
  readonly hash: string
}

/** Where every chain begins. */
export const chainStart: ChainHead = { seq: 0, hash: '0'.repeat(64) }

/** SHA-256 of a text's UTF-8 bytes, lower-case hex: the Digests seam's. */
export type Sha256 = (text: string) => string

/** Sequence numbers that cannot be vouched for, ends included. */
export interface DamagedRange {
  readonly from: number
  readonly to: number
}

/** Gives an entry its place after `head`. */
export function seal(
  head: ChainHead,
  entry: ChainEntry,
  stamp: { readonly ts: Millis; readonly mono: Millis; readonly boot: string },
  sha256: Sha256,
): ChainRecord {
  const unsealed = {
    seq: head.seq + 1,
    prev: head.hash,
    ts: Math.round(stamp.ts),
    mono: Math.round(stamp.mono),
    boot: stamp.boot,
    kind: entry.kind,
    body: canonicalBody(entry.body),
  }
  return { ...unsealed, hash: sha256(textsOf(unsealed, '').hashed) }
}

/** The line of a record, line feed included: canonical JSON, so that one record has one text. */
export const lineOf = (record: ChainRecord): string => `${textsOf(record, record.hash).line}\n`

/**
 * Numbers that are not whole, or too large to be exact, become decimal text: how a fraction is printed differs between
 * languages, and everybody who verifies must arrive at the same text.
 */
export function canonicalBody(value: Json): Json {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : String(value)
  if (value === null || typeof value !== 'object') return value
  if (isList(value)) return value.map(canonicalBody)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      member === undefined ? undefined : canonicalBody(member),
    ]),
  )
}

/** Reads a line (without its line feed) and checks it by itself; its place in the chain is not looked at. */
export function readRecord(line: string, sha256: Sha256): Result<ChainRecord, string> {
  try {
    const value: unknown = JSON.parse(line)
    if (!isRecord(value)) return fail('not an audit record')
    const { line: canonical, hashed } = textsOf(value, value.hash)
    if (canonical !== line) return fail('not in canonical form')
    return sha256(hashed) === value.hash ? ok(value) : fail('its hash does not fit its content')
  } catch {
    return fail('not JSON') // or JSON beyond numbers and depths that a record can have
  }
}

/** The canonical text of a record, and what its hash is taken of. The members stand in the order of their names. */
function textsOf(
  { seq, prev, ts, mono, boot, kind, body }: Omit<ChainRecord, 'hash'>,
  hash: string,
): { readonly line: string; readonly hashed: string } {
  const [start, middle] = [
    `{"body":${stableJson(body)},"boot":${stableJson(boot)}`,
    `"kind":${stableJson(kind)},"mono":${mono}`,
  ]
  const end = `"seq":${seq},"ts":${ts}}`
  return {
    line: `${start},"hash":${stableJson(hash)},${middle},"prev":${stableJson(prev)},${end}`,
    hashed: `${prev}${start},${middle},${end}`,
  }
}

function isRecord(value: unknown): value is ChainRecord {
  if (typeof value !== 'object' || value === null) return false
  const members = new Map<string, unknown>(Object.entries(value))
  return (
    ['seq', 'ts', 'mono'].every((name) => Number.isSafeInteger(members.get(name))) &&
    ['prev', 'boot', 'kind', 'hash'].every((name) => typeof members.get(name) === 'string') &&
    members.get('body') !== undefined
  )
}
