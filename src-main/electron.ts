import { runDesktop } from './shells/electron/main'

runDesktop(__dirname)
