import { rmSync } from 'node:fs'
import { test as base } from 'playwright/test'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { until } from '../../helpers/until'
import { type CliResult, freshFolder, type ReadyLine, runCli, startServe } from '../shells'

/** A console without a page: its ready line, and the command line on its data folder. */
export interface Running {
  readonly ready: ReadyLine
  readonly dataDir: string
  cli(...args: string[]): Promise<CliResult>
  /** One call over HTTP with the token of the ready line. */
  call<Reply>(name: string, params: unknown): Promise<Reply>
  /** The row of a decision, once it has ended. */
  ended(id: string): Promise<DecisionRow>
}

/** The flags of a small, quiet console. */
export const quietFlags = ['--port', '0', '--replicas', '3', '--seed', '5', '--no-traffic']

/** A test with a console of three replicas and no traffic of its own. */
export const test = base.extend<{ console: Running; flags: string[] }>({
  flags: [quietFlags, { option: true }],
  console: async ({ flags }, use) => {
    const dataDir = freshFolder()
    const { ready, stop } = await startServe(dataDir, flags)
    const call = async <Reply>(name: string, params: unknown) => {
      const response = await fetch(new URL(`/api/call/${name}`, ready.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${ready.token}` },
        body: JSON.stringify(params),
      })
      const body = await response.json()
      if (!response.ok) throw new Error(`${name}: ${response.status} ${JSON.stringify(body)}`)
      return body as Reply
    }
    await use({
      ready,
      dataDir,
      cli: (...args) => runCli([...args, '--data-dir', dataDir]),
      call,
      ended: (id) =>
        until(`the end of decision ${id}`, async () => {
          const { row } = await call<{ row: DecisionRow }>('decisions.explain', { id }).catch(() => ({
            row: null,
          }))
          return row?.outcome ? row : null
        }),
    })
    const code = await stop()
    if (code !== 0) throw new Error(`serve ended with ${code} instead of 0`)
    rmSync(dataDir, { recursive: true, force: true })
  },
})
export { expect } from 'playwright/test'
