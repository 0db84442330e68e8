import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keepListening } from '../../src-main/adapters/local-socket/keep-listening'
import { listenLocal } from '../../src-main/adapters/local-socket/listen-local'
import { createNodeFs } from '../../src-main/adapters/node/fs'
import { nodeNet } from '../../src-main/adapters/node/net'
import { createManualClock } from '../helpers/manual-clock'
import { aTempFolder } from '../helpers/temp-folder'
import { until } from '../helpers/until'

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

  test('leaves a named pipe alone', async () => {
    const path = join(aTempFolder(), 'a.sock')
    spawnSync('sh', ['-c', `mkfifo ${path}`])
    expect(await listen(path)).toMatchObject({
      ok: false,
      error: { code: 'in-use', message: `${path} is a pipe or a device, not a socket; move it away` },
    })
    expect(statSync(path).isFIFO()).toBe(true)
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

describe('a local socket that is kept', () => {
  async function kept(path: string) {
    const clock = createManualClock()
    const told: (string | null)[] = []
    const listening = await keepListening({ net: nodeNet, fs, timers: clock }, path, {
      onSocket: (socket) => void socket.write('kept'),
      onLost: (why) => told.push(why),
    })
    if (!listening.ok) throw new Error(listening.error.message)
    onTestFinished(() => listening.value.close())
    return { clock, told, listening: listening.value }
  }
  async function connected(path: string) {
    const socket = createConnection({ path })
    await once(socket, 'data')
    return socket
  }

  test('is made again with its folder; who was connected stays so, until it is closed', async () => {
    const folder = join(aTempFolder(), 'deep', 'folder')
    const path = join(folder, 'a.sock')
    const { clock, told, listening } = await kept(path)
    const before = await connected(path)
    for (let times = 1; times <= 2; times++) {
      rmSync(folder, { recursive: true })
      clock.advance(1_000)
      await until('word of it', () => told.length === times)
    }
    expect(told).toEqual([null, null])
    const after = await connected(path)
    expect(before.destroyed).toBe(false)
    const ends = Promise.all([before, after].map((socket) => once(socket, 'close')))
    await listening.close()
    await ends
    expect(existsSync(path)).toBe(false)
  })

  test('leaves what somebody else put in its place alone, says so once, and comes back when that is gone', async () => {
    const path = join(aTempFolder(), 'a.sock')
    const { clock, told } = await kept(path)
    rmSync(path)
    const other = createServer((socket) => void socket.end('other')).listen(path)
    await once(other, 'listening')
    clock.advance(3_000)
    expect(told).toEqual([expect.stringContaining('something else stands at')])
    expect(await hears(path)).toBe('other')
    await new Promise((done) => other.close(done))
    clock.advance(1_000)
    await until('word of it', () => told.at(-1) === null)
    await connected(path)
  })
})
