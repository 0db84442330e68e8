import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asideLimit } from '../../../src-main/adapters/files/aside'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { allRecords, anAuditLog, appendMany, codesOf, seqsOf, upTo } from '../../helpers/an-audit-log'
import { createFalseFs } from '../../helpers/false-fs'
import { aTempFolder } from '../../helpers/temp-folder'

const fs = createNodeFs()
const segmentsOf = (folder: string) =>
  readdirSync(join(folder, 'audit')).filter((name) => name.startsWith('audit-'))
const segment = (folder: string, n: number) => join(folder, 'audit', `audit-${n}.log`)
const entry = { kind: 'action.intent', body: { note: 'take out r3' } }
/** Small segments: three records each. */
const rotateBytes = 1_000

/** A log of that many records, closed. */
function aLogOf(count: number, folder = aTempFolder()): string {
  const audit = anAuditLog(fs, folder, { rotateBytes })
  appendMany(audit, count)
  audit.close()
  return folder
}

describe('the audit log', () => {
  test('goes on where it stopped, segment after segment', () => {
    const folder = aLogOf(4, aLogOf(5))
    const audit = anAuditLog(fs, folder, { rotateBytes })
    expect(seqsOf(audit)).toEqual(upTo(9))
    expect(audit.status()).toMatchObject({ writable: true, head: { seq: 9 }, breaks: [], notices: [] })
    expect(segmentsOf(folder).length).toBeGreaterThan(2)
    expect(
      segmentsOf(folder).every((_, at) => readFileSync(segment(folder, at + 1)).length <= rotateBytes),
    ).toBe(true)
  })

  test('is read page by page, from anywhere', () => {
    const audit = anAuditLog(fs, aLogOf(20), { rotateBytes })
    const page = audit.read({ from: 7, limit: 3 })
    expect(page.ok && [page.value.records.map(({ seq }) => seq), page.value.next]).toEqual([[7, 8, 9], 10])
    const last = audit.read({ from: 20, limit: 3 })
    expect(last.ok && [last.value.records.length, last.value.next]).toEqual([1, null])
    expect(audit.read({ from: 21, limit: 3 })).toEqual({ ok: true, value: { records: [], next: null } })
  })

  test('stamps each record with both clocks and its run', () => {
    const audit = anAuditLog(fs, aTempFolder())
    appendMany(audit, 1)
    expect(allRecords(audit)[0]).toMatchObject({ ts: Date.UTC(2026, 0, 1), mono: 0, boot: 'boot-1' })
  })

  test('refuses a record over 64 KiB and stays as it was', () => {
    const audit = anAuditLog(fs, aTempFolder())
    appendMany(audit, 1)
    const tooLarge = audit.append({ kind: 'k', body: 'x'.repeat(64 * 1024) })
    expect(tooLarge).toMatchObject({ ok: false, error: { code: 'too_large' } })
    appendMany(audit, 1)
    expect(seqsOf(audit)).toEqual([1, 2])
  })

  test('that is closed refuses', () => {
    const audit = anAuditLog(fs, aTempFolder())
    audit.close()
    expect(audit.append(entry)).toMatchObject({ ok: false, error: { code: 'audit_unavailable' } })
  })
})

