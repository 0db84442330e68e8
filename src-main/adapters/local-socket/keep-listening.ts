import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import { ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { Fs } from '../../ports/seams/fs'
import type { ListenError, Listening, Net } from '../../ports/seams/net'
import type { Timers } from '../../ports/seams/timers'
import { isPipe, type LocalListening, listenLocal } from './listen-local'

/** What keeping a local socket needs of the machine. */
export interface KeepSeams {
  readonly net: Net<Socket>
  readonly fs: Fs
  readonly timers: Timers
}

/** Who uses the socket. */
export interface KeptSocket {
  onSocket(socket: Socket): void
  /** The socket's file was taken away and a new one stands there (null), or why that could not be. Told at each change. */
  onLost(why: string | null): void
}

/** How often the file is looked for. */
const lookEveryMs: Millis = 1_000

/**
 * Listens like `listenLocal`, and goes on doing so when the socket's file or its folder is deleted: nobody could find the
 * socket any more, and the system tells nobody. Connections that exist live on.
 */
export async function keepListening(
  { net, fs, timers }: KeepSeams,
  path: string,
  { onSocket, onLost }: KeptSocket,
): Promise<Result<Listening, ListenError>> {
  const opened: LocalListening[] = []
  let mark: number | null = null
  let told: string | null = null
  let closed = false
  let looking = false

  const listen = async (): Promise<Result<Listening, ListenError>> => {
    if (!isPipe(path)) fs.makeFolder(dirname(path)) // when that fails, listening says why
    const listening = await listenLocal(net, fs, path, onSocket)
    if (!listening.ok) return listening
    opened.push(listening.value)
    mark = markOf(fs, path)
    return listening
  }
  const tell = (why: string | null) => {
    if (why !== null && why === told) return
    told = why
    onLost(why)
  }
  const again = async () => {
    if (markOf(fs, path) !== null) return tell(`something else stands at ${path}; move it away`)
    for (const each of opened) each.leave()
    const listening = await listen()
    if (closed) return void opened.at(-1)?.close()
    tell(listening.ok ? null : listening.error.message)
  }
  const look = () => {
    if (looking || (mark !== null && markOf(fs, path) === mark)) return
    mark = null
    looking = true
    void again().finally(() => {
      looking = false
    })
  }

  const first = await listen()
  if (!first.ok) return first
  const looks = isPipe(path) ? null : timers.every(lookEveryMs, look)
  return ok({
    port: null,
    async close() {
      closed = true
      looks?.stop()
      await Promise.all(opened.map((each) => each.close()))
    },
  })
}

/** Tells our file from another one of its name: nothing changes when a socket was made. Null when there is none. */
function markOf(fs: Fs, path: string): number | null {
  const there = fs.stat(path)
  return there.ok && there.value !== null ? there.value.modifiedWallMs : null
}
