import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { policies } from '../domain/policies'
import { nearest } from '../domain/routing/params'
import { exitCodes, Stop } from './exit'

/** How the console is started: the flags of `npm start`, the same for every shell. */
export interface StartOptions {
  readonly serve: boolean
  readonly json: boolean
  /** Port of the page; 0 lets the system choose all three ports. Null: the default ports. */
  readonly port: number | null
  readonly proxyPort: number | null
  readonly routerPort: number | null
  readonly dataDir: string | null
  readonly replicas: number
  readonly seed: number
  readonly speed: number
  /** Null: as set last time, at first consistent-hash. */
  readonly policy: string | null
  readonly traffic: boolean
  /** Requests per second; null: as set last time, at first 8. */
  readonly rate: number | null
  readonly readOnly: boolean
  readonly dataPlaneKey: string | null
}

/** Default ports (decision D24). */
export const defaultPorts = { page: 9265, proxy: 8000, router: 8001 } as const

/**
 * Reads the flags. Throws `Stop` with one sentence on a wrong one, and with the help text and code 0 for `--help`.
 * @param args without the program's name
 */
export function readStartOptions(args: readonly string[]): StartOptions {
  let help = ''
  const program = startCommand().configureOutput({
    writeOut: (text) => {
      help += text
    },
    writeErr: () => {},
  })
  try {
    program.parse([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed') throw new Stop(exitCodes.ok, help.trimEnd())
    throw new Stop(
      exitCodes.usage,
      `${error.message.replace(/^error: /, '').replace(/\s+/g, ' ')}; see --help`,
    )
  }
  const flags = program.opts()
  return {
    serve: flags.serve === true,
    json: flags.json === true,
    port: flags.port ?? null,
    proxyPort: flags.proxyPort ?? null,
    routerPort: flags.routerPort ?? null,
    dataDir: flags.dataDir ?? null,
    replicas: flags.replicas,
    seed: flags.seed,
    speed: flags.speed,
    policy: flags.policy ?? null,
    traffic: flags.traffic !== false,
    rate: flags.rate ?? null,
    readOnly: flags.readOnly === true,
    dataPlaneKey: flags.dataPlaneKey ?? null,
  }
}

function startCommand(): Command {
  return new Command('npm start --')
    .description('Starts the console with the embedded demo cluster.')
    .exitOverride()
    .allowExcessArguments(false)
    .option('--serve', 'no window: serve the console to a browser and print its address')
    .option('--json', 'with --serve: print one JSON line when ready')
    .option('--port <n>', 'port of the page; 0 makes all ports ephemeral', whole(0, 65_535))
    .option('--proxy-port <n>', `port of the proxy (default ${defaultPorts.proxy})`, whole(0, 65_535))
    .option(
      '--router-port <n>',
      `port of the request router (default ${defaultPorts.router})`,
      whole(0, 65_535),
    )
    .option('--data-dir <folder>', 'where settings, audit and history are kept', text)
    .option('--replicas <n>', 'simulated replicas at start', whole(1, 64), 8)
    .option('--seed <n>', 'seed of the embedded cluster and its traffic', whole(0, 2 ** 32 - 1), 1)
    .option(
      '--speed <x>',
      'how many times faster than the modelled hardware replicas run',
      within(0.1, 1_000),
      2,
    )
    .option(
      '--policy <id>',
      'routing policy at start (default: the last one, at first consistent-hash)',
      policyId,
    )
    .option('--rate <n>', 'demo requests per second (default: the last rate, at first 8)', within(0.1, 500))
    .option('--no-traffic', 'start without demo traffic')
    .option('--read-only', 'take no action that changes anything')
    .option('--data-plane-key <file>', 'file with the key that clients of the proxy must send', text)
}

/** A parser of whole numbers in a range, for commander. */
export const whole = (min: number, max: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
  return value
}

/** A parser of texts: an empty one is a variable that a script forgot to set, never a wish. */
export function text(given: string): string {
  if (given.trim() !== '') return given
  throw new InvalidArgumentError('It must not be empty.')
}

const within = (min: number, max: number) => (text: string) => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < min || value > max) {
    throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`)
  }
  return value
}

function policyId(text: string): string {
  if (policies.find(text)) return text
  throw new InvalidArgumentError(
    `There is no such policy; did you mean ${nearest(text, policies.ids())}? There are: ${policies.ids().join(', ')}.`,
  )
}
