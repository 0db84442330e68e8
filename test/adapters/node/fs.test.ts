import * as system from 'node:fs'
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import type { FsFile } from '../../../src-main/ports/seams/fs'
import { aTempFolder } from '../../helpers/temp-folder'

const fs = createNodeFs()
const bytes = (text: string) => new TextEncoder().encode(text)
const opened = (result: ReturnType<typeof fs.open>): FsFile => {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}
const codeOf = (result: { ok: boolean } & Partial<{ error: { code: string } }>) => result.error?.code

describe('the file seam', () => {
  test('makes files with 0600 and folders with 0700, whatever the umask says', () => {
    const folder = join(aTempFolder(), 'a', 'b')
    const before = process.umask(0o277)
    try {
      expect(fs.makeFolder(folder).ok).toBe(true)
    } finally {
      process.umask(before)
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    opened(fs.open(join(folder, 'new'), 'create')).close()
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o600)
    opened(fs.open(join(folder, 'log'), 'append')).close()
    expect(statSync(join(folder, 'log')).mode & 0o777).toBe(0o600)
  })

  test('gives up on a folder that the system will never make, instead of trying for ever', () => {
    expect(codeOf(fs.makeFolder('/proc/none/deep'))).toBe('ENOENT')
    const file = join(aTempFolder(), 'f')
    writeFileSync(file, '')
    expect(codeOf(fs.makeFolder(file))).toBe('EEXIST')
    expect(codeOf(fs.makeFolder(join(file, 'under')))).toBe('ENOTDIR')
  })

  test('creates exclusively, appends at the end', () => {
    const path = join(aTempFolder(), 'f')
    const file = opened(fs.open(path, 'create'))
    expect([file.write(bytes('one ')).ok, file.sync().ok, file.close().ok]).toEqual([true, true, true])
    expect(codeOf(fs.open(path, 'create'))).toBe('EEXIST')
    const again = opened(fs.open(path, 'append'))
    again.write(bytes('two'))
    again.close()
    expect(readFileSync(path, 'utf8')).toBe('one two')
  })

  test('says what failed, on what, why, with the system’s code', () => {
    const path = join(aTempFolder(), 'none')
    expect(fs.read(path, 10)).toEqual({
      ok: false,
      error: { code: 'ENOENT', path, message: `cannot read ${path}: there is nothing of that name (ENOENT)` },
    })
  })

  const refused = [
    ['a link, even to a file of our own', (p: string) => symlinkSync(join(p, '..'), join(p, 'x')), 'ELOOP'],
    ['a folder', (p: string) => mkdirSync(join(p, 'x')), 'EISDIR'],
    ['a device', (p: string) => symlinkSync('/dev/full', join(p, 'x')), 'ELOOP'],
    ['more than was asked for', (p: string) => writeFileSync(join(p, 'x'), 'x'.repeat(11)), 'EFBIG'],
  ] as const
  test.each(refused)('does not read %s', (_name, make, code) => {
    const folder = aTempFolder()
    make(folder)
    expect(codeOf(fs.read(join(folder, 'x'), 10))).toBe(code)
  })

  test('does not write through a link, truncate through one, or take one for a folder', () => {
    const folder = aTempFolder()
    writeFileSync(join(folder, 'target'), 'kept')
    symlinkSync(join(folder, 'target'), join(folder, 'link'))
    mkdirSync(join(folder, 'inside'))
    symlinkSync(join(folder, 'inside'), join(folder, 'folder-link'))
    expect(codeOf(fs.open(join(folder, 'link'), 'append'))).toBe('ELOOP')
    expect(codeOf(fs.truncate(join(folder, 'link'), 0))).toBe('ELOOP')
    expect(codeOf(fs.makeFolder(join(folder, 'folder-link')))).toBe('ELOOP')
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('kept')
    expect(fs.stat(join(folder, 'link'))).toMatchObject({ value: { kind: 'link' } })
  })

  test('tells of a file what is asked at the start: kind, size, mode, owner; null when it is not there', () => {
    const folder = aTempFolder()
    writeFileSync(join(folder, 'f'), '12345')
    chmodSync(join(folder, 'f'), 0o640)
    expect(fs.stat(join(folder, 'f'))).toMatchObject({
      value: { size: 5, kind: 'file', mode: 0o640, owner: process.getuid?.() ?? null },
    })
    expect(fs.stat(join(folder, 'g'))).toEqual({ ok: true, value: null })
    expect(codeOf(fs.stat(join(folder, 'f', 'under')))).toBe('ENOTDIR')
    expect(fs.freeBytes(folder)).toMatchObject({ ok: true, value: expect.any(Number) })
  })

  test('goes on after short writes until all is written', () => {
    const path = join(aTempFolder(), 'f')
    const oneByOne = createNodeFs({
      ...system,
      writeSync: ((handle: number, data: Uint8Array, at: number) =>
        system.writeSync(handle, data, at, 1)) as typeof system.writeSync,
    })
    const file = opened(oneByOne.open(path, 'create'))
    expect(file.write(bytes('short writes')).ok).toBe(true)
    file.close()
    expect(readFileSync(path, 'utf8')).toBe('short writes')
  })

  test('does not spin on a disk that takes nothing and reports nothing', () => {
    const stuck = createNodeFs({ ...system, writeSync: (() => 0) as typeof system.writeSync })
    expect(codeOf(opened(stuck.open(join(aTempFolder(), 'f'), 'create')).write(bytes('x')))).toBe('EIO')
  })

  test('throws a handle away after a failed sync: never "sync again"', () => {
    let syncs = 0
    const failing = createNodeFs({
      ...system,
      fsyncSync: () => {
        syncs++
        throw Object.assign(new Error('EIO'), { code: 'EIO' })
      },
    })
    const file = opened(failing.open(join(aTempFolder(), 'f'), 'create'))
    expect(file.write(bytes('x')).ok).toBe(true)
    expect([codeOf(file.sync()), codeOf(file.sync()), codeOf(file.write(bytes('y')))]).toEqual([
      'EIO',
      'EBADF',
      'EBADF',
    ])
    expect([syncs, file.close().ok]).toEqual([1, true])
  })
})
