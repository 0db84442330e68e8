import { describe, expect, test } from 'vitest'
import { createDraw } from '../../../src-main/base/draw'
import { allRecords, anAuditLog, appendMany, seqsOf, upTo } from '../../helpers/an-audit-log'
import { createMemoryDisk, type MemoryDisk } from '../../helpers/memory-disk'

const rotateBytes = 2_000
const logOn = (disk: MemoryDisk) => anAuditLog(disk, '/data', { rotateBytes, reserveBytes: 16 })
/** The folders are there when the log opens, as the data folder sees to it. */
function aDisk(): MemoryDisk {
  const disk = createMemoryDisk()
  disk.makeFolder('/data')
  return disk
}

describe('F99 the power goes', () => {
  test('at any step, several times: what is left is a prefix with every acknowledged record in it', () => {
    for (let seed = 0; seed < 150; seed++) {
      const draw = createDraw(`F99 ${seed}`)
      const disk = aDisk()
      let acknowledged = 0
      for (let cut = 0; cut < 3; cut++) {
        let left = 1 + draw.below(60)
        disk.beforeChange = () => {
          if (left-- === 0) throw new Error('power')
        }
        try {
          const audit = logOn(disk)
          for (;;) {
            const appended = audit.append({
              kind: 'action.intent',
              body: { note: 'x'.repeat(draw.below(300)) },
            })
            if (appended.ok) acknowledged = appended.value.seq
          }
        } catch (error) {
          expect(error).toEqual(new Error('power'))
        }
        disk.cutPower(draw)
      }
      const audit = logOn(disk)
      while (audit.checkOlder());
      const seqs = seqsOf(audit)
      expect(seqs, `seed ${seed}`).toEqual(upTo(seqs.length))
      expect(seqs.length, `seed ${seed}`).toBeGreaterThanOrEqual(acknowledged)
      expect(audit.status().breaks, `seed ${seed}`).toEqual([])
    }
  })
})

describe('SR-093 any byte flips', () => {
  test('the log opens, names the damaged range, keeps every record outside it', () => {
    const disk = aDisk()
    const audit = logOn(disk)
    appendMany(audit, 40)
    audit.close()
    const before = allRecords(audit)
    const names = disk.list('/data/audit')
    const segments = names.ok ? names.value.filter((name) => name.startsWith('audit-')) : []
    expect(segments.length).toBeGreaterThan(4)
    const draw = createDraw('SR-093')
    for (let flip = 0; flip < 400; flip++) {
      const harmed = copyOf(disk, segments)
      const path = `/data/audit/${segments[draw.below(segments.length)]}`
      const read = harmed.read(path, 1e6)
      if (!read.ok) throw new Error(read.error.message)
      const at = draw.below(read.value.length)
      read.value[at] = (read.value[at] ?? 0) ^ (1 << draw.below(8))
      harmed.overwrite(path, read.value)
      const opened = logOn(harmed)
      while (opened.checkOlder());
      const { breaks } = opened.status()
      const damaged = (seq: number) => breaks.some(({ from, to }) => from <= seq && seq <= to)
      expect(breaks.length, `${path} byte ${at}`).toBeGreaterThan(0)
      const kept = new Map(allRecords(opened).map((record) => [record.seq, record]))
      for (const record of before)
        if (!damaged(record.seq)) expect(kept.get(record.seq), `${path} byte ${at}`).toEqual(record)
      expect(before.filter(({ seq }) => damaged(seq)).length).toBeLessThanOrEqual(2)
    }
  })
})

/** The segments and the anchor on a disk of their own. */
function copyOf(disk: MemoryDisk, segments: readonly string[]): MemoryDisk {
  const copy = aDisk()
  copy.makeFolder('/data/audit')
  copy.makeFolder('/data/second')
  const paths = [...segments.map((name) => `/data/audit/${name}`), '/data/second/audit-anchor.json']
  for (const path of paths) {
    const read = disk.read(path, 1e6)
    const file = copy.open(path, 'create')
    if (read.ok && file.ok) file.value.write(read.value)
  }
  return copy
}
