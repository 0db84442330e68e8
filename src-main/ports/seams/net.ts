import type { Result } from '../../base/result'
import type { Millis } from '../../base/units'

/** Where to connect or listen: a TCP port of a literal address, or a Unix socket (a named pipe on Windows). */
export type NetAddress = { readonly host: string; readonly port: number } | { readonly path: string }

/** Why listening failed. `holder` names who has the port, where the system tells. */
export interface ListenError {
  readonly code: 'in-use' | 'denied' | 'failed'
  readonly message: string
}

/** A listener that is up. */
export interface Listening {
  /** The port that was given when 0 was asked for; null for a Unix socket. */
  readonly port: number | null
  /** Stops accepting; connections that exist live on. */
  close(): Promise<void>
}

/**
 * Sockets. `Stream` is the byte stream of the platform (a Node duplex in production and in the simulator), which the pure
 * layers never name. Protocol code parses what it is handed and opens nothing by itself.
 */
export interface Net<Stream> {
  /** A connecting stream; it emits the platform's connect, error and close. Connecting may take `timeoutMs` at most. */
  connect(address: NetAddress, options?: { readonly timeoutMs?: Millis }): Stream
  listen(address: NetAddress, onConnection: (stream: Stream) => void): Promise<Result<Listening, ListenError>>
}
