import { Command, CommanderError, Option } from 'commander'
import { createRegistry } from '../../base/registry'
import type { CallError } from '../../contract/wire'
import { connectConsole } from '../console-client'
import { exitCodes, explainEnd, Stop } from '../exit'
import { plainLines } from '../plain'
import { text } from '../start-options'
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
    await cliProgram().parseAsync(shielded(args), { from: 'user' })
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? commanderEnd(error) : explainEnd(error)
  }
}

/** Arguments that begin with a dash and are no options of the verb get a blank in front, which their reader skips. */
function shielded(args: readonly string[]): string[] {
  const verb = args.map((arg) => commands.find(arg)).find((command) => command !== null)
  return args.map((arg) => (verb?.dashed?.test(arg) ? ` ${arg}` : arg))
}

function cliProgram(): Command {
  const program = withCommonOptions(new Command('signalbox'))
    .description('The command line of the Signalbox console.')
    .addOption(new Option('-o, --output <form>', 'how to print').choices(['table', 'json']).default('table'))
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 refused, 64 wrong usage, 69 no console answers. status: 0 well, 1 warning, 2 critical.',
    )
  for (const { id, define } of commands.all()) {
    const command = withCommonOptions(new Command(id)).allowExcessArguments(false)
    program.addCommand(define(command, () => contextOf(command)))
  }
  return program
}

const withCommonOptions = (command: Command) =>
  command
    .option('--data-dir <folder>', 'data folder of the console to talk to', text)
    .option('--json', 'machine-readable output')
    .exitOverride()
    .configureOutput({ outputError: () => {} })

function contextOf(command: Command): CommandContext {
  const flags = command.optsWithGlobals()
  return {
    json: flags.json === true || flags.output === 'json',
    version,
    print: (lines) => void process.stdout.write(`${plainLines(lines)}\n`),
    async ask(name, params) {
      const client = await connectConsole(flags.dataDir ?? null)
      const answer = await client.call(name, params).finally(() => client.close())
      if (!answer.ok) throw new Stop(codeOf(answer.error), answer.error.message)
      return answer.value
    },
  }
}

/** Codes of refusals that say: the question was wrong, at whatever time it is asked. */
const wrongUsage: ReadonlySet<string> = new Set([
  'bad_params',
  'bad_filter',
  'no_such_policy',
  'unknown_policy',
])

function codeOf({ code }: CallError): number {
  if (wrongUsage.has(code)) return exitCodes.usage
  return code === 'disconnected' || code === 'timeout' ? exitCodes.unavailable : exitCodes.refused
}

function commanderEnd(error: CommanderError): number {
  if (error.exitCode === 0) return exitCodes.ok
  if (error.code === 'commander.help') return exitCodes.usage
  const message = error.message.replace(/^error: /, '').replace(/\s+/g, ' ')
  return explainEnd(new Stop(exitCodes.usage, `${message}; see signalbox --help`))
}
