import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'playwright/test'
import type { StatusReport } from '../../../src-main/contract/rpc'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { until } from '../../helpers/until'
import { test } from './console'

test('F91 the data folder is deleted while running: taken again, said, and everything is recorded from then on', async ({
  console: running,
}) => {
  const { dataDir, ready, cli, call } = running
  const ask = () =>
    fetch(`${ready.proxyUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo-8b',
        messages: [{ role: 'user', content: 'hello' }],
        max_tokens: 4,
      }),
    }).then(async (response) => ({
      text: await response.text(),
      id: response.headers.get('x-signalbox-decision'),
    }))
  const recorded = async (id: string | null) =>
    (await call<{ rows: DecisionRow[] }>('decisions.last', { last: 50 })).rows.some((row) => row.id === id)
  const health = async () => (await call<StatusReport>('status.read', {})).health

  rmSync(dataDir, { recursive: true, force: true })
  await until('the command line is served again', async () => (await cli('decisions')).code === 0)
  expect((await cli('policy', 'round-robin')).code, 'a change is audited in the new folder').toBe(0)
  await until('the banner', async () =>
    (await health()).banners.some(({ text }) => text.includes('was deleted while Signalbox ran')),
  )
  // A router that starts now must find the way to ingest, too.
  const { processes } = await health()
  process.kill(Number(processes.find(({ role }) => role === 'router')?.pid), 'SIGKILL')
  await until('the router back', async () =>
    (await health()).processes.some(
      ({ role, state, restarts }) => role === 'router' && state === 'up' && restarts === 1,
    ),
  )
  await until('a decision recorded', async () => recorded((await ask()).id))
  await until('the store on the disk again', async () => existsSync(join(dataDir, 'store')))
  expect((await cli('decisions', '--last', '1', '--json')).code).toBe(0)
})
