/** Exit codes of our programs, after sysexits.h where it has one; scripts may rely on them. */
export const exitCodes = {
  ok: 0,
  /** A question was answered with "no" or a call was refused. */
  refused: 1,
  /** Unknown flag, command or value. */
  usage: 64,
  /** A port is in use, or no console answers. */
  unavailable: 69,
  /** Something of ours failed that should not. */
  internal: 70,
  /** The data folder cannot be made or used at all. */
  noFolder: 73,
  /** Another console runs on the same data folder. */
  alreadyRunning: 75,
} as const

/** An end of the program that an operator can act on: one sentence, no stack. */
export class Stop extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message)
  }
}

/** Says on stderr why the program ends, and gives the exit code. Bugs are named as such, with a line to report. */
export function explainEnd(error: unknown): number {
  const known = error instanceof Stop
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(known ? `signalbox: ${message}\n` : `signalbox: internal error: ${message}\n`)
  return known ? error.exitCode : exitCodes.internal
}
