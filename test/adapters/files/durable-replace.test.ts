import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { durableReplace } from '../../../src-main/adapters/files/durable-replace'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { createDraw } from '../../../src-main/base/draw'
import { createFalseFs, type Fault } from '../../helpers/false-fs'
import { createMemoryDisk } from '../../helpers/memory-disk'
import { aTempFolder } from '../../helpers/temp-folder'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('durable replace', () => {
  const faults: readonly { name: string; fault: Fault; content: string }[] = [
    { name: 'no space for the name', fault: { on: 'open', code: 'ENOSPC' }, content: 'old' },
    {
      name: 'no space for the content',
      fault: { on: 'write', code: 'ENOSPC', afterBytes: 2 },
      content: 'old',
    },
    { name: 'the disk loses writes for good', fault: { on: 'sync', code: 'EIO' }, content: 'old' },
    { name: 'the rename is refused', fault: { on: 'rename', code: 'EACCES' }, content: 'old' },
    { name: 'only the folder cannot be synced', fault: { on: 'syncFolder', code: 'EIO' }, content: 'new' },
  ]
  test.each(faults)('$name: reported, $content content whole, nothing left behind', ({ fault, content }) => {
    const folder = aTempFolder()
    const path = join(folder, 'settings.json')
    writeFileSync(path, 'old')
    const fs = createFalseFs(createNodeFs())
    fs.breaks(fault)
    expect(durableReplace(fs, path, bytes('new'))).toMatchObject({ ok: false, error: { code: fault.code } })
    expect(readFileSync(path, 'utf8')).toBe(content)
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })

  test('after one failed fsync the content goes to a new file', () => {
    const path = join(aTempFolder(), 'f')
    const fs = createFalseFs(createNodeFs())
    fs.breaks({ on: 'sync', code: 'EIO', times: 1 })
    expect(durableReplace(fs, path, bytes('new')).ok).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe('new')
  })

  test('what an interrupted writer left does not stand in the way', () => {
    const folder = aTempFolder()
    writeFileSync(join(folder, 'f.new'), 'half')
    expect(durableReplace(createNodeFs(), join(folder, 'f'), bytes('new')).ok).toBe(true)
    expect(readdirSync(folder)).toEqual(['f'])
  })

  test('F99 after a power cut at any step the file is the old one or the new one, whole', () => {
    const seen = new Set<string>()
    for (let step = 0; step < 8; step++) {
      for (let seed = 0; seed < 20; seed++) {
        const disk = createMemoryDisk()
        disk.makeFolder('/d')
        expect(durableReplace(disk, '/d/f', bytes('the old content')).ok).toBe(true)
        let left = step
        disk.beforeChange = () => {
          if (left-- === 0) throw new Error('power')
        }
        let acknowledged = false
        try {
          acknowledged = durableReplace(disk, '/d/f', bytes('the new content')).ok
        } catch {
          // the power went
        }
        disk.cutPower(createDraw(step * 100 + seed))
        const read = disk.read('/d/f', 100)
        const text = read.ok ? new TextDecoder().decode(read.value) : 'nothing'
        expect(acknowledged ? ['the new content'] : ['the old content', 'the new content']).toContain(text)
        seen.add(text)
      }
    }
    expect(seen.size).toBe(2)
  })
})
