import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { routerLink } from '../../src-main/contract/links'
import { createPeer } from '../../src-main/contract/peer'
import type { Transport } from '../../src-main/contract/transport'
import { bundled } from '../helpers/bundled'
import { eventually } from '../helpers/eventually'
import { chatRequest, nextReply, rawClient } from '../helpers/raw-client'
import {
  beginStream,
  contentEvent,
  doneEvent,
  finishEvent,
  type ScriptedCall,
  startReplica,
} from '../helpers/scripted-replica'

// The router as a process of its own: how it ends, and what its clients see of that.
let program = ''
beforeAll(async () => {
  program = await bundled('src-main/router.ts')
}, 60_000)

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function startChild(replicaUrl: string) {
  const child = fork(program, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  children.push(child)
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)))
  const control = createPeer<
    Record<string, never>,
    typeof routerLink,
    Record<string, never>,
    Record<string, never>
  >(transportTo(child), { serves: {}, handlers: {} })
  const started = await control.call('router.start', {
    host: '127.0.0.1',
    proxyPort: 0,
    routerPort: 0,
    ipv6: false,
    policy: { id: 'round-robin', params: {} },
    seed: 1,
    sessionKeyHex: '00',
    ingestPath: '/nowhere/ingest.sock',
    replicaIdPrefix: 'p#',
    replicas: [{ id: 'r1', model: 'm', url: replicaUrl }],
    dataPlaneKey: null,
  })
  if (!started.ok) throw new Error(started.error.message)
  return { child, control, output, proxyPort: started.value.proxyPort }
}

function transportTo(child: ChildProcess): Transport {
  return {
    send: (frame) => child.connected && child.send(frame as object),
    onFrame: (listener) => void child.on('message', listener),
    onClose: (listener) => void child.once('disconnect', () => listener('the child is gone')),
    close: () => child.disconnect(),
    bufferedBytes: 0,
  }
}

/** A stream that has begun and waits to be ended. */
async function openStream() {
  const calls: ScriptedCall[] = []
  const replica = await startReplica((call) => {
    calls.push(call)
    beginStream(call)
    call.chunk(contentEvent('a'))
  })
  const router = await startChild(replica.url)
  const client = rawClient(router.proxyPort)
  client.send(chatRequest(router.proxyPort, { body: { stream: true } }))
  await eventually(() => client.received().toString()).toContain('"a"')
  return {
    ...router,
    client,
    end() {
      calls[0]?.chunk(finishEvent() + doneEvent)
      calls[0]?.endChunks()
    },
  }
}

test('control is gone: the running stream ends whole, then the router ends, without a word', async () => {
  const { child, client, end, output } = await openStream()
  child.disconnect()
  await eventually(() => canConnect(client.socket.remotePort ?? 0)).toBe(false)
  end()
  const reply = await nextReply(client)
  expect([reply.whole, reply.text.endsWith(doneEvent)]).toEqual([true, true])
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  expect(output.join('')).toBe('')
})

test('SIGTERM: it drains, then ends with 0; SIGINT alone leaves it to control', async () => {
  const { child, client, end } = await openStream()
  child.kill('SIGINT')
  child.kill('SIGTERM')
  await eventually(() => canConnect(client.socket.remotePort ?? 0)).toBe(false)
  end()
  expect((await nextReply(client)).whole).toBe(true)
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('F42: the router is killed: its clients see the connection end, without a clean end', async () => {
  const { child, client } = await openStream()
  child.kill('SIGKILL')
  const reply = await nextReply(client)
  expect([reply.status, reply.whole]).toEqual([200, false])
})

async function canConnect(port: number): Promise<boolean> {
  const { socket } = rawClient(port)
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
}
