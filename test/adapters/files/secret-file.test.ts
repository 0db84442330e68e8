import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSecretFile } from '../../../src-main/adapters/files/secret-file'
import { createNodeFs } from '../../../src-main/adapters/node/fs'
import { aHost } from '../../helpers/a-host'
import { createFalseFs } from '../../helpers/false-fs'
import { aTempFolder } from '../../helpers/temp-folder'

const keychainIn = (folder: string, userId = aHost().userId) =>
  createSecretFile(createNodeFs(), { userId }, folder)

describe('a secret in a file', () => {
  test('is made once, for its owner only, and found again', () => {
    const folder = aTempFolder()
    expect(keychainIn(folder).secret('session-key', () => 'abc')).toEqual({ ok: true, value: 'abc' })
    expect(keychainIn(folder).secret('session-key', () => 'other')).toEqual({ ok: true, value: 'abc' })
    expect(statSync(join(folder, 'secret-session-key')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'secret-session-key'), 'utf8')).toBe('abc\n')
  })

  const refused: readonly { name: string; harm: (path: string) => void; words: RegExp }[] = [
    {
      name: 'readable by the group',
      harm: (path) => chmodSync(path, 0o640),
      words: /other users can read .* chmod 600/,
    },
    {
      name: 'readable by all',
      harm: (path) => chmodSync(path, 0o604),
      words: /other users can read .* remove it/,
    },
    { name: 'empty', harm: (path) => writeFileSync(path, '\n'), words: /is empty; remove it/ },
    { name: 'huge', harm: (path) => writeFileSync(path, 'x'.repeat(5_000)), words: /larger than expected/ },
  ]
  test.each(refused)('that is $name is refused with the fix, and not shown', ({ harm, words }) => {
    const folder = aTempFolder()
    keychainIn(folder).secret('key', () => 'the-secret')
    harm(join(folder, 'secret-key'))
    const refusal = keychainIn(folder).secret('key', () => 'new')
    expect(!refusal.ok && refusal.error.message).toMatch(words)
    expect(JSON.stringify(refusal)).not.toContain('the-secret')
  })

  test('that is a link, or somebody else’s, is refused', () => {
    const folder = aTempFolder()
    symlinkSync('/etc/hostname', join(folder, 'secret-key'))
    expect(keychainIn(folder).secret('key', () => 'x')).toMatchObject({ ok: false })
    keychainIn(folder).secret('mine', () => 'x')
    const refusal = keychainIn(folder, 54_321).secret('mine', () => 'y')
    expect(!refusal.ok && refusal.error.message).toContain('belongs to another user')
  })

  test.each(['../escape', '', 'UPPER', 'a/b'])('has no name such as %j', (name) =>
    expect(keychainIn(aTempFolder()).secret(name, () => 'x').ok).toBe(false),
  )

  test('that cannot be kept is not handed out', () => {
    const fs = createFalseFs(createNodeFs())
    fs.breaks({ on: 'sync', code: 'EIO' })
    const refusal = createSecretFile(fs, aHost(), aTempFolder()).secret('key', () => 'x')
    expect(!refusal.ok && refusal.error.message).toMatch(/could not be kept/)
  })
})
