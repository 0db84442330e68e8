import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, test } from 'vitest'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { createDraw } from '../../../src-main/base/draw'
import { anAuditLog, codesOf, seqsOf } from '../../helpers/an-audit-log'
import { bundled } from '../../helpers/bundled'
import { aTempFolder } from '../../helpers/temp-folder'

/** The long form, with SIGNALBOX_LONG=1, is the 500 kills of SR-090. */
const kills = process.env.SIGNALBOX_LONG === '1' ? 500 : 10

let program = ''
beforeAll(async () => {
  program = await bundled('test/programs/audit-writer.ts')
})

/** Runs the writer until it has acknowledged that many records, kills it wherever it is then; the last one it told of. */
async function killAfter(folder: string, acknowledgements: number): Promise<number> {
  const writer = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(writer, 'exit')
  let seen = 0
  let last = 0
  for await (const line of createInterface({ input: writer.stdout })) {
    last = Number(line)
    if (++seen === acknowledgements) writer.kill('SIGKILL')
  }
  expect(await ended).toEqual([null, 'SIGKILL'])
  return last
}

describe('F72 kill -9 at any instruction of the writer', () => {
  test(
    `${kills} kills in a row: every acknowledged record is there, the chain is whole, the dead one's lock is taken over`,
    async () => {
      const folder = aTempFolder()
      const draw = createDraw('F72')
      for (let kill = 0; kill < kills; kill++) {
        const acknowledged = await killAfter(folder, 1 + draw.below(40))
        const anchorFile = join(folder, 'anchor', 'audit-anchor.json')
        const audit = anAuditLog(createNodeFs(), folder, { anchorFile })
        while (audit.checkOlder());
        const seqs = seqsOf(audit)
        expect(seqs).toEqual(Array.from(seqs, (_, at) => at + 1))
        expect(seqs.length).toBeGreaterThanOrEqual(acknowledged)
        expect(audit.status().breaks).toEqual([])
        expect(codesOf(audit).filter((code) => code !== 'torn_tail')).toEqual([])
        audit.close()
      }
      expect(readdirSync(folder).filter((name) => name.startsWith('lock'))).toHaveLength(1)
    },
    kills * 6_000,
  )
})
