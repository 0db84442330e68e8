import { runCli } from './shells/cli/main'

process.stdout.on('error', () => process.exit()) // who read our output, `head` for example, has enough
void runCli(process.argv.slice(2))
