import type { Bytes } from '../../base/units'
import type { Notice } from '../../ports/notice'
import type { Fs, FsError } from '../../ports/seams/fs'
import type { Host } from '../../ports/seams/host'

const mib = 1024 * 1024

/** The ladder of free space (security page 9.5): below the first a warning, below the second read-only. */
export const spaceLadder: { readonly warnBelow: Bytes; readonly readOnlyBelow: Bytes } = {
  warnBelow: 512 * mib,
  readOnlyBelow: 96 * mib,
}

/** What a look at the folder's free space says. */
export interface SpaceFinding {
  readonly writable: boolean
  readonly notices: readonly Notice[]
}

/** Looks at the free space. A file system that does not tell is taken as roomy. */
export function checkSpace(fs: Fs, folder: string): SpaceFinding {
  const free = fs.freeBytes(folder)
  if (!free.ok || free.value >= spaceLadder.warnBelow) return { writable: true, notices: [] }
  const have = `${Math.floor(free.value / mib)} MiB are free where ${folder} lies`
  if (free.value >= spaceLadder.readOnlyBelow)
    return { writable: true, notices: [{ code: 'space_low', words: `only ${have}; free some soon` }] }
  const words = `${have}, too few to write safely: Signalbox is read-only. Free at least ${spaceLadder.readOnlyBelow / mib} MiB and start again`
  return { writable: false, notices: [{ code: 'space_out', words }] }
}

/** Why a folder cannot be used at all, in one sentence; null when it can. */
export function folderRefusal(fs: Fs, host: Host, folder: string): string | null {
  const found = fs.stat(folder)
  if (!found.ok) return unusable(folder, found.error)
  if (found.value === null) return null
  const { kind, owner, mode } = found.value
  if (kind === 'link')
    return `the data folder ${folder} is a symbolic link; name the folder that it leads to with --data-dir`
  if (kind !== 'folder') return `the data folder ${folder} is a file; name a folder with --data-dir`
  if (owner !== null && owner !== host.userId && host.userId !== 0)
    return `the data folder ${folder} belongs to another user (id ${owner}); name one of your own with --data-dir`
  if (owner !== null && (mode & 0o002) !== 0)
    return `everybody may write to the data folder ${folder}; run chmod 700 on it, or name another with --data-dir`
  const listed = fs.list(folder)
  return listed.ok ? null : unusable(folder, listed.error)
}

/** A folder that could not be looked at or made, in one sentence. */
export const unusable = (folder: string, error: FsError): string =>
  `the data folder ${folder} cannot be used: ${error.message}. Mend it, or name another with --data-dir`

/** What is odd about a folder that can be used. */
export function folderNotices(fs: Fs, host: Host, folder: string): readonly Notice[] {
  const found = fs.stat(folder)
  if (!found.ok || found.value === null || found.value.owner === null) return []
  const notices: Notice[] = []
  if (found.value.owner !== host.userId)
    notices.push({
      code: 'folder_of_other_user',
      words: `${folder} belongs to user id ${found.value.owner}, but Signalbox runs as ${host.userName}: what it writes will not be theirs`,
    })
  if ((found.value.mode & 0o077) !== 0)
    notices.push({
      code: 'folder_open',
      words: `other users may look into ${folder}; its files are closed to them, but chmod 700 is better`,
    })
  return notices
}
