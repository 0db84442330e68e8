import { readFileSync } from 'node:fs'
import { homedir, hostname, tmpdir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'
import type { Host } from '../../ports/seams/host'

/** This machine, as Node sees it. */
export function createNodeHost(): Host {
  return {
    platform: process.platform,
    name: hostname(),
    pid: process.pid,
    userId: process.getuid?.() ?? null,
    userName: userName(),
    home: home(),
    temp: tmpdir(),
    variable: (name) => process.env[name] || null,
    identityOf: (pid) => (isRunning(pid) ? (linuxIdentity(pid) ?? 'running') : null),
  }
}

/** `HOME` when it names a folder; empty or relative it would mean the working folder, so the system's entry counts. */
function home(): string {
  const named = homedir()
  if (isAbsolute(named)) return named
  try {
    return userInfo().homedir
  } catch {
    return named
  }
}

/** A user id without an entry in the system's list of users, as containers have it, makes `userInfo` throw. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'user')
  }
}

/** Signal 0 asks only. Being refused (`EPERM`) means that the process is there and somebody else's. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** A process that has ended and was not yet waited for holds nothing any more. */
function isZombie(pid: number): boolean {
  return statFields(pid)?.[0] === 'Z'
}

/** Boot id and start time in ticks since boot: field 22 of `/proc/<pid>/stat` (proc(5)). */
function linuxIdentity(pid: number): string | null {
  const started = statFields(pid)?.[19]
  const boot = textOf('/proc/sys/kernel/random/boot_id')
  return started !== undefined && boot !== null ? `${boot.trim()}:${started}` : null
}

/** Fields from the third on; the second is the program's name in brackets and may hold blanks and brackets. */
function statFields(pid: number): string[] | null {
  const text = textOf(`/proc/${pid}/stat`)
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
