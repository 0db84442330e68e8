import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenLocal } from '../../src-main/adapters/local-socket/listen-local'
import { createNodeFs } from '../../src-main/adapters/node/fs'
import { nodeNet } from '../../src-main/adapters/node/net'
import { createDoor } from '../../src-main/shells/door'
import { createManualClock } from '../helpers/manual-clock'
import { createQuietControl } from '../helpers/quiet-control'
import { aTempFolder } from '../helpers/temp-folder'

async function aDoor() {
  const clock = createManualClock()
  const { control } = createQuietControl()
  onTestFinished(() => control.stop(0))
  const path = join(aTempFolder(), 'control.sock')
  const letIn = createDoor({ control, timers: clock, mayOperate: true })
  let came = 0
  const listening = await listenLocal(nodeNet, createNodeFs(), path, (socket) => {
    came++
    letIn(socket)
  })
  if (!listening.ok) return expect.fail(listening.error.message)
  onTestFinished(() => listening.value.close())
  return {
    clock,
    /** A connection that was let in, or not. */
    async visit(first = ''): Promise<Socket> {
      const before = came
      const socket = createConnection({ path })
      socket.on('error', () => {}).resume()
      await once(socket, 'connect')
      socket.write(first)
      await expect.poll(() => came).toBeGreaterThan(before)
      return socket
    },
  }
}
const call = '{"k":"call","id":0,"name":"policies.list","params":{}}\n'
const ended = (socket: Socket) =>
  new Promise<void>((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))

describe('SR-029 silence keeps no place at the command line’s socket', () => {
  test.each([
    ['nothing', ''],
    ['half a line', call.slice(0, 20)],
  ])('after %s the connection is ended in five seconds', async (_name, bytes) => {
    const { clock, visit } = await aDoor()
    const socket = await visit(bytes)
    clock.advance(4_999)
    expect(socket.closed).toBe(false)
    clock.advance(1)
    await ended(socket)
  })
  test('one that asks may rest a minute, and no longer', async () => {
    const { clock, visit } = await aDoor()
    const socket = await visit(call)
    await once(socket, 'data')
    clock.advance(59_000)
    socket.write(call)
    await once(socket, 'data')
    clock.advance(59_000)
    expect(socket.closed).toBe(false)
    clock.advance(1_000)
    await ended(socket)
  })
  test('the sixty-fifth is turned away, and there is room again when one has gone', async () => {
    const { clock, visit } = await aDoor()
    const all: Socket[] = []
    for (let times = 0; times < 64; times++) all.push(await visit())
    await ended(await visit(call))
    clock.advance(5_000)
    await Promise.all(all.map(ended))
    await once(await visit(call), 'data')
  })
})
