import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenLocal } from '../../src-main/adapters/local-socket/listen-local'
import { createNodeFs } from '../../src-main/adapters/node/fs'
import { nodeNet } from '../../src-main/adapters/node/net'
import { aTempFolder } from '../helpers/temp-folder'

const fs = createNodeFs()
async function listen(path: string) {
  const listening = await listenLocal(nodeNet, fs, path, (socket) => void socket.end('hello'))
  if (listening.ok) onTestFinished(() => listening.value.close())
  return listening
}
async function hears(path: string): Promise<string> {
  const socket = createConnection({ path })
  let heard = ''
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString()
  })
  await once(socket, 'close')
  return heard
}

describe('a local socket', () => {
  test('is for its owner alone, answers, and is gone when it is closed', async () => {
    const path = join(aTempFolder(), 'a.sock')
    const listening = await listen(path)
    expect(listening.ok).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await hears(path)).toBe('hello')
    if (listening.ok) await listening.value.close()
    expect(existsSync(path)).toBe(false)
  })

  test('takes over the file of a process that was killed', async () => {
    const path = join(aTempFolder(), 'a.sock')
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
    spawnSync(process.execPath, ['-e', script])
    expect(existsSync(path)).toBe(true)
    expect((await listen(path)).ok).toBe(true)
    expect(await hears(path)).toBe('hello')
  })

  test('leaves a living one alone', async () => {
    const path = join(aTempFolder(), 'a.sock')
    const other = createServer((socket) => void socket.end('other')).listen(path)
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    expect(await listen(path)).toMatchObject({
      ok: false,
      error: { code: 'in-use', message: `another program answers on ${path}` },
    })
    expect(await hears(path)).toBe('other')
  })

  test('leaves a file that is no socket alone', async () => {
    const path = join(aTempFolder(), 'a.sock')
    writeFileSync(path, 'mine')
    expect(await listen(path)).toMatchObject({
      ok: false,
      error: { code: 'in-use', message: expect.stringContaining('is a file') },
    })
    expect(statSync(path).size).toBe(4)
  })

  test('says so when there is no folder, or the path is too long', async () => {
    expect(await listen(join(aTempFolder(), 'none', 'a.sock'))).toMatchObject({ ok: false })
    expect(await listen(join(aTempFolder(), 'x'.repeat(200)))).toMatchObject({ ok: false })
  })
})
