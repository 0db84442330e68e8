import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, expect } from 'playwright/test'
import { freshFolder, runCli, startServe } from '../shells'
import { quietFlags } from './console'

base(
  'F70 without an audit log every change is refused, and a banner says so from the start until one is written again',
  async () => {
    const dataDir = freshFolder()
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, 'audit'), '')
    const { stop } = await startServe(dataDir, quietFlags)
    const cli = (...args: string[]) => runCli([...args, '--data-dir', dataDir])
    const banner = async () =>
      JSON.parse((await cli('status', '--json')).stdout).health.banners.find(
        ({ id }: { id: string }) => id === 'audit',
      )
    expect(await banner()).toMatchObject({
      severity: 'critical',
      text: expect.stringContaining('Every change is refused, because the audit log cannot be written'),
    })
    const refused = await cli('scale', '4')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /^signalbox: nothing was changed, because the audit log cannot be written: [^:]/,
    )
    rmSync(join(dataDir, 'audit'))
    expect((await cli('scale', '4')).code).toBe(0)
    expect(await banner()).toBeUndefined()
    expect(await stop()).toBe(0)
    rmSync(dataDir, { recursive: true, force: true })
  },
)
