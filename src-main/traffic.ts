import { runTrafficProcess } from './shells/traffic-process'

runTrafficProcess()
