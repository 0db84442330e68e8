import { runFleetProcess } from './shells/fleet-process'

runFleetProcess()
