import { chmodSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fail, ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { Fs } from '../../ports/seams/fs'
import type { ListenError, Listening, Net } from '../../ports/seams/net'

/** How long a socket file's owner may take to answer before it counts as dead. */
const probeMs: Millis = 500

/** Longest path of a local socket that all systems take (`sun_path` of macOS); longer ones would be cut silently. */
const pathMaxBytes = 103

/** A local socket that is up. Closing it also ends the connections that are open. */
export interface LocalListening extends Listening {
  /** Gives the socket up, and its file; connections that exist live on until it is closed. */
  leave(): void
}

/**
 * Listens on a local socket that only this user can open (mode 0600; its folder exists). A socket file that a dead
 * process left behind is taken over; one that somebody answers on, and anything that is no socket, is left alone.
 */
export async function listenLocal(
  net: Net<Socket>,
  fs: Fs,
  path: string,
  onSocket: (socket: Socket) => void,
): Promise<Result<LocalListening, ListenError>> {
  if (!isPipe(path) && Buffer.byteLength(path) > pathMaxBytes)
    return fail({ code: 'failed', message: `${path} is too long for a socket (${pathMaxBytes} bytes)` })
  const sockets = new Set<Socket>()
  const accept = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    onSocket(socket)
  }
  let listening = await net.listen({ path }, accept)
  if (!listening.ok && listening.error.code === 'in-use') {
    const cleared = await clearStale(net, fs, path)
    if (!cleared.ok) return cleared
    listening = await net.listen({ path }, accept)
  }
  if (!listening.ok) return listening
  const { close } = listening.value
  if (!isPipe(path)) chmodSync(path, 0o600)
  return ok({
    port: null,
    leave: () => void close(),
    close() {
      const closed = close()
      for (const socket of sockets) socket.destroy()
      return closed
    },
  })
}

/** Windows' named pipes are no files: they vanish with their process. */
export const isPipe = (path: string) => path.startsWith('\\\\')

async function clearStale(net: Net<Socket>, fs: Fs, path: string): Promise<Result<null, ListenError>> {
  const inUse = (message: string) => fail<ListenError>({ code: 'in-use', message })
  if (isPipe(path) || (await answers(net, path))) return inUse(`another program answers on ${path}`)
  const there = fs.stat(path)
  if (!there.ok) return inUse(there.error.message)
  if (there.value !== null && there.value.kind !== 'socket') {
    const kind = there.value.kind === 'other' ? 'pipe or a device' : there.value.kind
    return inUse(`${path} is a ${kind}, not a socket; move it away`)
  }
  const removed = fs.remove(path)
  return removed.ok || removed.error.code === 'ENOENT' ? ok(null) : inUse(removed.error.message)
}

function answers(net: Net<Socket>, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ path }, { timeoutMs: probeMs })
    socket.once('connect', () => {
      socket.end().resume().unref() // it may say what it wants; we go
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
