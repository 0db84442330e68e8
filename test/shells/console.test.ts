import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Fs } from '../../src-main/ports/seams/fs'
import { openConsole } from '../../src-main/shells/console'
import { readStartOptions } from '../../src-main/shells/start-options'
import { createQuietProc } from '../helpers/quiet-control'

const { disk, temp } = await vi.hoisted(async () => {
  const { mkdtempSync } = await import('node:fs')
  const { tmpdir } = await import('node:os')
  const temp = mkdtempSync(`${tmpdir()}/signalbox-test-`)
  process.env.TMPDIR = temp // before the console asks for it
  return { temp, disk: { breaks: (_: { on: 'open'; code: string; path: RegExp }) => {} } }
})
vi.mock('../../src-main/adapters/node/fs', async (original) => {
  const { createNodeFs } = (await original()) as { createNodeFs: () => Fs }
  const { createFalseFs } = await import('../helpers/false-fs')
  const fs = createFalseFs(createNodeFs())
  disk.breaks = fs.breaks
  return { createNodeFs: () => fs }
})

let stderr = ''
beforeEach(() => {
  stderr = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text
    return true
  })
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => rmSync(temp, { recursive: true, force: true }))
const shell = { open: () => null, revoke: () => {}, sandboxOff: false }

describe('a data folder that cannot be written', () => {
  test('is said where it was started, with the way out, and leaves no folder behind', async () => {
    const folder = join(temp, 'data')
    mkdirSync(folder, { mode: 0o700 })
    disk.breaks({ on: 'open', code: 'EROFS', path: /lock/ })
    const console = await openConsole(
      readStartOptions(['--data-dir', folder, '--port', '0']),
      createQuietProc(),
      shell,
    )
    expect(stderr).toMatch(
      /^signalbox: .*lock: EROFS.*: Signalbox is read-only\. Make .*data writable and start again; until then nothing is kept and commands do not reach this console\n$/,
    )
    expect(readdirSync(temp)).toHaveLength(2)
    await console.close(0)
    expect(readdirSync(temp)).toEqual(['data'])
  })
})