describe('F70 the disk is full while a record is appended', () => {
  test.each([
    ['nothing of it reaches the disk', 0],
    ['a part of it reaches the disk', 40],
  ])(
    '%s: refused with the MB that are needed, nothing half-applied, reading goes on',
    (_name, afterBytes) => {
      const disk = createFalseFs(fs)
      const folder = aTempFolder()
      const audit = anAuditLog(disk, folder)
      appendMany(audit, 2)
      const before = readFileSync(segment(folder, 1))
      disk.breaks({ on: 'write', code: 'ENOSPC', afterBytes })
      const refused = audit.append(entry)
      expect(refused).toMatchObject({ ok: false, error: { code: 'audit_unavailable' } })
      expect(!refused.ok && refused.error.words).toContain('Free at least 96 MiB')
      expect(readFileSync(segment(folder, 1))).toEqual(before)
      expect([seqsOf(audit), audit.status().writable]).toEqual([[1, 2], false])
      disk.mend()
      appendMany(audit, 1)
      expect([seqsOf(audit), audit.status().writable]).toEqual([[1, 2, 3], true])
    },
  )

  test('a segment that cannot even be cut back is left, and the log goes on in the next', () => {
    const disk = createFalseFs(fs)
    const folder = aTempFolder()
    const audit = anAuditLog(disk, folder)
    appendMany(audit, 2)
    disk.breaks({ on: 'write', code: 'ENOSPC', afterBytes: 40 }, { on: 'truncate', code: 'EIO' })
    expect(audit.append(entry).ok).toBe(false)
    disk.mend()
    appendMany(audit, 1)
    expect(segmentsOf(folder)).toEqual(['audit-1.log', 'audit-2.log'])
    const again = anAuditLog(fs, folder)
    expect([seqsOf(again), again.status().breaks]).toEqual([[1, 2, 3], []])
  })

  test('the way back is open: an urgent record uses the space in reserve', () => {
    const disk = createFalseFs(fs)
    const folder = aTempFolder()
    const audit = anAuditLog(disk, folder)
    expect(existsSync(join(folder, 'audit', 'reserve'))).toBe(true)
    appendMany(audit, 1)
    disk.breaks({ on: 'write', code: 'ENOSPC', times: 1 })
    expect(audit.append({ kind: 'rollback.intent', body: {} }, { urgent: true })).toMatchObject({ ok: true })
    expect([seqsOf(audit), codesOf(audit)]).toEqual([[1, 2], ['reserve_used']])
    expect(existsSync(join(folder, 'audit', 'reserve'))).toBe(false)
    audit.close()
    anAuditLog(fs, folder).close()
    expect(existsSync(join(folder, 'audit', 'reserve'))).toBe(true)
  })
})

describe('F71 fsync returns EIO', () => {
  test('the handle is dropped, the record goes to a new segment, what was acknowledged stays', () => {
    const disk = createFalseFs(fs)
    const folder = aTempFolder()
    const audit = anAuditLog(disk, folder)
    appendMany(audit, 3)
    disk.breaks({ on: 'sync', code: 'EIO', path: /audit-1/, times: 1 })
    expect(audit.append(entry)).toMatchObject({ ok: true, value: { seq: 4 } })
    expect([codesOf(audit), segmentsOf(folder)]).toEqual([['fsync_failed'], ['audit-1.log', 'audit-2.log']])
    appendMany(audit, 1)
    audit.close()
    const again = anAuditLog(fs, folder)
    expect([seqsOf(again), again.status().breaks]).toEqual([upTo(5), []])
  })

  test('with the old segment beyond repair, too, the record stands twice and counts once', () => {
    const disk = createFalseFs(fs)
    const folder = aTempFolder()
    const audit = anAuditLog(disk, folder)
    appendMany(audit, 3)
    disk.breaks({ on: 'sync', code: 'EIO', path: /audit-1/, times: 1 }, { on: 'truncate', code: 'EIO' })
    appendMany(audit, 2)
    audit.close()
    expect(readFileSync(segment(folder, 1), 'utf8').split('\n')).toHaveLength(5)
    const again = anAuditLog(fs, folder)
    expect([seqsOf(again), again.status().breaks]).toEqual([upTo(5), []])
  })

  test('a disk that never syncs refuses, and the acknowledged set is unchanged', () => {
    const disk = createFalseFs(fs)
    const folder = aTempFolder()
    const audit = anAuditLog(disk, folder)
    appendMany(audit, 3)
    disk.breaks({ on: 'sync', code: 'EIO' })
    for (let n = 0; n < 5; n++)
      expect(audit.append(entry)).toMatchObject({ ok: false, error: { code: 'audit_unavailable' } })
    audit.close()
    const again = anAuditLog(fs, folder)
    expect([seqsOf(again), again.status().breaks, codesOf(again)]).toEqual([upTo(3), [], []])
  })
})

