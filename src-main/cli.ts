import { runCli } from './shells/cli/main'

void runCli(process.argv.slice(2))
