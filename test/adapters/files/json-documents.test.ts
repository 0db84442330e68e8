import {
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { DocumentSpec } from '../../../src-main/adapters/files/document-text'
import { copiesKept, openDocument } from '../../../src-main/adapters/files/json-documents'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { ok, type Result } from '../../../src-main/base/result'
import type { Fs } from '../../../src-main/ports/seams/fs'
import { createFalseFs } from '../../helpers/false-fs'
import { createManualClock } from '../../helpers/manual-clock'
import { aTempFolder } from '../../helpers/temp-folder'

interface Settings {
  readonly theme: 'light' | 'dark'
  readonly limit: number
}
const settings: DocumentSpec<Settings> = {
  name: 'settings',
  schema: 2,
  shape: z.object({ theme: z.enum(['light', 'dark']), limit: z.number().int() }),
  migrations: { 1: (old) => ({ ...(old as object), limit: 10 }) },
  initial: { theme: 'light', limit: 1 },
}

type Refusal = { readonly words: string }
function open(
  folder: string,
  fs: Fs = createNodeFs(),
  ensureWritable: () => Result<void, Refusal> = () => ok(undefined),
) {
  const options = { fs, clock: createManualClock(), folder, writtenBy: '0.1.0', ensureWritable }
  const { document, notices } = openDocument(options, settings)
  return { document, notices, codes: notices.map(({ code }) => code) }
}
const fileOf = (folder: string) => join(folder, 'settings.json')
/** A folder in which the limit was saved as 1, 2 … up to that number. */
function savedUpTo(limit: number): string {
  const folder = aTempFolder()
  const { document } = open(folder)
  for (let n = 1; n <= limit; n++) expect(document.save({ theme: 'dark', limit: n }).ok).toBe(true)
  return folder
}

describe('a document', () => {
  test('has its initial value until one is saved, and makes no file before', () => {
    const folder = aTempFolder()
    expect([open(folder).document.value(), readdirSync(folder)]).toEqual([settings.initial, []])
  })

  test('is kept in a file that people can read, closed to others', () => {
    const folder = savedUpTo(1)
    expect(readFileSync(fileOf(folder), 'utf8')).toBe(
      '{\n  "schema": 2,\n  "writtenBy": "0.1.0",\n  "value": {\n    "theme": "dark",\n    "limit": 1\n  }\n}\n',
    )
    expect(statSync(fileOf(folder)).mode & 0o777).toBe(0o600)
    expect(open(folder).document.value()).toEqual({ theme: 'dark', limit: 1 })
  })

  test('keeps the last five versions', () => {
    const copies = readdirSync(savedUpTo(9)).filter((name) => /^settings\.\d+\.json$/.test(name))
    expect(copies).toEqual([
      'settings.4.json',
      'settings.5.json',
      'settings.6.json',
      'settings.7.json',
      'settings.8.json',
    ])
    expect(copies).toHaveLength(copiesKept)
  })

  test.each(['open', 'write', 'sync', 'rename'] as const)(
    'that cannot be saved (%s fails) keeps its old value, on disk too',
    (on) => {
      const folder = savedUpTo(2)
      const fs = createFalseFs(createNodeFs())
      const { document } = open(folder, fs)
      fs.breaks({ on, code: 'ENOSPC' })
      const saved = document.save({ theme: 'light', limit: 3 })
      expect(!saved.ok && saved.error.words).toMatch(/^settings was not saved: .*ENOSPC/)
      expect(document.value().limit).toBe(2)
      expect(open(folder).document.value().limit).toBe(2)
    },
  )

  test('of an older schema is brought up to date, and the old file is kept', () => {
    const folder = aTempFolder()
    writeFileSync(fileOf(folder), '{"schema":1,"value":{"theme":"dark"}}')
    const { document, codes } = open(folder)
    expect([document.value(), codes]).toEqual([{ theme: 'dark', limit: 10 }, ['document_migrated']])
    expect(readFileSync(join(folder, 'settings.1.json'), 'utf8')).toBe(
      '{"schema":1,"value":{"theme":"dark"}}',
    )
    expect(open(folder).codes).toEqual([])
  })

  test('of a newer schema is left alone: not used, not overwritten, its version named', () => {
    const folder = aTempFolder()
    const text = '{"schema":3,"writtenBy":"9.9.0","value":{"theme":"blue"}}'
    writeFileSync(fileOf(folder), text)
    const { document, notices } = open(folder)
    expect(notices[0]?.words).toContain('written by 9.9.0')
    expect(document.value()).toEqual(settings.initial)
    expect(document.save({ theme: 'dark', limit: 5 }).ok).toBe(false)
    expect(readFileSync(fileOf(folder), 'utf8')).toBe(text)
  })

  test('that went away while we run is written again', () => {
    const folder = savedUpTo(1)
    const { document } = open(folder)
    rmSync(fileOf(folder))
    expect(document.save({ theme: 'dark', limit: 7 }).ok).toBe(true)
    expect(open(folder).document.value().limit).toBe(7)
  })
})

describe('F88 the settings file cannot be used', () => {
  const rows: readonly { name: string; harm: (path: string) => void; why: RegExp }[] = [
    { name: 'empty', harm: (path) => truncateSync(path), why: /it is empty/ },
    { name: 'half', harm: (path) => truncateSync(path, 40), why: /not JSON; perhaps only half/ },
    { name: 'not text', harm: (path) => writeFileSync(path, Uint8Array.of(0xff, 0xfe, 0)), why: /not JSON/ },
    { name: 'wrong type as a whole', harm: (path) => writeFileSync(path, '[1]'), why: /the whole: / },
    {
      name: 'wrong type of one value',
      harm: (path) => writeFileSync(path, '{"schema":2,"value":{"theme":"dark","limit":"many"}}'),
      why: /limit: /,
    },
    {
      name: 'of a schema without a way',
      harm: (path) => writeFileSync(path, '{"schema":0,"value":{}}'),
      why: /schema: /,
    },
    {
      name: 'of an old schema that cannot be read',
      harm: (path) => writeFileSync(path, '{"schema":1,"value":{"theme":7}}'),
      why: /theme: /,
    },
    { name: 'huge', harm: (path) => truncateSync(path, 3_000_000_000), why: /larger than expected/ },
    {
      name: 'nested beyond all measure',
      harm: (path) =>
        writeFileSync(path, `{"schema":2,"value":${'['.repeat(400_000)}${']'.repeat(400_000)}}`),
      why: /the whole: /,
    },
    {
      name: 'a link to elsewhere',
      harm: (path) => {
        rmSync(path)
        symlinkSync('/etc/hostname', path)
      },
      why: /symbolic link/,
    },
  ]
  test.each(rows)('$name: the previous copy is used, the file kept aside, said in words', ({ harm, why }) => {
    const folder = savedUpTo(3)
    harm(fileOf(folder))
    const { document, notices } = open(folder)
    expect(document.value()).toEqual({ theme: 'dark', limit: 2 })
    expect(notices).toMatchObject([{ code: 'document_restored' }])
    expect(notices[0]?.words).toMatch(why)
    expect(notices[0]?.words).toMatch(
      /settings\.json could not be used: .*; it was moved to quarantine-settings-20260101T000000000Z, and the copy settings\.2\.json is used$/,
    )
    expect(readdirSync(folder)).toContain('quarantine-settings-20260101T000000000Z')
    expect(open(folder)).toMatchObject({ notices: [] })
    expect(open(folder).document.value().limit).toBe(2)
  })

  test('no copy can be used either: the initial values', () => {
    const folder = savedUpTo(3)
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{')
    const { document, notices } = open(folder)
    expect(document.value()).toEqual(settings.initial)
    expect(notices[0]?.words).toMatch(/and the initial values are used$/)
  })

  test('the file is missing but copies are there: the newest is used and the way to begin anew is said', () => {
    const folder = savedUpTo(3)
    rmSync(fileOf(folder))
    const { document, notices } = open(folder)
    expect(document.value().limit).toBe(2)
    expect(notices[0]?.words).toContain('To begin anew, remove the copies too')
  })

  test('in a read-only folder: the copy is used, nothing is moved, saving is refused', () => {
    const folder = savedUpTo(3)
    writeFileSync(fileOf(folder), '')
    const before = readdirSync(folder)
    const { document, notices } = open(folder, createNodeFs(), () => ({
      ok: false,
      error: { words: 'read-only' },
    }))
    expect(document.value().limit).toBe(2)
    expect(notices[0]?.words).toContain('it was left where it is')
    expect(document.save({ theme: 'light', limit: 1 })).toEqual({
      ok: false,
      error: { words: 'settings was not saved: read-only' },
    })
    expect(readdirSync(folder)).toEqual(before)
  })
})
