import { join } from 'node:path'
import { z } from 'zod'
import { fail, ok, type Result } from '../../base/result'
import { stableJson } from '../../base/stable-json'
import type { Fs, FsError } from '../../ports/seams/fs'
import type { Host } from '../../ports/seams/host'

const lockContent = z.object({
  pid: z.number().int().positive(),
  /** Tells the process from a later one of the same pid. */
  identity: z.string().max(200),
  host: z.string().max(300),
  sinceWallMs: z.number(),
  socket: z.string().max(300),
})

/** Who writes to a data folder, and where to reach it. */
export type LockHolder = z.infer<typeof lockContent>

/** Why the lock was not taken: somebody lives, or the folder does not let us write. */
export type LockRefusal =
  | { readonly kind: 'held'; readonly holder: LockHolder; readonly sameMachine: boolean }
  | { readonly kind: 'not-writable'; readonly error: FsError }

/** A lock that is ours. */
export interface HeldLock {
  /** The pid of the dead process whose lock was taken over; null when there was none. */
  readonly tookOverFrom: number | null
  /** Whether our file is still there. */
  held(): boolean
  release(): void
}

/** What taking a lock needs. */
export interface LockPlace {
  readonly fs: Fs
  readonly host: Host
  readonly folder: string
}

/**
 * Takes the folder's lock (SR-092). Lock files are `lock`, `lock.2` …: a dead one is never removed to make room, since
 * between looking and removing it might have become a living one's; the next number is created instead, exclusively,
 * and then everybody looks again. Of two that come at once at least one sees the other and yields.
 */
export function takeLock(
  place: LockPlace,
  { socket, sinceWallMs }: Pick<LockHolder, 'socket' | 'sinceWallMs'>,
): Result<HeldLock, LockRefusal> {
  const { host } = place
  const identity = host.identityOf(host.pid) ?? 'running'
  const mine: LockHolder = { pid: host.pid, identity, host: host.name, sinceWallMs, socket }
  for (let attempt = 0; attempt < attemptsAtMost; attempt++) {
    const taken = tryLock(place, mine)
    if (taken !== 'again') return taken
  }
  const message = `${place.folder}: too many programs want this folder at once; start again`
  return fail({ kind: 'not-writable', error: { code: 'EBUSY', path: place.folder, message } })
}

/** Who writes to a folder now; null when nobody does, or nobody who can be told. */
export function lockHolder(place: LockPlace): LockHolder | null {
  return readLocks(place).find(({ fate }) => fate === 'living')?.holder ?? null
}

/** Each failed attempt means that somebody else got further, so few are ever needed. */
const attemptsAtMost = 10

function tryLock(place: LockPlace, mine: LockHolder): Result<HeldLock, LockRefusal> | 'again' {
  const before = readLocks(place)
  const living = before.find(({ fate }) => fate !== 'dead')
  if (living !== undefined) return fail(heldBy(living))
  const number = (before.at(-1)?.number ?? 0) + 1
  const path = lockPath(place.folder, number)
  const created = createLock(place.fs, path, mine)
  if (!created.ok) {
    if (created.error.code === 'EEXIST') return 'again'
    return fail({ kind: 'not-writable', error: created.error })
  }
  const rival = readLocks(place).find((lock) => lock.number !== number && lock.fate !== 'dead')
  if (rival !== undefined) {
    place.fs.remove(path)
    return fail(heldBy(rival))
  }
  for (const dead of before) place.fs.remove(lockPath(place.folder, dead.number))
  const held = () => sameHolder(readLock(place, number).holder, mine)
  return ok({
    tookOverFrom: before.at(-1)?.holder.pid || null,
    held,
    release: () => void (held() && place.fs.remove(path)),
  })
}

function createLock(fs: Fs, path: string, mine: LockHolder): Result<void, FsError> {
  const opened = fs.open(path, 'create')
  if (!opened.ok) return opened
  const written = opened.value.write(new TextEncoder().encode(`${stableJson(mine)}\n`))
  const closed = opened.value.close()
  const done = written.ok ? closed : written
  if (!done.ok) fs.remove(path)
  return done
}

const sameHolder = (one: LockHolder, other: LockHolder): boolean =>
  one.pid === other.pid && one.identity === other.identity && one.sinceWallMs === other.sinceWallMs

interface Lock {
  readonly number: number
  readonly holder: LockHolder
  readonly fate: 'living' | 'dead' | 'elsewhere'
}

const heldBy = ({ holder, fate }: Lock): LockRefusal => ({
  kind: 'held',
  holder,
  sameMachine: fate !== 'elsewhere',
})

const lockPath = (folder: string, number: number) => join(folder, number === 1 ? 'lock' : `lock.${number}`)

/** Ascending. A file that cannot be understood was left by a process that died while writing it: it holds nothing. */
function readLocks(place: LockPlace): readonly Lock[] {
  const listed = place.fs.list(place.folder)
  if (!listed.ok) return []
  const numbers = listed.value.flatMap((name) => {
    const match = /^lock(?:\.([1-9]\d{0,8}))?$/.exec(name)
    return match === null ? [] : [Number(match[1] ?? 1)]
  })
  return numbers.sort((a, b) => a - b).map((number) => readLock(place, number))
}

const nobody: LockHolder = { pid: 0, identity: '', host: '', sinceWallMs: 0, socket: '' }

function readLock(place: LockPlace, number: number): Lock {
  const read = place.fs.read(lockPath(place.folder, number), 4096)
  const holder = read.ok ? parseHolder(read.value) : null
  if (holder === null) return { number, holder: nobody, fate: 'dead' }
  return { number, holder, fate: fateOf(holder, place.host) }
}

function parseHolder(bytes: Uint8Array): LockHolder | null {
  try {
    return lockContent.parse(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return null
  }
}

function fateOf(holder: LockHolder, host: Host): Lock['fate'] {
  if (holder.host !== host.name) return 'elsewhere'
  return host.identityOf(holder.pid) === holder.identity ? 'living' : 'dead'
}
