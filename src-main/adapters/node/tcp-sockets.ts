import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

// What Linux tells of TCP sockets: proc_net_tcp in the kernel's documentation, proc(5) for the folders of processes. On
// other systems these files do not exist and every answer is null.

/** One socket of this machine. */
interface TcpSocket {
  readonly localPort: number
  readonly remotePort: number
  /** Kernel's number of the state. */
  readonly state: number
  /** 0 when no process holds it any more. */
  readonly inode: string
}

const listening = 0x0a

/** Program and pid that listen on a port, such as `node (pid 12)`; null where the system does not tell. */
export function portHolder(port: number): string | null {
  const socket = tcpSockets()?.find(({ localPort, state }) => localPort === port && state === listening)
  return socket ? holderOf(socket.inode) : null
}

/**
 * Who holds the TCP sockets of this machine now; null where the system does not tell. The answer is asked by the other
 * end's port and ours: false when the other end was closed, though its socket may live on in the kernel for a while.
 */
export function tcpPeers(): ((peerPort: number, ownPort: number) => boolean) | null {
  const sockets = tcpSockets()
  if (!sockets) return null
  const held = new Set<number>()
  for (const { localPort, remotePort, inode } of sockets)
    if (inode !== '0') held.add(localPort * portCount + remotePort)
  return (peerPort, ownPort) => held.has(peerPort * portCount + ownPort)
}

const portCount = 65_536

/** How many descriptors this process may open, or null where the system does not tell. */
export function descriptorLimit(): number | null {
  const line = textOf('/proc/self/limits')
    ?.split('\n')
    .find((each) => each.startsWith('Max open files'))
  const limit = Number(line?.split(/\s+/)[3])
  return Number.isInteger(limit) ? limit : null
}

function tcpSockets(): TcpSocket[] | null {
  const v4 = textOf('/proc/net/tcp')
  if (v4 === null) return null
  return [v4, textOf('/proc/net/tcp6') ?? ''].flatMap((text) =>
    text
      .split('\n')
      .slice(1)
      .map(socketOf)
      .filter((socket) => socket !== null),
  )
}

/** A line such as `0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711 …`. */
function socketOf(line: string): TcpSocket | null {
  const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/)
  if (!local || !remote || !state || !inode) return null
  return { localPort: portOf(local), remotePort: portOf(remote), state: Number.parseInt(state, 16), inode }
}

const portOf = (address: string): number => Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16)

function holderOf(inode: string): string | null {
  const wanted = `socket:[${inode}]`
  for (const pid of namesIn('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    for (const descriptor of namesIn(`/proc/${pid}/fd`))
      if (linkOf(`/proc/${pid}/fd/${descriptor}`) === wanted)
        return `${textOf(`/proc/${pid}/comm`)?.trim() ?? 'a program'} (pid ${pid})`
  }
  return null
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // another user's process, or one that has just ended
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
