import { join } from 'node:path'
import { fail, ok, type Result } from '../../base/result'
import type { Sha256 } from '../../domain/journal/chain'
import type { Fs } from '../../ports/seams/fs'
import type { Host } from '../../ports/seams/host'

/** A Unix socket's path has room for 104 (macOS) or 108 bytes (Linux) with its closing zero; we stay below 100. */
const pathBytesBelow = 100

/** What the path depends on. */
export interface SocketPlace {
  readonly host: Pick<Host, 'platform' | 'userId' | 'userName' | 'temp'>
  readonly sha256: Sha256
}

/**
 * Where the running console of a data folder is reached: a socket in the folder, or, when that path would be too long,
 * one of a hashed name in a folder of the user's own under the temporary folder; on Windows a named pipe. The same
 * folder always gives the same path.
 * @param folder absolute
 */
export function controlSocketPath(folder: string, { host, sha256 }: SocketPlace): string {
  const short = sha256(folder).slice(0, 16)
  if (host.platform === 'win32') return `\\\\.\\pipe\\signalbox-${host.userName}-${short}`
  const inside = join(folder, 'control.sock')
  if (new TextEncoder().encode(inside).length < pathBytesBelow) return inside
  return join(socketFolder(host), `${short}.sock`)
}

const socketFolder = (host: SocketPlace['host']) =>
  join(host.temp, `signalbox-${host.userId ?? host.userName}`)

/**
 * Makes the folder for hashed sockets if this path needs it. Others may write to the temporary folder, so the folder
 * must be ours alone.
 */
export function prepareSocketFolder(fs: Fs, path: string, host: SocketPlace['host']): Result<void, string> {
  const folder = socketFolder(host)
  if (!path.startsWith(folder)) return ok(undefined)
  const made = fs.makeFolder(folder)
  if (!made.ok) return fail(made.error.message)
  const found = fs.stat(folder)
  if (!found.ok) return fail(found.error.message)
  const folderIsOurs = found.value?.owner === host.userId && (found.value.mode & 0o077) === 0
  return folderIsOurs
    ? ok(undefined)
    : fail(`${folder} belongs to somebody else or is open to others; remove it, or use a shorter --data-dir`)
}
