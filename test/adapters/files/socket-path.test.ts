import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { controlSocketPath, prepareSocketFolder } from '../../../src-main/adapters/files/socket-path'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { aHost } from '../../helpers/a-host'
import { sha256 } from '../../helpers/an-audit-log'
import { aTempFolder } from '../../helpers/temp-folder'

const linux = aHost({ platform: 'linux', userId: 1000, userName: 'op', temp: '/tmp' })
const pathFor = (folder: string, host = linux) => controlSocketPath(folder, { host, sha256 })

describe('the control socket', () => {
  test.each([
    ['a short folder holds it', '/home/op/data', '/home/op/data/control.sock'],
    ['99 bytes are short enough', `/${'x'.repeat(85)}`, `/${'x'.repeat(85)}/control.sock`],
    [
      '100 bytes are not',
      `/${'x'.repeat(86)}`,
      `/tmp/signalbox-1000/${sha256(`/${'x'.repeat(86)}`).slice(0, 16)}.sock`,
    ],
    [
      'bytes count, not letters',
      `/${'한'.repeat(30)}`,
      `/tmp/signalbox-1000/${sha256(`/${'한'.repeat(30)}`).slice(0, 16)}.sock`,
    ],
  ])('%s', (_name, folder, path) => expect(pathFor(folder)).toBe(path))

  test('is a named pipe of the user’s on Windows', () => {
    const path = pathFor('C:\\data', { ...linux, platform: 'win32' })
    expect(path).toMatch(/^\\\\\.\\pipe\\signalbox-op-[0-9a-f]{16}$/)
  })

  test('in the temporary folder gets a folder that is the user’s alone, or none', () => {
    const fs = createNodeFs()
    const host = { ...aHost(), temp: aTempFolder() }
    const path = pathFor(`/${'x'.repeat(100)}`, host)
    expect(prepareSocketFolder(fs, path, host).ok).toBe(true)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
    chmodSync(join(path, '..'), 0o755)
    expect(prepareSocketFolder(fs, path, host)).toMatchObject({
      ok: false,
      error: expect.stringContaining('open to others'),
    })
    expect(prepareSocketFolder(fs, join(host.temp, 'd', 'control.sock'), host).ok).toBe(true)
  })

  test('does not trust a folder that somebody else made first', () => {
    const host = { ...aHost(), temp: aTempFolder(), userId: 54_321 }
    mkdirSync(join(host.temp, 'signalbox-54321'), { mode: 0o700 })
    const path = pathFor(`/${'x'.repeat(100)}`, host)
    expect(prepareSocketFolder(createNodeFs(), path, host)).toMatchObject({
      ok: false,
      error: expect.stringContaining('belongs to somebody else'),
    })
  })
})
