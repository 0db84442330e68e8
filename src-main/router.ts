import { runRouterProcess } from './shells/router-process'

runRouterProcess()
