/** What the machine says of itself and of its processes. Constant but for `identityOf`. */
export interface Host {
  /** Node's name of the system: `linux`, `darwin`, `win32` … */
  readonly platform: string
  readonly name: string
  readonly pid: number
  /** User id of this process; null on systems that have none (Windows). */
  readonly userId: number | null
  readonly userName: string
  readonly home: string
  readonly temp: string
  /** A variable of the environment; null when it is not set or empty. */
  variable(name: string): string | null
  /**
   * What tells a running process from another one that later got the same pid: boot and start time where the
   * system says them, otherwise just `running`. Null when no such process runs.
   */
  identityOf(pid: number): string | null
}
