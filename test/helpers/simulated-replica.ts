import { afterEach } from 'vitest'
import { readMetricPage } from '../../src-main/adapters/metrics/prometheus-text'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { nodeNet } from '../../src-main/adapters/node/net'
import { nodeRandom } from '../../src-main/adapters/node/random'
import { nodeTimers } from '../../src-main/adapters/node/timers'
import { createSimulatedReplicaHost } from '../../src-main/adapters/simulated-replica/replica-host'
import type { HostedReplica, ReplicaSpec } from '../../src-main/ports/replica-host'

export const realSeams = { net: nodeNet, clock: nodeClock, timers: nodeTimers, random: nodeRandom }

const open: HostedReplica[] = []
afterEach(async () => {
  for (const replica of open.splice(0)) await replica.kill()
})

/** A simulated replica on a real port, closed after the test. */
export async function openReplica(spec: Partial<ReplicaSpec> = {}): Promise<HostedReplica> {
  const opened = await createSimulatedReplicaHost(realSeams).open({
    id: 'r1',
    model: 'demo-8b',
    profile: 'llama-3.1-8b_h100',
    kvTokens: null,
    seed: 1,
    speed: 100,
    host: '127.0.0.1',
    ...spec,
  })
  if (!opened.ok) throw new Error(opened.error.message)
  open.push(opened.value)
  return opened.value
}

/** `fetch` on a connection of its own: a pooled one may belong to a replica that had the same port before and was killed. */
export const ask = (url: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  fetch(url, { ...init, headers: { connection: 'close', ...init.headers } })

/** The sum of a metric's series, with these labels, at a replica; NaN when there is none. */
export async function metric(
  url: string,
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const page = readMetricPage(await (await ask(`${url}/metrics`)).text())
  const found = page.samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([key, value]) => sample.labels.get(key) === value),
  )
  return found.length === 0 ? Number.NaN : found.reduce((sum, { value }) => sum + value, 0)
}
