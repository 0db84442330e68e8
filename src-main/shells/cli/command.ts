import type { Command } from 'commander'
import type { ParamsOf, ReplyOf } from '../../contract/peer'
import type { Rpc } from '../../contract/rpc'

/** What a command gets besides its own arguments. */
export interface CommandContext {
  /** True with `--json` or `-o json`. */
  readonly json: boolean
  /** Writes a line to standard output. */
  print(line: string): void
  /** Asks the console of the data folder. Throws `Stop` when none answers, or with the words of its refusal. */
  ask<Name extends keyof Rpc & string>(name: Name, params: ParamsOf<Rpc[Name]>): Promise<ReplyOf<Rpc[Name]>>
  readonly version: string
}

/** One verb of the command line: a file `<verb>.command.ts` in `commands/`, found by its name. */
export interface CliCommand {
  /** The verb; also the file's name. */
  readonly id: string
  /** Arguments that begin with a dash and are no options, where the verb takes such ones. */
  readonly dashed?: RegExp
  /** Adds arguments, options and the action to a fresh command of that name. */
  define(command: Command, context: () => CommandContext): Command
}

/** Types a command description; returns it unchanged. */
export const defineCommand = (command: CliCommand): CliCommand => command
