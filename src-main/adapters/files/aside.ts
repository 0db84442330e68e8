import { join } from 'node:path'
import { fail, ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { Fs, FsError } from '../../ports/seams/fs'
import { durableReplace } from './durable-replace'

/** Files of one kind that are kept aside at most; past that the oldest go, so that a bad day cannot fill the disk. */
export const asideLimit = 20

/** A wall-clock time as it stands in file names: `20260131T120000123Z`. */
export const fileStamp = (wallMs: Millis): string => new Date(wallMs).toISOString().replace(/[-:.]/g, '')

/** Where broken things of one kind go: a folder, and how their names begin (`torn`, `quarantine-settings`). */
export interface AsidePlace {
  readonly fs: Fs
  readonly folder: string
  readonly prefix: string
}

/** Keeps bytes aside under the time's name; returns the name. */
export function putAside(place: AsidePlace, bytes: Uint8Array, wallMs: Millis): Result<string, FsError> {
  const name = freeName(place, wallMs)
  const written = durableReplace(place.fs, join(place.folder, name), bytes)
  return finish(place, name, written)
}

/** Moves a file aside, whatever its size; returns its new name. */
export function moveAside(place: AsidePlace, path: string, wallMs: Millis): Result<string, FsError> {
  const name = freeName(place, wallMs)
  const moved = place.fs.rename(path, join(place.folder, name))
  return finish(place, name, moved)
}

function finish(place: AsidePlace, name: string, done: Result<void, FsError>): Result<string, FsError> {
  if (!done.ok) return fail(done.error)
  const kept = names(place)
  for (const old of kept.slice(0, Math.max(0, kept.length - asideLimit)))
    place.fs.remove(join(place.folder, old))
  return ok(name)
}

function freeName(place: AsidePlace, wallMs: Millis): string {
  const taken = new Set(names(place))
  const base = `${place.prefix}-${fileStamp(wallMs)}`
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`
    if (!taken.has(name)) return name
  }
}

/** Oldest first: the stamp sorts by time. */
function names({ fs, folder, prefix }: AsidePlace): readonly string[] {
  const listed = fs.list(folder)
  return listed.ok ? listed.value.filter((name) => name.startsWith(`${prefix}-`)) : []
}
