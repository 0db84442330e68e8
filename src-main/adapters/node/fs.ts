import * as system from 'node:fs'
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../base/result'
import type { Fs, FsError, FsFile } from '../../ports/seams/fs'

const { constants } = system

/** The two calls whose failures cannot be provoked on a healthy disk; tests hand in failing ones. */
export type DiskCalls = Pick<typeof system, 'writeSync' | 'fsyncSync'>

/** The system's files: exclusive creation, explicit modes, links refused, every failure a value. */
export function createNodeFs(calls: DiskCalls = system): Fs {
  return {
    open: (path, how) =>
      attempt('open', path, () => {
        const flags =
          how === 'create' ? constants.O_CREAT | constants.O_EXCL : constants.O_CREAT | constants.O_APPEND
        const handle = openPlainFile(path, constants.O_WRONLY | flags)
        if (how === 'create') system.fchmodSync(handle, 0o600) // whatever the umask says
        return openFile(calls, path, handle)
      }),
    read: (path, limit) => attempt('read', path, () => readWhole(path, limit)),
    rename: (from, to) => attempt('rename', from, () => patiently(() => system.renameSync(from, to))),
    remove: (path) => attempt('remove', path, () => system.unlinkSync(path)),
    truncate: (path, size) =>
      attempt('truncate', path, () =>
        withHandle(openPlainFile(path, constants.O_WRONLY), (handle) => {
          system.ftruncateSync(handle, size)
          calls.fsyncSync(handle)
        }),
      ),
    list: (folder) => attempt('list', folder, () => system.readdirSync(folder).sort()),
    makeFolder: (folder) => attempt('make', folder, () => makeFolder(folder)),
    syncFolder: (folder) => attempt('sync', folder, () => syncFolder(calls, folder)),
    stat: (path) => attempt('look at', path, () => describe(path)),
    freeBytes: (folder) =>
      attempt('measure', folder, () => {
        const { bavail, bsize } = system.statfsSync(folder)
        return bavail * bsize
      }),
  }
}

/** Runs a system call; what it throws becomes a value. */
function attempt<T>(verb: string, path: string, call: () => T): Result<T, FsError> {
  try {
    return ok(call())
  } catch (thrown) {
    const code = codeOf(thrown) ?? 'EUNKNOWN'
    const known = reasons[code]
    const why = known ?? (thrown instanceof Error ? thrown.message : String(thrown))
    return fail({ code, path, message: `cannot ${verb} ${path}: ${why} (${code})` })
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBADF: 'the file was closed, or thrown away after a failed write',
  EEXIST: 'it exists already',
  EFBIG: 'it is larger than expected',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a symbolic link, and links are refused here',
  EMFILE: 'too many open files',
  ENOENT: 'there is nothing of that name',
  ENOSPC: 'no space is left on the disk',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  EDQUOT: 'the disk quota is used up',
}

const failure = (code: string): Error => Object.assign(new Error(code), { code })
const codeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : null

/** Opens a regular file and nothing else: no link, and no pipe that would wait for its other end. */
function openPlainFile(path: string, flags: number): number {
  const handle = system.openSync(
    path,
    flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    0o600,
  )
  const stats = system.fstatSync(handle)
  if (stats.isFile()) return handle
  system.closeSync(handle)
  throw failure(stats.isDirectory() ? 'EISDIR' : 'EINVAL')
}

function withHandle<T>(handle: number, use: (handle: number) => T): T {
  try {
    return use(handle)
  } finally {
    system.closeSync(handle)
  }
}

/**
 * A file is unusable after its first failure: what of the content is on the disk is unknown then, and a second
 * fsync would report success for pages that were lost.
 */
function openFile(calls: DiskCalls, path: string, handle: number): FsFile {
  let state: 'open' | 'thrown away' | 'closed' = 'open'
  const guarded = (verb: string, call: () => void): Result<void, FsError> => {
    const result = attempt(verb, path, () => {
      if (state !== 'open') throw failure('EBADF')
      call()
    })
    if (!result.ok && state === 'open') {
      state = 'thrown away'
      attempt('close', path, () => system.closeSync(handle))
    }
    return result
  }
  return {
    write: (bytes) => guarded('write', () => writeAll(calls, handle, bytes)),
    sync: () => guarded('sync', () => calls.fsyncSync(handle)),
    close() {
      if (state !== 'open') return ok(undefined)
      state = 'closed'
      return attempt('close', path, () => system.closeSync(handle))
    },
  }
}

function writeAll(calls: DiskCalls, handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const written = calls.writeSync(handle, bytes, done, bytes.length - done)
    if (written <= 0) throw failure('EIO') // no progress and no error: never loop on that
    done += written
  }
}

function readWhole(path: string, limit: number): Uint8Array {
  return withHandle(openPlainFile(path, constants.O_RDONLY), (handle) => {
    const size = system.fstatSync(handle).size
    if (size > limit) throw failure('EFBIG')
    const bytes = new Uint8Array(size)
    let done = 0
    while (done < size) {
      const count = system.readSync(handle, bytes, done, size - done, null)
      if (count === 0) break // it was cut while we read
      done += count
    }
    return bytes.subarray(0, done)
  })
}

/**
 * Level by level, by ourselves: Node 20's recursive mkdir never returns where the system says `ENOENT` for a parent that
 * exists, as `/proc` does. Links above the folder are the user's business, the folder itself must not be one.
 */
function makeFolder(folder: string): void {
  const found = system.lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw failure('ELOOP')
  if (found?.isDirectory()) return
  if (found !== undefined) throw failure('EEXIST')
  const parent = dirname(folder)
  if (!system.existsSync(parent) && parent !== folder) makeFolder(parent)
  try {
    system.mkdirSync(folder, { mode: 0o700 })
    system.chmodSync(folder, 0o700) // whatever the umask says
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error // somebody was quicker
  }
}

/** Makes names durable. Windows has no such call, and some network file systems refuse it (`EINVAL`). */
function syncFolder(calls: DiskCalls, folder: string): void {
  if (process.platform === 'win32') return
  withHandle(system.openSync(folder, constants.O_RDONLY), (handle) => {
    try {
      calls.fsyncSync(handle)
    } catch (error) {
      if (codeOf(error) !== 'EINVAL') throw error
    }
  })
}

function describe(path: string) {
  const stats = system.lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return null
  const kind = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'folder'
      : stats.isSymbolicLink()
        ? 'link'
        : stats.isSocket()
          ? 'socket'
          : 'other'
  return {
    size: stats.size,
    kind,
    mode: stats.mode & 0o7777,
    modifiedWallMs: stats.mtimeMs,
    owner: process.platform === 'win32' ? null : stats.uid,
  } as const
}

/** On Windows a scanner may hold a file for a moment: ten tries, 50 ms apart (security page 9.2). */
function patiently(call: () => void): void {
  for (let left = process.platform === 'win32' ? 10 : 0; ; left--) {
    try {
      call()
      return
    } catch (error) {
      const code = codeOf(error)
      if (left === 0 || (code !== 'EPERM' && code !== 'EACCES' && code !== 'EBUSY')) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
  }
}