describe('F87 what is on the disk is not what was written', () => {
  test('torn tail: moved aside, said in the log and to the operator, and the log goes on', () => {
    const folder = aLogOf(2)
    const whole = readFileSync(segment(folder, 1), 'utf8')
    writeFileSync(segment(folder, 1), `${whole}{"body":{"n":2},"bo`)
    const audit = anAuditLog(fs, folder, { rotateBytes })
    const [torn] = readdirSync(join(folder, 'audit')).filter((name) => name.startsWith('torn-'))
    expect(torn).toBe('torn-20260101T000000000Z')
    expect(readFileSync(join(folder, 'audit', torn ?? ''), 'utf8')).toBe('{"body":{"n":2},"bo')
    expect(allRecords(audit).at(-1)).toMatchObject({
      seq: 3,
      kind: 'recovered',
      body: { torn: { bytes: 19, movedTo: torn } },
    })
    expect(codesOf(audit)).toEqual(['torn_tail'])
    appendMany(audit, 1)
    audit.close()
    const again = anAuditLog(fs, folder, { rotateBytes })
    expect([seqsOf(again), again.status().breaks]).toEqual([upTo(4), []])
  })

  test('torn tails of many bad days do not fill the disk', () => {
    const folder = aLogOf(1)
    for (let day = 0; day < asideLimit + 5; day++) {
      const last = segment(folder, segmentsOf(folder).length)
      writeFileSync(last, `${readFileSync(last, 'utf8')}torn`)
      anAuditLog(fs, folder).close()
    }
    expect(readdirSync(join(folder, 'audit')).filter((name) => name.startsWith('torn-'))).toHaveLength(
      asideLimit,
    )
    expect(anAuditLog(fs, folder).status().breaks).toEqual([])
  })

  const damages = [
    {
      name: 'flipped byte in the middle',
      harm: (folder: string) => flip(segment(folder, 2), 300),
      damaged: [{ from: 5, to: 5 }],
    },
    {
      name: 'truncated segment',
      harm: (folder: string) => cut(segment(folder, 2), 300),
      damaged: [{ from: 5, to: 6 }],
    },
    {
      name: 'missing segment',
      harm: (folder: string) => rmSync(segment(folder, 2)),
      damaged: [{ from: 4, to: 6 }],
    },
    {
      name: 'missing first segment',
      harm: (folder: string) => rmSync(segment(folder, 1)),
      damaged: [{ from: 1, to: 3 }],
    },
    {
      name: 'missing last segment',
      harm: (folder: string) => rmSync(segment(folder, 3)),
      damaged: [{ from: 7, to: 8 }],
    },
    {
      name: 'last acknowledged record cut off at its line’s end',
      harm: (folder: string) => cutLastLine(segment(folder, 3)),
      damaged: [{ from: 8, to: 8 }],
    },
    {
      name: 'a segment that became a folder',
      harm: (folder: string) => {
        rmSync(segment(folder, 2))
        renameSync(join(folder, 'second'), segment(folder, 2))
      },
      damaged: [{ from: 4, to: 6 }],
    },
  ]
  test.each(damages)(
    '$name: found, declared in a new segment with the damaged range, the rest kept',
    ({ harm, damaged }) => {
      const folder = aLogOf(8)
      const before = allRecords(anAuditLog(fs, folder, { rotateBytes }))
      harm(folder)
      const audit = anAuditLog(fs, folder, { rotateBytes })
      while (audit.checkOlder());
      const lost = (seq: number) => damaged.some(({ from, to }) => from <= seq && seq <= to)
      const kept = before.filter(({ seq }) => !lost(seq))
      const now = allRecords(audit)
      expect(now.slice(0, kept.length)).toEqual(kept)
      const firstLost = Math.min(...damaged.map(({ from }) => from))
      const lastGood = firstLost === 1 ? '0'.repeat(64) : before[firstLost - 2]?.hash
      expect(now.at(kept.length)).toMatchObject({
        kind: 'chain_restart',
        seq: 9,
        body: { damaged, lastGood: { seq: firstLost - 1, hash: lastGood } },
      })
      expect(codesOf(audit)).toContain('audit_damaged')
      appendMany(audit, 1)
      audit.close()
      const again = anAuditLog(fs, folder, { rotateBytes })
      while (again.checkOlder());
      expect([again.status().head.seq, again.status().breaks.length > 0]).toEqual([10, true])
    },
  )

  test('everything is gone: the anchor in the second folder knows better', () => {
    const folder = aLogOf(8)
    rmSync(join(folder, 'audit'), { recursive: true })
    const audit = anAuditLog(fs, folder)
    expect(allRecords(audit)).toMatchObject([
      { seq: 9, kind: 'chain_restart', body: { damaged: [{ from: 1, to: 8 }] } },
    ])
  })

  test('a record that was rewritten, hash and all, does not fit the anchor', () => {
    const folder = aLogOf(2)
    const forged = aTempFolder()
    const forger = anAuditLog(fs, forged)
    appendMany(forger, 1)
    forger.append({ kind: 'action.intent', body: 'forged' })
    writeFileSync(segment(folder, 1), readFileSync(segment(forged, 1)))
    const audit = anAuditLog(fs, folder)
    expect(audit.status().breaks).toMatchObject([
      { from: 2, to: 2, why: 'not the record that was acknowledged' },
    ])
  })

  test.each([
    ['missing', (path: string) => rmSync(path), 'anchor_missing'],
    ['broken', (path: string) => writeFileSync(path, '{'), 'anchor_unreadable'],
  ])('an anchor that is %s is said and made anew', (_name, harm, code) => {
    const folder = aLogOf(2)
    harm(join(folder, 'second', 'audit-anchor.json'))
    expect(codesOf(anAuditLog(fs, folder))).toEqual([code])
    expect(codesOf(anAuditLog(fs, folder))).toEqual([])
  })

  test('a second folder that cannot be written does not stop the log, and is said once', () => {
    const disk = createFalseFs(fs)
    disk.breaks({ on: 'open', path: /anchor/, code: 'EACCES' })
    const audit = anAuditLog(disk, aTempFolder())
    appendMany(audit, 3)
    expect(codesOf(audit)).toEqual(['anchor_behind'])
  })
})

