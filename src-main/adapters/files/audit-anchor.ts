import { dirname } from 'node:path'
import type { Result } from '../../base/result'
import { stableJson } from '../../base/stable-json'
import type { Millis } from '../../base/units'
import type { ChainHead } from '../../domain/journal/chain'
import type { Fs, FsError } from '../../ports/seams/fs'
import { durableReplace } from './durable-replace'

/** What the anchor file says: the newest record that was acknowledged, nothing, or why it cannot be read. */
export type Anchor =
  | { readonly state: 'none' }
  | { readonly state: 'unreadable'; readonly why: string }
  | { readonly state: 'ok'; readonly head: ChainHead }

/** Reads the anchor. */
export function readAnchor(fs: Fs, path: string): Anchor {
  const read = fs.read(path, 4096)
  if (!read.ok)
    return read.error.code === 'ENOENT' ? { state: 'none' } : { state: 'unreadable', why: read.error.message }
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(read.value))
    if (isHead(value)) return { state: 'ok', head: { seq: value.seq, hash: value.hash } }
  } catch {
    // falls through to the same answer as JSON of another shape
  }
  return { state: 'unreadable', why: `${path} is not an anchor file` }
}

function isHead(value: unknown): value is ChainHead {
  if (typeof value !== 'object' || value === null || !('seq' in value) || !('hash' in value)) return false
  return (
    Number.isSafeInteger(value.seq) && typeof value.hash === 'string' && /^[0-9a-f]{64}$/.test(value.hash)
  )
}

/** Writes the anchor: after each record, so that a tail that was cut off is missed (security page 9.6). */
export function writeAnchor(fs: Fs, path: string, head: ChainHead, wallMs: Millis): Result<void, FsError> {
  const text = stableJson({ schema: 1, seq: head.seq, hash: head.hash, ts: Math.round(wallMs) })
  const bytes = new TextEncoder().encode(`${text}\n`)
  const written = durableReplace(fs, path, bytes)
  if (written.ok || written.error.code !== 'ENOENT') return written
  const made = fs.makeFolder(dirname(path))
  return made.ok ? durableReplace(fs, path, bytes) : made
}
