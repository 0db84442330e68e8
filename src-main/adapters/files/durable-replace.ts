import { dirname } from 'node:path'
import type { Result } from '../../base/result'
import type { Fs, FsError } from '../../ports/seams/fs'

/**
 * Puts new content in place of a file, or makes the file; the only code that does (security page 9.2). Whoever
 * looks, also after a power cut, finds the old content or the new one, whole. When it returns ok, the new content
 * is on the disk. On an error the old content stays, but for one case: when only the last step fails (making the
 * new name durable), the new content is there and a power cut may still bring the old one back.
 */
export function durableReplace(fs: Fs, path: string, bytes: Uint8Array): Result<void, FsError> {
  const temporary = `${path}.new`
  const written = writeFresh(fs, temporary, bytes)
  if (!written.ok) {
    fs.remove(temporary)
    return written
  }
  const renamed = fs.rename(temporary, path)
  if (!renamed.ok) {
    fs.remove(temporary)
    return renamed
  }
  return fs.syncFolder(dirname(path))
}

/**
 * Writes to a file that did not exist. A failed fsync is final for its handle, so the content goes, once more, to
 * another new file; "fsync again" would report success for lost pages.
 */
function writeFresh(fs: Fs, path: string, bytes: Uint8Array): Result<void, FsError> {
  const first = writeOnce(fs, path, bytes)
  if (first.ok || first.error.step !== 'sync') return first
  return writeOnce(fs, path, bytes)
}

function writeOnce(
  fs: Fs,
  path: string,
  bytes: Uint8Array,
): Result<void, FsError & { readonly step: 'open' | 'write' | 'sync' | 'close' }> {
  const named = (result: Result<void, FsError>, step: 'write' | 'sync' | 'close') =>
    result.ok ? result : ({ ok: false, error: { ...result.error, step } } as const)
  fs.remove(path) // what an interrupted writer left; there is only one writer, so nobody else's
  const opened = fs.open(path, 'create')
  if (!opened.ok) return { ok: false, error: { ...opened.error, step: 'open' } }
  const file = opened.value
  const written = named(file.write(bytes), 'write')
  const synced = written.ok ? named(file.sync(), 'sync') : written
  const closed = named(file.close(), 'close')
  return synced.ok ? closed : synced
}
