import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { createNodeHost } from '../../src-main/adapters/node/host'
import { storeFile } from '../../src-main/adapters/store/schema'
import type { Transport } from '../../src-main/contract/transport'
import { aDecision, anEnd } from '../helpers/a-row'
import { aControlEnd, aRouter, type RouterEnd } from '../helpers/an-ingest'
import { bundled } from '../helpers/bundled'
import { aTempFolder } from '../helpers/temp-folder'
import { until } from '../helpers/until'

let program = ''
beforeAll(async () => {
  program = await bundled('src-main/ingest.ts')
}, 60_000)

const linkOf = (child: ChildProcess): Transport => ({
  send: (frame) => child.connected && child.send(frame as object),
  onFrame: (listener) => void child.on('message', listener),
  onClose: (listener) => void child.once('disconnect', () => listener('it ended')),
  close: () => child.connected && child.disconnect(),
  bufferedBytes: 0,
})

/** A real process of its own, as control starts it. */
async function aProcess(folder: string, boot: string) {
  const child = fork(program, [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const control = aControlEnd(linkOf(child))
  const listenPath = join(folder, 'ingest.sock')
  const asked = performance.now()
  const start = await control.call('ingest.start', {
    storeFolder: join(folder, 'store'),
    listenPath,
    pollEveryMs: 200,
    boot,
  })
  return { child, control, listenPath, start, tookMs: performance.now() - asked }
}

/** A control process between us and ingest, which hands every frame on: one that can be killed. */
const relay = `
  const child = require('node:child_process').fork(process.argv[1], [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'advanced' })
  child.on('message', (frame) => process.send(frame))
  process.on('message', (frame) => child.send(frame))
  process.send({ k: 'note', name: 'pid', body: child.pid })
`
async function underControl(folder: string) {
  const child = spawn(process.execPath, ['-e', relay, program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [first] = (await once(child, 'message')) as [{ readonly body: number }]
  const listenPath = join(folder, 'ingest.sock')
  const control = aControlEnd(linkOf(child))
  const start = { storeFolder: join(folder, 'store'), listenPath, pollEveryMs: 200, boot: 'b1' }
  expect(await control.call('ingest.start', start)).toMatchObject({ ok: true })
  onTestFinished(() => {
    if (isRunning(first.body)) process.kill(first.body, 'SIGKILL')
  })
  return { child, control, listenPath, ingestPid: first.body }
}

const isRunning = (pid: number) => createNodeHost().identityOf(pid) !== null

/** Rows in the file, read by somebody else. */
function stored(folder: string): number {
  const database = new DatabaseSync(join(folder, 'store', storeFile), { readOnly: true, timeout: 500 })
  try {
    const row = database.prepare('SELECT count(*) AS count FROM decisions WHERE outcome = ?').get('ok') as {
      count: number
    }
    return row.count
  } finally {
    database.close()
  }
}

function tellSome(router: RouterEnd, from: number, count: number): void {
  for (let at = from; at < from + count; at++) {
    const monoMs = nodeClock.monoMs()
    router.tell(aDecision({ id: `d${at}`, monoMs }), anEnd(`d${at}`, monoMs + 1))
  }
}

describe('[F72] [F75] an ingest process that is killed', () => {
  test('starts again at once on what it had written, takes its socket over, and goes on', async () => {
    const folder = aTempFolder()
    let told = 0
    let kept = 0
    for (const boot of ['b1', 'b2', 'b3']) {
      const { child, control, listenPath, start, tookMs } = await aProcess(folder, boot)
      expect(start).toEqual({ ok: true, value: { store: 'ok', why: null, moved: null } })
      expect(tookMs).toBeLessThan(3_000) // the program's own start included
      expect(stored(folder)).toBeGreaterThanOrEqual(kept)
      const router = await aRouter(listenPath, 'router-1')
      tellSome(router, told, 200)
      told += 200
      await until('the rows in the file', () => stored(folder) >= kept + 200)
      kept = stored(folder)
      tellSome(router, told, 100) // some of these are on their way when it dies
      told += 100
      const last = await control.call('ingest.last', { last: 1_000 })
      expect(last.ok && last.value.rows.length).toBeGreaterThanOrEqual(kept)
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }, 60_000)

  test('writes what waits when control is killed, and ends by itself', async () => {
    const folder = aTempFolder()
    const { child, control, listenPath, ingestPid } = await underControl(folder)
    const router = await aRouter(listenPath, 'router-1')
    tellSome(router, 0, 300)
    await until('all rows in memory', async () => {
      const last = await control.call('ingest.last', { last: 1_000, filter: 'outcome:ok' })
      return last.ok && last.value.matched === 300
    })
    child.kill('SIGKILL')
    await until('the end of the ingest process', () => !isRunning(ingestPid))
    expect(stored(folder)).toBe(300)
    expect(existsSync(listenPath)).toBe(false)
  }, 60_000)

  test('writes what waits on SIGTERM, and ends with 0', async () => {
    const folder = aTempFolder()
    const { child, control, listenPath } = await aProcess(folder, 'b1')
    const router = await aRouter(listenPath, 'router-1')
    tellSome(router, 0, 50)
    await until('all rows in memory', async () => {
      const last = await control.call('ingest.last', { last: 100, filter: 'outcome:ok' })
      return last.ok && last.value.matched === 50
    })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(stored(folder)).toBe(50)
  }, 60_000)
})
