import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorFolder, defaultDataFolder } from '../../../src-main/adapters/files/default-folder'
import { openProfile, type Profile, type ProfileOptions } from '../../../src-main/adapters/files/profile'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { ok } from '../../../src-main/base/result'
import type { Fs } from '../../../src-main/ports/seams/fs'
import { aHost } from '../../helpers/a-host'
import { anAuditLog, appendMany, sha256 } from '../../helpers/an-audit-log'
import { createFalseFs } from '../../helpers/false-fs'
import { createManualClock } from '../../helpers/manual-clock'
import { aTempFolder } from '../../helpers/temp-folder'

const mib = 1024 * 1024
const open = (folder: string, more: Partial<ProfileOptions> = {}) =>
  openProfile({ fs: createNodeFs(), host: aHost(), clock: createManualClock(), sha256, folder, ...more })
function opened(folder: string, more: Partial<ProfileOptions> = {}): Profile {
  const profile = open(folder, more)
  if (!profile.ok) throw new Error(profile.error.words)
  return profile.value
}
const refusalOf = (folder: string, more: Partial<ProfileOptions> = {}) => {
  const profile = open(folder, more)
  return profile.ok ? null : profile.error
}
const codes = ({ notices }: Profile) => notices.map(({ code }) => code)

describe('a data folder', () => {
  test('is made when it is missing, for its owner only, and locked', () => {
    const folder = join(aTempFolder(), 'deep', 'data')
    const profile = opened(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(profile).toMatchObject({
      folder,
      writable: true,
      notices: [],
      controlSocket: join(folder, 'control.sock'),
      auditFolder: join(folder, 'audit'),
      anchorFile: join(folder, 'anchor', 'audit-anchor.json'),
    })
    expect(readdirSync(folder)).toEqual(['lock'])
    profile.release()
    expect(readdirSync(folder)).toEqual([])
    expect(profile.ensureWritable().ok).toBe(false)
  })

  const refused: readonly {
    name: string
    make: (at: string) => void
    more?: Partial<ProfileOptions>
    words: RegExp
  }[] = [
    {
      name: 'is a file',
      make: (at) => writeFileSync(at, ''),
      words: /is a file; name a folder with --data-dir$/,
    },
    {
      name: 'lies under a file',
      make: (at) => writeFileSync(join(at, '..', 'x'), ''),
      words: /a part of the path is not a folder/,
    },
    { name: 'is a link', make: (at) => symlinkSync('/tmp', at), words: /is a symbolic link/ },
    {
      name: 'holds a link for the audit log',
      make: (at) => {
        mkdirSync(at)
        symlinkSync('/tmp', join(at, 'audit'))
      },
      words: /audit is a symbolic link; make it a folder/,
    },
    {
      name: 'can be written by everybody',
      make: (at) => {
        mkdirSync(at)
        chmodSync(at, 0o777)
      },
      words: /everybody may write .* chmod 700/,
    },
    {
      name: 'belongs to another user',
      make: (at) => mkdirSync(at),
      more: { host: aHost({ userId: 54_321 }) },
      words: /belongs to another user \(id \d+\)/,
    },
  ]
  test.each(refused)(
    'that $name is refused in one sentence with the way out',
    ({ name, make, more, words }) => {
      const at = join(aTempFolder(), 'data')
      make(at)
      const refusal = refusalOf(name.includes('under') ? join(at, '..', 'x', 'data') : at, more)
      expect(refusal).toMatchObject({ kind: 'unusable', words: expect.stringMatching(words) })
      expect(refusal?.words).not.toContain('\n')
    },
  )

  test('where nothing can be made is refused in one sentence', () => {
    expect(refusalOf('/proc/none/data')?.words).toMatch(
      /^the data folder \/proc\/none\/data cannot be used: .*--data-dir$/,
    )
  })

  test.each([
    ['listed', { on: 'list', code: 'EACCES' }],
    ['looked at', { on: 'stat', code: 'EACCES' }],
    ['made', { on: 'makeFolder', code: 'EACCES' }],
  ] as const)('that cannot be %s is refused in one sentence', (_name, fault) => {
    const fs = createFalseFs(createNodeFs())
    const folder = join(aTempFolder(), 'data')
    if (fault.on === 'list') mkdirSync(folder)
    fs.breaks(fault)
    expect(refusalOf(folder, { fs })?.words).toMatch(
      /^the data folder .* cannot be used: .*EACCES.*--data-dir$/,
    )
  })

  test('that others may look into is used, with a hint', () => {
    const folder = join(aTempFolder(), 'data')
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    expect(codes(opened(folder))).toEqual(['folder_open'])
  })

  test.each([
    [600, true, []],
    [511, true, ['space_low']],
    [95, false, ['space_out']],
  ])('with %i MiB free: writable %s, notices %j', (free, writable, expected) => {
    const fs = createFalseFs(createNodeFs())
    fs.free(free * mib)
    const profile = opened(aTempFolder(), { fs })
    expect([profile.writable, codes(profile), profile.ensureWritable().ok]).toEqual([
      writable,
      expected,
      writable,
    ])
  })
})

describe('F91 the data folder', () => {
  test.each(['EROFS', 'EACCES', 'EPERM', 'ENOSPC'])(
    'cannot be written (%s): opens read-only and says so',
    (code) => {
      const fs = createFalseFs(createNodeFs())
      fs.breaks({ on: 'open', code, path: /lock/ })
      const profile = opened(aTempFolder(), { fs })
      expect([profile.writable, codes(profile)]).toEqual([false, ['folder_read_only']])
      expect(profile.ensureWritable()).toMatchObject({
        ok: false,
        error: { words: expect.stringContaining('read-only') },
      })
    },
  )

  test('is deleted while running: made again and locked again on the next write', () => {
    const folder = join(aTempFolder(), 'data')
    const profile = opened(folder)
    const audit = anAuditLog(createNodeFs(), folder, {
      folder: profile.auditFolder,
      anchorFile: profile.anchorFile,
      ensureWritable: profile.ensureWritable,
    })
    appendMany(audit, 2)
    rmSync(folder, { recursive: true })
    appendMany(audit, 1)
    expect(readdirSync(folder)).toEqual(['anchor', 'audit', 'lock'])
    const page = audit.read({ from: 1, limit: 10 })
    expect(page.ok && page.value.records.map(({ kind }) => kind)).toEqual(['recovered', 'action.intent'])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(refusalOf(folder)?.kind).toBe('in-use')
  })

  test('is deleted and taken by another: nothing is written to it', () => {
    const folder = join(aTempFolder(), 'data')
    const first = opened(folder)
    rmSync(folder, { recursive: true })
    const second = opened(folder, { clock: createManualClock(1) })
    expect(first.ensureWritable()).toMatchObject({
      ok: false,
      error: { words: expect.stringContaining('already running') },
    })
    first.release()
    expect(second.ensureWritable().ok).toBe(true)
  })
})

describe('F92 a second instance', () => {
  test('is refused by name of the process and told how to reach it', () => {
    const folder = aTempFolder()
    const first = opened(folder)
    const refusal = refusalOf(folder)
    expect(refusal).toMatchObject({
      kind: 'in-use',
      holder: { pid: process.pid, socket: first.controlSocket },
      words: `Signalbox is already running on ${folder} (process ${process.pid}); use that one (signalbox status), stop it, or name another folder with --data-dir`,
    })
    first.release()
    expect(open(folder).ok).toBe(true)
  })

  test('takes over the lock of a process that is dead', () => {
    const folder = aTempFolder()
    opened(folder, { host: aHost({ pid: 999_999_999, identityOf: () => 'long ago' }) })
    const second = opened(folder)
    expect(codes(second)).toEqual(['lock_taken_over'])
    expect(second.notices[0]?.words).toContain('999999999')
    expect(readdirSync(folder)).toEqual(['lock.2'])
    expect(refusalOf(folder)?.kind).toBe('in-use')
  })

  test('is not fooled by a later process of the same pid', () => {
    const folder = aTempFolder()
    opened(folder, { host: aHost({ identityOf: () => 'another boot:1' }) })
    expect(codes(opened(folder))).toEqual(['lock_taken_over'])
  })

  test.each(['', '{"pid":', 'null', '{"pid":-1}'])('takes over a lock file that says %j', (text) => {
    const folder = aTempFolder()
    writeFileSync(join(folder, 'lock'), text)
    expect(open(folder).ok).toBe(true)
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })

  test('does not judge a process of another machine', () => {
    const folder = aTempFolder()
    opened(folder, { host: aHost({ name: 'host-b', pid: 7, identityOf: () => 'x' }) })
    expect(refusalOf(folder)?.words).toMatch(
      /in use by process 7 on the machine host-b; .* remove the file .*lock$/,
    )
  })

  const visits = [
    ['one', 1],
    ['one that leaves again, and another', 2],
  ] as const
  test.each(visits)(
    'that slips in at any step of taking the lock is seen, %s: never two at once',
    (_name, times) => {
      for (let step = 0; step < 12; step++) {
        const folder = aTempFolder()
        writeFileSync(join(folder, 'lock'), 'left by a dead process')
        const inner = createNodeFs()
        let left = step
        let other: ReturnType<typeof open> | null = null
        const visit = () => {
          if (left-- !== 0) return
          for (let n = 0; n < times; n++) {
            if (other?.ok) other.value.release()
            other = open(folder, { clock: createManualClock(n) })
          }
        }
        const interrupted = <In extends unknown[], Out>(call: (...input: In) => Out) => {
          return (...input: In): Out => {
            visit()
            return call(...input)
          }
        }
        const fs: Fs = {
          ...inner,
          list: interrupted(inner.list),
          read: interrupted(inner.read),
          remove: interrupted(inner.remove),
          open: interrupted((path, how) => {
            const file = inner.open(path, how)
            return file.ok ? ok({ ...file.value, write: interrupted(file.value.write) }) : file
          }),
        }
        const granted = [open(folder, { fs }), other].filter((each) => each?.ok)
        expect(granted, `interrupted at step ${step}`).toHaveLength(1)
      }
    },
  )
})

describe('where things lie by default', () => {
  const variables = (pairs: Record<string, string>) => (name: string) => pairs[name] ?? null
  test.each([
    ['linux', {}, '/home/op/.local/share/signalbox', '/home/op/.local/state/signalbox'],
    ['linux', { XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s' }, '/d/signalbox', '/s/signalbox'],
    [
      'linux',
      { XDG_DATA_HOME: 'd', XDG_STATE_HOME: '.' },
      '/home/op/.local/share/signalbox',
      '/home/op/.local/state/signalbox',
    ],
    [
      'darwin',
      {},
      '/home/op/Library/Application Support/signalbox',
      '/home/op/Library/Application Support/signalbox-anchor',
    ],
    [
      'win32',
      { APPDATA: '/roaming', LOCALAPPDATA: '/local' },
      '/roaming/signalbox',
      '/local/signalbox-anchor',
    ],
  ])('%s %j: %s, anchor in %s', (platform, pairs, data, anchor) => {
    const host = { platform, home: '/home/op', variable: variables(pairs) }
    expect([defaultDataFolder(host), anchorFolder(host, data)]).toEqual([data, anchor])
    expect(anchorFolder(host, '/elsewhere')).toBe('/elsewhere/anchor')
  })
})
