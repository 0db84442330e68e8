import type { Bytes } from '../../base/units'
import type { Fs } from '../../ports/seams/fs'

/** Space that is held back on the disk, to be given up when a record must be written and no other space is left. */
export interface SpaceReserve {
  /** Takes the space unless it is held already, or the disk has less than four times as much. */
  fill(): void
  /** Gives the space up; false when there was none. */
  release(): boolean
}

/** A file of that size, full of zeros. (A file system that compresses holds nothing back by it.) */
export function createSpaceReserve(fs: Fs, folder: string, path: string, bytes: Bytes): SpaceReserve {
  return {
    fill() {
      const found = fs.stat(path)
      if (!found.ok || found.value?.size === bytes) return
      const free = fs.freeBytes(folder)
      if (!free.ok || free.value < 4 * bytes) return
      fs.remove(path)
      const opened = fs.open(path, 'create')
      if (!opened.ok) return
      const written = opened.value.write(new Uint8Array(bytes))
      const held = written.ok && opened.value.sync().ok
      opened.value.close()
      if (!held) fs.remove(path)
    },
    release: () => fs.remove(path).ok,
  }
}
