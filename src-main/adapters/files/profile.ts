import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fail, ok, type Result } from '../../base/result'
import type { Sha256 } from '../../domain/journal/chain'
import type { Notice } from '../../ports/notice'
import type { Clock } from '../../ports/seams/clock'
import type { Fs } from '../../ports/seams/fs'
import type { Host } from '../../ports/seams/host'
import { anchorFolder } from './default-folder'
import { checkSpace, folderNotices, folderRefusal, unusable } from './folder-checks'
import { type HeldLock, type LockHolder, type LockRefusal, takeLock } from './folder-lock'
import { controlSocketPath, prepareSocketFolder } from './socket-path'

/** What opening a data folder needs. */
export interface ProfileOptions {
  readonly fs: Fs
  readonly host: Host
  readonly clock: Clock
  readonly sha256: Sha256
  /** Absolute, or relative to the working folder. */
  readonly folder: string
}

/** A data folder that is ours to use. */
export interface Profile {
  readonly folder: string
  /** Whether documents, audit and store may be written; without that Signalbox shows and refuses effects. */
  readonly writable: boolean
  /** The lock was taken over, space is short, modes are too open …: to be shown. */
  readonly notices: readonly Notice[]
  /** Where the command line and a second instance reach this one. */
  readonly controlSocket: string
  readonly auditFolder: string
  readonly anchorFile: string
  /**
   * Asked before each write. When the folder went away, it is made again and locked again. Fails in words when
   * nothing may be written: read-only from the start, or somebody else has the folder now.
   */
  ensureWritable(): Result<void, { readonly words: string }>
  /** Gives the lock back. */
  release(): void
}

/** Why a data folder was not opened. */
export type ProfileRefusal =
  /** Another Signalbox writes here: hand over to it and exit with 75 (F92). */
  | { readonly kind: 'in-use'; readonly holder: LockHolder; readonly words: string }
  | { readonly kind: 'unusable'; readonly words: string }

/**
 * Opens a data folder, making it when it is missing (0700): owner, kind, lock, free space (security page 9.5, steps 1
 * to 3). A folder that can be read but not written opens read-only. `refusal.words` is the whole message.
 */
export function openProfile(options: ProfileOptions): Result<Profile, ProfileRefusal> {
  const folder = isAbsolute(options.folder) ? options.folder : resolve(options.folder)
  const { fs, host } = options
  const refusal = folderRefusal(fs, host, folder) ?? linkWithin(fs, folder) ?? madeRefusal(fs, folder)
  if (refusal !== null) return fail({ kind: 'unusable', words: refusal })
  const controlSocket = controlSocketPath(folder, options)
  const socketReady = prepareSocketFolder(fs, controlSocket, host)
  if (!socketReady.ok) return fail({ kind: 'unusable', words: socketReady.error })
  const place = { fs, host, folder }
  const wish = { socket: controlSocket, sinceWallMs: options.clock.wallMs() }
  const lock = takeLock(place, wish)
  if (!lock.ok && lock.error.kind === 'held') return fail(inUse(folder, lock.error))
  const space = checkSpace(fs, folder)
  const notices = [...folderNotices(fs, host, folder), ...space.notices, ...lockNotices(folder, lock)]
  const writable = lock.ok && space.writable
  const keeper = createKeeper(folder, lock.ok ? lock.value : null, () => {
    const made = fs.makeFolder(folder)
    return made.ok ? takeLock(place, wish) : fail({ kind: 'not-writable', error: made.error })
  })
  return ok({
    folder,
    writable,
    notices,
    controlSocket,
    auditFolder: join(folder, 'audit'),
    anchorFile: join(anchorFolder(host, folder), 'audit-anchor.json'),
    ensureWritable: writable ? keeper.ensure : () => fail({ words: readOnlyWords(folder, notices) }),
    release: keeper.release,
  })
}

/** Folders of ours that lead elsewhere: what is written there would lie in somebody's way, and not be found here. */
function linkWithin(fs: Fs, folder: string): string | null {
  for (const name of ['audit', 'store']) {
    const path = join(folder, name)
    const found = fs.stat(path)
    if (found.ok && found.value?.kind === 'link')
      return `${path} is a symbolic link; make it a folder, or name the folder that holds it with --data-dir`
  }
  return null
}

function madeRefusal(fs: Fs, folder: string): string | null {
  const made = fs.makeFolder(folder)
  if (made.ok) {
    fs.syncFolder(dirname(folder))
    return null
  }
  // What is there and cannot be changed may still be read.
  return fs.list(folder).ok ? null : unusable(folder, made.error)
}

function lockNotices(folder: string, lock: Result<HeldLock, LockRefusal>): readonly Notice[] {
  if (lock.ok) {
    const { tookOverFrom } = lock.value
    if (tookOverFrom === null) return []
    return [
      {
        code: 'lock_taken_over',
        words: `process ${tookOverFrom} ended without giving ${folder} back; taken over`,
      },
    ]
  }
  if (lock.error.kind === 'held') return []
  const words = `${lock.error.error.message}: Signalbox is read-only. Make ${folder} writable and start again`
  return [{ code: 'folder_read_only', words }]
}

function inUse(folder: string, { holder, sameMachine }: LockRefusal & { kind: 'held' }): ProfileRefusal {
  const words = sameMachine
    ? `Signalbox is already running on ${folder} (process ${holder.pid}); use that one (signalbox status), stop it, or name another folder with --data-dir`
    : `${folder} is in use by process ${holder.pid} on the machine ${holder.host}; stop it there, or, when that machine is gone, remove the file ${join(folder, 'lock')}`
  return { kind: 'in-use', holder, words }
}

const readOnlyWords = (folder: string, notices: readonly Notice[]): string =>
  notices.find(({ code }) => code === 'folder_read_only' || code === 'space_out')?.words ??
  `${folder} is read-only`

/** Keeps the lock ours while we run. */
function createKeeper(folder: string, first: HeldLock | null, again: () => Result<HeldLock, LockRefusal>) {
  let lock = first
  let released = false
  return {
    ensure(): Result<void, { readonly words: string }> {
      if (released) return fail({ words: `${folder} was given back` })
      if (lock?.held()) return ok(undefined)
      const taken = again()
      if (taken.ok) {
        lock = taken.value
        return ok(undefined)
      }
      lock = null
      const words = taken.error.kind === 'held' ? inUse(folder, taken.error).words : taken.error.error.message
      return fail({ words })
    },
    release() {
      released = true
      lock?.release()
    },
  }
}
