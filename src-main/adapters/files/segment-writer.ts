import { fail, type Result } from '../../base/result'
import type { Bytes } from '../../base/units'
import type { Fs, FsError, FsFile } from '../../ports/seams/fs'
import { segmentPath } from './segment-files'

/** Where appending goes on: the last segment and its acknowledged bytes, or a fresh one after it. */
export interface WritePosition {
  /** 0 when there is no segment yet. */
  readonly number: number
  readonly size: Bytes
  /** True: that segment is never touched again, the next line begins a new one. */
  readonly startNew: boolean
}

/** Appends lines to segments. */
export interface SegmentWriter {
  /** When it returns ok the line is on the disk; otherwise nothing of it counts, and as far as the disk lets us it is gone. */
  append(line: Uint8Array): Result<void, FsError>
  /** Whether the segment is on the disk as we left it. */
  intact(): boolean
  /** The next line begins a new segment; the one in use is never touched again. */
  startNew(): void
  close(): void
}

/** How a writer is made. `onFailedSync` hears that a segment was left because its disk lost a write. */
export interface SegmentWriterOptions {
  readonly fs: Fs
  readonly folder: string
  readonly rotateBytes: Bytes
  readonly onFailedSync: (error: FsError) => void
}

/** Makes a writer that goes on at a position. */
export function createSegmentWriter(options: SegmentWriterOptions, from: WritePosition): SegmentWriter {
  const { fs, folder, rotateBytes } = options
  let position = from
  let nextNumber = from.number + 1
  let file: FsFile | null = null

  const release = () => {
    file?.close()
    file = null
  }

  /** Opens what the next line goes to. A new segment's name is made durable before anything in it is acknowledged. */
  const open = (fresh: boolean): Result<FsFile, FsError> => {
    const path = segmentPath(folder, fresh ? nextNumber : position.number)
    const opened = fs.open(path, fresh ? 'create' : 'append')
    if (!opened.ok || !fresh) return opened
    const named = fs.syncFolder(folder)
    if (named.ok) return opened
    opened.value.close()
    return fail(named.error)
  }

  /** Takes back what a failed append may have left. Where even that fails, the segment is left as it is for good. */
  const takeBack = (fresh: boolean) => {
    release()
    if (!fresh) {
      if (!fs.truncate(segmentPath(folder, position.number), position.size).ok)
        position = { ...position, startNew: true }
      return
    }
    const removed = fs.remove(segmentPath(folder, nextNumber))
    if (!removed.ok && removed.error.code !== 'ENOENT') nextNumber++
  }

  const appendOnce = (
    line: Uint8Array,
  ): { readonly step: 'write' | 'sync'; readonly result: Result<void, FsError> } => {
    const full = position.size > 0 && position.size + line.length > rotateBytes
    const fresh = position.number === 0 || position.startNew || full
    if (fresh) release()
    const opened: Result<FsFile, FsError> = file === null ? open(fresh) : { ok: true, value: file }
    if (!opened.ok) {
      takeBack(fresh)
      return { step: 'write', result: opened }
    }
    file = opened.value
    const written = file.write(line)
    const result = written.ok ? file.sync() : written
    if (!result.ok) takeBack(fresh)
    else if (fresh) position = { number: nextNumber++, size: line.length, startNew: false }
    else position = { ...position, size: position.size + line.length }
    return { step: written.ok ? 'sync' : 'write', result }
  }

  return {
    append(line) {
      const first = appendOnce(line)
      if (first.result.ok || first.step === 'write') return first.result
      options.onFailedSync(first.result.error)
      position = { ...position, startNew: true }
      return appendOnce(line).result
    },
    intact() {
      // Before the first record there is no segment yet, only its folder.
      const found = fs.stat(position.number === 0 ? folder : segmentPath(folder, position.number))
      if (!found.ok) return true // the append itself will meet the same error and name it
      if (position.number === 0) return found.value !== null
      return found.value !== null && (position.startNew || found.value.size === position.size)
    },
    startNew() {
      release()
      position = { ...position, startNew: true }
    },
    close: release,
  }
}
