import type { Draw } from '../../src-main/base/draw'
import { fail, ok } from '../../src-main/base/result'
import type { Fs, FsError, FsFile } from '../../src-main/ports/seams/fs'

/**
 * A disk with a cache, as a power cut sees it. What was written is visible at once; it is on the platter after `sync`.
 * Names (new files, renames, removals) are on the platter after `syncFolder`. Folders are, for simplicity, at once.
 */
export interface MemoryDisk extends Fs {
  /** The power goes: of each file an arbitrary part of what was not synced survives, of the names an arbitrary prefix. */
  cutPower(draw: Draw): void
  /** Replaces a file's content on the platter, as a broken disk or an intruder would. */
  overwrite(path: string, bytes: Uint8Array): void
  /** Runs before each change; throwing stops the program there. */
  beforeChange: (() => void) | null
}

interface Inode {
  bytes: Uint8Array
  synced: Uint8Array
}

/** What happened to names at one stroke: a power cut sees all of it or nothing, as a journalled file system promises. */
type NameChange = readonly { readonly path: string; readonly to: Inode | null }[]

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
const error = (code: string, path: string) => fail<FsError>({ code, path, message: `${path}: ${code}` })

export function createMemoryDisk(): MemoryDisk {
  const folders = new Set<string>()
  let names = new Map<string, Inode>()
  let durableNames = new Map<string, Inode>()
  let changes: NameChange[] = []
  const apply = (into: Map<string, Inode>, change: NameChange) => {
    for (const { path, to } of change) to === null ? into.delete(path) : into.set(path, to)
  }
  const change = (...stroke: NameChange) => {
    apply(names, stroke)
    changes.push(stroke)
  }
  const lies = (folder: string, stroke: NameChange) => stroke.some(({ path }) => folderOf(path) === folder)
  const fileOf = (inode: Inode): FsFile => ({
    write(bytes) {
      disk.beforeChange?.()
      inode.bytes = Buffer.concat([inode.bytes, bytes])
      return ok(undefined)
    },
    sync() {
      disk.beforeChange?.()
      inode.synced = inode.bytes
      return ok(undefined)
    },
    close: () => ok(undefined),
  })
  const disk: MemoryDisk = {
    beforeChange: null,
    open(path, how) {
      disk.beforeChange?.()
      if (!folders.has(folderOf(path))) return error('ENOENT', path)
      const there = names.get(path)
      if (there !== undefined && how === 'create') return error('EEXIST', path)
      const inode = there ?? { bytes: new Uint8Array(), synced: new Uint8Array() }
      if (there === undefined) change({ path, to: inode })
      return ok(fileOf(inode))
    },
    read(path, limit) {
      const inode = names.get(path)
      if (inode === undefined) return error('ENOENT', path)
      return inode.bytes.length > limit ? error('EFBIG', path) : ok(inode.bytes.slice())
    },
    rename(from, to) {
      disk.beforeChange?.()
      const inode = names.get(from)
      if (inode === undefined) return error('ENOENT', from)
      change({ path: to, to: inode }, { path: from, to: null })
      return ok(undefined)
    },
    remove(path) {
      disk.beforeChange?.()
      if (!names.has(path)) return error('ENOENT', path)
      change({ path, to: null })
      return ok(undefined)
    },
    truncate(path, size) {
      disk.beforeChange?.()
      const inode = names.get(path)
      if (inode === undefined) return error('ENOENT', path)
      inode.bytes = inode.bytes.subarray(0, size)
      inode.synced = inode.bytes
      return ok(undefined)
    },
    list(folder) {
      if (!folders.has(folder)) return error('ENOENT', folder)
      const inside = [...names.keys()].filter((path) => folderOf(path) === folder)
      return ok(inside.map((path) => path.slice(folder.length + 1)).sort())
    },
    makeFolder(folder) {
      for (let path = folder; path !== ''; path = folderOf(path)) folders.add(path)
      return ok(undefined)
    },
    syncFolder(folder) {
      disk.beforeChange?.()
      for (const stroke of changes.filter((each) => lies(folder, each))) apply(durableNames, stroke)
      changes = changes.filter((each) => !lies(folder, each))
      return ok(undefined)
    },
    stat(path) {
      const inode = names.get(path)
      if (inode === undefined && !folders.has(path)) return ok(null)
      const kind = inode === undefined ? 'folder' : 'file'
      const size = inode?.bytes.length ?? 0
      return ok({ size, kind, mode: kind === 'file' ? 0o600 : 0o700, modifiedWallMs: 0, owner: 0 })
    },
    freeBytes: () => ok(1e12),
    cutPower(draw) {
      disk.beforeChange = null
      const survivors = draw.below(changes.length + 1)
      for (const stroke of changes.slice(0, survivors)) apply(durableNames, stroke)
      changes = []
      names = new Map(durableNames)
      durableNames = new Map(names)
      for (const inode of new Set(names.values())) {
        // Appending only grows a file, so what is left is what was synced and some of the rest, perhaps garbled.
        const extra = inode.bytes.subarray(inode.synced.length)
        const kept = extra.slice(0, draw.below(extra.length + 1))
        if (kept.length > 0 && draw.below(3) === 0) kept[draw.below(kept.length)] = draw.below(256)
        inode.bytes = Buffer.concat([inode.synced, kept])
        inode.synced = inode.bytes
      }
    },
    overwrite(path, bytes) {
      const inode = names.get(path)
      if (inode === undefined) throw new Error(`no file ${path}`)
      inode.bytes = bytes
      inode.synced = bytes
    },
  }
  return disk
}
