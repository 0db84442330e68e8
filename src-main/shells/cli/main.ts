import { Command, CommanderError } from 'commander'
import { createRegistry } from '../../base/registry'
import { connectConsole } from '../console-client'
import { exitCodes, explainEnd, Stop } from '../exit'
import { version } from '../version'
import type { CliCommand, CommandContext } from './command'

const found = import.meta.glob<{ default: CliCommand }>('./commands/*.command.ts', { eager: true })

/** Every verb of the command line. */
export const commands = createRegistry(
  'command',
  Object.values(found).map((module) => module.default),
)

/**
 * Runs one command line and sets the exit code. Errors go to stderr as one sentence.
 * @param args without the program's name
 */
export async function runCli(args: readonly string[]): Promise<void> {
  try {
    await cliProgram().parseAsync([...args], { from: 'user' })
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? commanderEnd(error) : explainEnd(error)
  }
}

function cliProgram(): Command {
  const program = new Command('signalbox')
    .description('The command line of the Signalbox console.')
    .option('--data-dir <folder>', 'data folder of the console to talk to')
    .option('--json', 'machine-readable output')
    .option('-o, --output <form>', 'json or table', 'table')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showSuggestionAfterError()
  for (const { id, define } of commands.all()) {
    const command = new Command(id)
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .allowExcessArguments(false)
    command
      .option('--data-dir <folder>', 'data folder of the console to talk to')
      .option('--json', 'machine-readable output')
    program.addCommand(define(command, () => contextOf(command)))
  }
  return program
}

function contextOf(command: Command): CommandContext {
  const flags = command.optsWithGlobals()
  return {
    json: flags.json === true || flags.output === 'json',
    version,
    print: (line) => void process.stdout.write(`${line}\n`),
    async ask(name, params) {
      const client = await connectConsole(flags.dataDir ?? null)
      const answer = await client.call(name, params).finally(() => client.close())
      if (!answer.ok) throw new Stop(exitCodes.refused, answer.error.message)
      return answer.value
    },
  }
}

function commanderEnd(error: CommanderError): number {
  if (error.exitCode === 0) return exitCodes.ok
  if (error.code === 'commander.help') return exitCodes.usage
  const message = error.message.replace(/^error: /, '').replace(/\s+/g, ' ')
  return explainEnd(new Stop(exitCodes.usage, `${message}; see signalbox --help`))
}
