import type { Command } from 'commander'
import type { Call } from '../../contract/peer'
import type { Rpc } from '../../contract/rpc'

/** What a command gets besides its own arguments. */
export interface CommandContext {
  /** True with `--json` or `-o json`. */
  readonly json: boolean
  /** Writes a line to standard output. */
  print(line: string): void
  /** Connects to the console of the data folder, runs the job and disconnects. Throws `Stop` when none answers. */
  withConsole<T>(job: (call: Call<Rpc>) => Promise<T>): Promise<T>
  readonly version: string
}

/** One verb of the command line: a file `<verb>.command.ts` in `commands/`, found by its name. */
export interface CliCommand {
  /** The verb; also the file's name. */
  readonly id: string
  /** Adds arguments, options and the action to a fresh command of that name. */
  define(command: Command, context: () => CommandContext): Command
}

/** Types a command description; returns it unchanged. */
export const defineCommand = (command: CliCommand): CliCommand => command
