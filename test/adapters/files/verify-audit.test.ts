import { spawnSync } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { type ChainRecord, chainStart, lineOf, seal } from '../../../src-main/domain/journal/chain'
import { allRecords, anAuditLog, appendMany, sha256 } from '../../helpers/an-audit-log'
import { aTempFolder } from '../../helpers/temp-folder'

const script = 'resources/verify-audit.mjs'

function verify(folder: string, anchor = join(folder, 'second', 'audit-anchor.json')) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, join(folder, 'audit'), anchor], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  return { said: stdout.trimEnd(), status }
}

/** Ten records in several segments, and their lines by sequence number. */
function aLog() {
  const folder = aTempFolder()
  const audit = anAuditLog(createNodeFs(), folder, { rotateBytes: 1_000 })
  appendMany(audit, 9)
  audit.append({ kind: 'action.outcome', body: { 'ключ "1"': ['한글', 0.25, null, { b: 1, a: 2 }] } })
  audit.close()
  return { folder, records: allRecords(audit) }
}

/** Writes the records as one segment, in place of those that are there. */
function rewrite(folder: string, records: readonly ChainRecord[]): void {
  for (const name of readdirSync(join(folder, 'audit'))) rmSync(join(folder, 'audit', name))
  writeFileSync(join(folder, 'audit', 'audit-1.log'), records.map(lineOf).join(''))
}

const edited = (record: ChainRecord): ChainRecord => ({ ...record, body: 'forged' })
const rehashed = (record: ChainRecord): ChainRecord =>
  seal({ seq: record.seq - 1, hash: record.prev }, { ...record, body: 'forged' }, record, sha256)
const forgedWhole = (records: readonly ChainRecord[]): ChainRecord[] => {
  const chain: ChainRecord[] = []
  for (const { kind, ...stamp } of records)
    chain.push(seal(chain.at(-1) ?? chainStart, { kind, body: 'forged' }, stamp, sha256))
  return chain
}

describe('SR-095 the verify script', () => {
  test('is short enough to be read before it is trusted', () =>
    expect(readFileSync(script, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(60))

  test('agrees with the log itself that a whole log is whole', () => {
    const { folder, records } = aLog()
    expect(verify(folder)).toEqual({ said: `ok: 10 records, head ${records.at(-1)?.hash}`, status: 0 })
  })

  type Harm = (records: readonly ChainRecord[]) => readonly ChainRecord[]
  const rows: readonly { name: string; harm: Harm; said: string }[] = [
    {
      name: 'cut last',
      harm: (r) => r.slice(0, -1),
      said: 'anchor_mismatch: the log ends at 9, the anchor knows 10',
    },
    { name: 'swap two', harm: (r) => swap(r, 3), said: 'bad: first bad sequence 4, in audit-1.log' },
    {
      name: 'edit one',
      harm: (r) => r.with(4, edited(r[4] as ChainRecord)),
      said: 'bad: first bad sequence 5, in audit-1.log',
    },
    {
      name: 're-hash one',
      harm: (r) => r.with(4, rehashed(r[4] as ChainRecord)),
      said: 'bad: first bad sequence 6, in audit-1.log',
    },
    {
      name: 're-hash the last',
      harm: (r) => r.with(9, rehashed(r[9] as ChainRecord)),
      said: 'anchor_mismatch: record 10 is not the one in the anchor',
    },
    { name: 'delete all', harm: () => [], said: 'anchor_mismatch: the log ends at 0, the anchor knows 10' },
    { name: 'remove one', harm: (r) => r.toSpliced(4, 1), said: 'bad: first bad sequence 5, in audit-1.log' },
    {
      name: 'repeat one',
      harm: (r) => r.toSpliced(4, 0, r[4] as ChainRecord),
      said: 'bad: first bad sequence 5, in audit-1.log',
    },
    { name: 'remove the first', harm: (r) => r.slice(1), said: 'bad: first bad sequence 1, in audit-1.log' },
    {
      name: 'forge the whole log',
      harm: forgedWhole,
      said: 'anchor_mismatch: record 10 is not the one in the anchor',
    },
  ]
  test.each(rows)('$name: $said', ({ harm, said }) => {
    const { folder, records } = aLog()
    rewrite(folder, harm(records))
    expect(verify(folder)).toEqual({ said, status: 1 })
    // The log itself finds it as well.
    const audit = anAuditLog(createNodeFs(), folder)
    expect(audit.status().breaks.length).toBeGreaterThan(0)
  })

  test('finds a removed segment, and takes an unfinished tail for what it is', () => {
    const { folder } = aLog()
    const first = join(folder, 'audit', 'audit-1.log')
    writeFileSync(first, `${readFileSync(first, 'utf8')}{"half`)
    expect(verify(folder).status).toBe(0)
    rmSync(join(folder, 'audit', 'audit-2.log'))
    expect(verify(folder).said).toBe('bad: first bad sequence 4, in audit-3.log')
  })

  test('goes without an anchor, and says what that means', () => {
    const { folder } = aLog()
    const last = readdirSync(join(folder, 'audit')).filter((name) => name.startsWith('audit-')).length
    appendFileSync(join(folder, 'audit', `audit-${last}.log`), 'torn, but with its line feed\n')
    expect(verify(folder, join(folder, 'none')).said).toMatch(
      /^ok: 10 records.*no anchor: a tail that was cut is not noticed/,
    )
  })

  test.each([
    ['no such folder', (folder: string) => rmSync(join(folder, 'audit'), { recursive: true })],
    ['a broken anchor', (folder: string) => writeFileSync(join(folder, 'second', 'audit-anchor.json'), '{')],
  ])('%s: says that it cannot verify', (_name, harm) => {
    const { folder } = aLog()
    harm(folder)
    expect(verify(folder)).toEqual({ said: expect.stringMatching(/^cannot verify: /), status: 2 })
  })
})

function swap(records: readonly ChainRecord[], at: number): readonly ChainRecord[] {
  return records.with(at, records[at + 1] as ChainRecord).with(at + 1, records[at] as ChainRecord)
}
