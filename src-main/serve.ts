import { runServe } from './shells/serve/main'

void runServe(__dirname, process.argv.slice(2))
