import { plain } from './plain'

/** Exit codes of our programs, after sysexits.h where it has one; scripts may rely on them. */
export const exitCodes = {
  ok: 0,
  /** The console understood a call and refused it as things are now. */
  refused: 1,
  /** Unknown flag, command or value, whoever finds out: the command line or the console. */
  usage: 64,
  /** A port is in use, or no console answers: there is none, it takes too long, or the connection to it was lost. */
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

/**
 * Says why the program ends, and gives the exit code: an asked-for text (code 0) on stdout, anything else in one line on
 * stderr. Bugs are named as such, with a line to report.
 */
export function explainEnd(error: unknown): number {
  const known = error instanceof Stop
  const message = error instanceof Error ? error.message : String(error)
  if (known && error.exitCode === exitCodes.ok) process.stdout.write(`${message}\n`)
  else process.stderr.write(`signalbox: ${known ? '' : 'internal error: '}${plain(message)}\n`)
  return known ? error.exitCode : exitCodes.internal
}
