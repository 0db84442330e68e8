import { fail } from '../../src-main/base/result'
import type { Fs, FsError, FsFile } from '../../src-main/ports/seams/fs'

type Operation = keyof Fs | 'write' | 'sync'

/** One thing that goes wrong: the operation, whose path matches, fails with that code. */
export interface Fault {
  readonly on: Operation
  readonly code: string
  readonly path?: RegExp
  /** How often; for ever when it is left out. */
  readonly times?: number
  /** For `write`: how many bytes reach the file before it fails. */
  readonly afterBytes?: number
}

/** A file system whose operations fail on demand; everything else goes to the one inside. */
export interface FalseFs extends Fs {
  breaks(...faults: Fault[]): void
  /** The disk is well again. */
  mend(): void
  /** Overrides what the disk says is free; null: ask the one inside. */
  free(bytes: number | null): void
}

export function createFalseFs(inner: Fs): FalseFs {
  let faults: { fault: Fault; left: number }[] = []
  let free: number | null = null
  const trip = (on: Operation, path: string): Fault | null => {
    const found = faults.find(
      ({ fault, left }) => left > 0 && fault.on === on && (fault.path?.test(path) ?? true),
    )
    if (found === undefined) return null
    found.left--
    return found.fault
  }
  const error = ({ code }: Fault, path: string): FsError => ({
    code,
    path,
    message: `${path}: ${code} (injected)`,
  })
  const file = (path: string, opened: FsFile): FsFile => ({
    write(bytes) {
      const fault = trip('write', path)
      if (fault === null) return opened.write(bytes)
      if (fault.afterBytes !== undefined) opened.write(bytes.subarray(0, fault.afterBytes))
      opened.close()
      return fail(error(fault, path))
    },
    sync() {
      const fault = trip('sync', path)
      if (fault === null) return opened.sync()
      opened.close()
      return fail(error(fault, path))
    },
    close: () => opened.close(),
  })
  const guarded = <T>(on: Operation, path: string, run: () => T) => {
    const fault = trip(on, path)
    return fault === null ? run() : fail(error(fault, path))
  }
  return {
    breaks: (...more) => void faults.push(...more.map((fault) => ({ fault, left: fault.times ?? Infinity }))),
    mend() {
      faults = []
    },
    free(bytes) {
      free = bytes
    },
    open(path, how) {
      const fault = trip('open', path)
      if (fault !== null) return fail(error(fault, path))
      const opened = inner.open(path, how)
      return opened.ok ? { ok: true, value: file(path, opened.value) } : opened
    },
    read: (path, limit) => guarded('read', path, () => inner.read(path, limit)),
    rename: (from, to) => guarded('rename', to, () => inner.rename(from, to)),
    remove: (path) => guarded('remove', path, () => inner.remove(path)),
    truncate: (path, size) => guarded('truncate', path, () => inner.truncate(path, size)),
    list: (folder) => guarded('list', folder, () => inner.list(folder)),
    makeFolder: (folder) => guarded('makeFolder', folder, () => inner.makeFolder(folder)),
    syncFolder: (folder) => guarded('syncFolder', folder, () => inner.syncFolder(folder)),
    stat: (path) => guarded('stat', path, () => inner.stat(path)),
    freeBytes: (folder) =>
      free === null
        ? guarded('freeBytes', folder, () => inner.freeBytes(folder))
        : { ok: true as const, value: free },
  }
}
