import type { Transport } from '../../contract/transport'
import type { Role } from '../../domain/journal/record'

/** One of our own processes, started and watched by control. */
export interface Child {
  readonly pid: number | null
  readonly link: Transport
  /** Fires once, with words such as `exit 1` or `signal SIGKILL`. */
  onExit(listener: (how: string) => void): void
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

/** Starts roles: utility processes under Electron, Node child processes under `serve`, in-process pairs in tests. */
export interface Proc {
  start(role: Role): Child
}
