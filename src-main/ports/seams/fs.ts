import type { Result } from '../../base/result'
import type { Bytes } from '../../base/units'

/** A file operation that failed, with the system's code (`ENOSPC`, `EIO`, `EACCES`, `ENOENT` …). */
export interface FsError {
  readonly code: string
  readonly path: string
  readonly message: string
}

/** An open file. After a failed `sync` it must be thrown away (security page 9.2). */
export interface FsFile {
  /** Appends or writes at the position; loops on short writes. */
  write(bytes: Uint8Array): Result<void, FsError>
  sync(): Result<void, FsError>
  close(): Result<void, FsError>
}

/** The few file operations that exist, synchronous: they are rare and short, and nothing may come between them. */
export interface Fs {
  /** `create`: exclusive, mode 0600. `append`: creates when missing, mode 0600. */
  open(path: string, how: 'create' | 'append'): Result<FsFile, FsError>
  /** The whole file; `EFBIG` when it holds more than `limit`. */
  read(path: string, limit: Bytes): Result<Uint8Array, FsError>
  rename(from: string, to: string): Result<void, FsError>
  remove(path: string): Result<void, FsError>
  /** Cuts the file and makes the cut durable. */
  truncate(path: string, size: Bytes): Result<void, FsError>
  /** Names in a folder, sorted. */
  list(folder: string): Result<readonly string[], FsError>
  /** Makes a folder and its parents, mode 0700; fine when it exists. */
  makeFolder(folder: string): Result<void, FsError>
  syncFolder(folder: string): Result<void, FsError>
  /** Null when there is nothing of that name. */
  stat(path: string): Result<
    {
      readonly size: Bytes
      readonly kind: 'file' | 'folder' | 'link' | 'socket' | 'other'
      readonly mode: number
      readonly modifiedWallMs: number
      /** User id of the owner; null on systems that have none (Windows), where `mode` means nothing either. */
      readonly owner: number | null
    } | null,
    FsError
  >
  /** Free bytes where the folder lies. */
  freeBytes(folder: string): Result<Bytes, FsError>
}
