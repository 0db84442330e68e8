import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { present } from '../../src-main/base/assert'
import { until } from '../helpers/until'

const folder = mkdtempSync(join(tmpdir(), 'signalbox-entries-'))
beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: true,
      target: 'node18',
      outDir: folder,
      rolldownOptions: {
        input: { fleet: 'src-main/fleet.ts', traffic: 'src-main/traffic.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
      },
    },
    ssr: { noExternal: true },
  })
}, 30_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(role: 'fleet' | 'traffic') {
  const child = fork(join(folder, `${role}.cjs`), [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  children.push(child)
  const errors: string[] = []
  child.stderr?.on('data', (text) => errors.push(`${text}`))
  const notes: Record<string, number>[] = []
  const replies: { id: number; value?: unknown }[] = []
  child.on('message', (frame: { k: string; id: number; body: Record<string, number> }) =>
    frame.k === 'note' ? notes.push(frame.body) : replies.push(frame),
  )
  const call = async (id: number, name: string, params: object) => {
    child.send({ k: 'call', id, name, params })
    await until(`a reply to ${name}`, () => replies.some((reply) => reply.id === id))
    return replies.find((reply) => reply.id === id)
  }
  return { child, call, notes, errors }
}
const startFleet = {
  replicas: 2,
  seed: 1,
  speed: 50,
  model: 'demo-8b',
  profile: 'llama-3.1-8b_h100',
  host: '127.0.0.1',
}

describe('fleet and traffic as processes', () => {
  test('the fleet serves, the traffic sends, Ctrl-C leaves both alone, and both end when control is gone', async () => {
    const fleet = start('fleet')
    const started = await fleet.call(0, 'fleet.start', startFleet)
    const { replicas } = present(started, 'a reply').value as { replicas: { id: string; url: string }[] }
    expect(replicas.map(({ id }) => id)).toEqual(['r1', 'r2'])
    const traffic = start('traffic')
    await traffic.call(0, 'traffic.start', {
      proxyUrl: replicas[0]?.url,
      model: 'demo-8b',
      seed: 1,
      ratePerSecond: 40,
      running: true,
      dataPlaneKey: null,
    })
    await until('traffic', () => (traffic.notes.at(-1)?.sent ?? 0) > 10)
    for (const { child } of [fleet, traffic]) child.kill('SIGINT')
    const before = traffic.notes.at(-1)?.sent ?? 0
    await until('traffic goes on', () => (traffic.notes.at(-1)?.sent ?? 0) > before)
    expect(traffic.notes.at(-1)).toMatchObject({ failed: 0, skipped: 0 })
    for (const { child, errors } of [traffic, fleet]) {
      child.disconnect()
      await until('ended', () => child.exitCode !== null)
      expect([child.exitCode, errors.join('')]).toEqual([0, ''])
    }
  }, 20_000)
})
