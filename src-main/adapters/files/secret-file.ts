import { join } from 'node:path'
import { fail, ok, type Result } from '../../base/result'
import type { Fs } from '../../ports/seams/fs'
import type { Host } from '../../ports/seams/host'
import type { Keychain } from '../../ports/seams/keychain'
import { durableReplace } from './durable-replace'

/** Longest secret that is read, in bytes. */
const secretLimit = 4096

/**
 * The keychain where the system offers none, as under `serve`: one file a secret, `secret-<name>`, readable by its
 * owner only. A file that others can read is refused, because they may have read it already.
 */
export function createSecretFile(fs: Fs, host: Pick<Host, 'userId'>, folder: string): Keychain {
  return {
    secret(name, create) {
      if (!/^[a-z][a-z0-9-]{0,40}$/.test(name)) return fail({ message: `a secret cannot be named ${name}` })
      const path = join(folder, `secret-${name}`)
      const found = fs.stat(path)
      if (!found.ok) return fail({ message: found.error.message })
      if (found.value === null) return store(fs, path, create())
      const exposed = exposure(path, found.value, host.userId)
      return exposed === null ? load(fs, path) : fail({ message: exposed })
    },
  }
}

/** Why a file cannot be trusted, with the fix; null when it can. Windows has no modes: there the folder's rights hold. */
function exposure(
  path: string,
  { kind, mode, owner }: { readonly kind: string; readonly mode: number; readonly owner: number | null },
  userId: number | null,
): string | null {
  if (kind !== 'file')
    return `the secret ${path} is a ${kind}, not a file; remove it, and a new secret is made`
  if (owner === null) return null
  if (owner !== userId)
    return `the secret ${path} belongs to another user (id ${owner}); remove it, and a new secret is made`
  if ((mode & 0o077) === 0) return null
  return `other users can read the secret ${path}; remove it, and a new secret is made (or, if nobody else was on this machine, run chmod 600 on it)`
}

function load(fs: Fs, path: string): Result<string, { readonly message: string }> {
  const read = fs.read(path, secretLimit)
  if (!read.ok) return fail({ message: read.error.message })
  const text = new TextDecoder().decode(read.value).trim()
  return text === ''
    ? fail({ message: `the secret ${path} is empty; remove it, and a new secret is made` })
    : ok(text)
}

function store(fs: Fs, path: string, secret: string): Result<string, { readonly message: string }> {
  const written = durableReplace(fs, path, new TextEncoder().encode(`${secret}\n`))
  return written.ok
    ? ok(secret)
    : fail({ message: `a new secret could not be kept: ${written.error.message}` })
}