describe('F91 the folder under a running log', () => {
  test('is deleted: recreated on the next write with a recovered record', () => {
    const folder = aLogOf(3)
    const audit = anAuditLog(fs, folder)
    rmSync(folder, { recursive: true })
    expect(audit.append(entry)).toMatchObject({ ok: true, value: { seq: 5 } })
    expect(allRecords(audit)).toMatchObject([
      { seq: 4, kind: 'recovered', body: { damaged: [{ from: 1, to: 3 }] } },
      { seq: 5 },
    ])
    expect(codesOf(audit)).toContain('audit_damaged')
  })

  test('is deleted before the first record: made again with that record', () => {
    const folder = aTempFolder()
    const audit = anAuditLog(fs, folder)
    rmSync(join(folder, 'audit'), { recursive: true })
    expect(audit.append(entry)).toMatchObject({ ok: true, value: { seq: 1 } })
    expect(audit.status()).toMatchObject({ writable: true, why: null })
  })

  test('is a file: every append is refused with the reason, and the first that can be written is again', () => {
    const folder = aTempFolder()
    writeFileSync(join(folder, 'audit'), '')
    const audit = anAuditLog(fs, folder)
    expect(audit.append(entry)).toMatchObject({ error: { code: 'audit_unavailable' } })
    expect(audit.status()).toMatchObject({ writable: false, why: expect.stringContaining('audit') })
    rmSync(join(folder, 'audit'))
    expect(audit.append(entry)).toMatchObject({ ok: true })
    expect(audit.status()).toMatchObject({ writable: true, why: null })
  })

  test('is changed by somebody else: found before the next record is written', () => {
    const folder = aLogOf(3)
    const audit = anAuditLog(fs, folder)
    cutLastLine(segment(folder, 1))
    expect(audit.append(entry)).toMatchObject({ ok: true, value: { seq: 5 } })
    expect(allRecords(audit).at(-2)).toMatchObject({
      kind: 'chain_restart',
      body: { damaged: [{ from: 3, to: 3 }] },
    })
  })

  test('cannot be written from the start: reading goes on, appending is refused, nothing is changed', () => {
    const folder = aLogOf(3)
    writeFileSync(segment(folder, 1), `${readFileSync(segment(folder, 1), 'utf8')}torn`)
    const before = readdirSync(join(folder, 'audit')).map((name) => readFileSync(join(folder, 'audit', name)))
    const readOnly = { ok: false, error: { words: 'the folder is read-only' } } as const
    const audit = anAuditLog(fs, folder, { ensureWritable: () => readOnly })
    expect(audit.append(entry)).toMatchObject({
      ok: false,
      error: { code: 'audit_unavailable', words: 'the audit log cannot be written: the folder is read-only' },
    })
    expect([seqsOf(audit), audit.status().writable]).toEqual([upTo(3), false])
    expect(
      readdirSync(join(folder, 'audit')).map((name) => readFileSync(join(folder, 'audit', name))),
    ).toEqual(before)
  })

  test('cannot be listed: the log opens, says so, and works again when it can', () => {
    const folder = aLogOf(3)
    const disk = createFalseFs(fs)
    disk.breaks({ on: 'list', code: 'EIO', path: /audit$/ })
    const audit = anAuditLog(disk, folder)
    expect(audit.append(entry)).toMatchObject({ ok: false, error: { code: 'audit_unavailable' } })
    disk.mend()
    appendMany(audit, 1)
    expect(seqsOf(audit)).toEqual(upTo(4))
  })
})

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

function cut(path: string, at: number): void {
  writeFileSync(path, readFileSync(path).subarray(0, at))
}

function cutLastLine(path: string): void {
  writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, -2).join('\n')}\n`)
}
