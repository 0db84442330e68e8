import type { Socket } from 'node:net'
import { createStreamTransport } from '../adapters/transports/stream'
import type { Control } from '../app/control/control'
import type { Millis } from '../base/units'
import type { Timers } from '../ports/seams/timers'

/** Connections of the command line at once; each of its calls is one, and short. */
const scriptsMax = 64
/** Time in which a connection must have asked for something, and how long it may then rest between two calls. */
const firstCallWithinMs: Millis = 5_000
const restMs: Millis = 60_000

/** What the command line's socket leads to. */
export interface DoorParts {
  readonly control: Pick<Control, 'connect'>
  readonly timers: Timers
  readonly mayOperate: boolean
}

/** Lets connections in: not too many, and none that keeps its place without asking anything. */
export function createDoor({ control, timers, mayOperate }: DoorParts): (socket: Socket) => void {
  let open = 0
  return (socket) => {
    if (open >= scriptsMax) return void socket.destroy()
    open++
    const transport = createStreamTransport(socket)
    const close = () => transport.close('nothing was asked in time')
    let patience = timers.after(firstCallWithinMs, close)
    transport.onFrame(() => {
      patience.stop()
      patience = timers.after(restMs, close)
    })
    transport.onClose(() => {
      open--
      patience.stop()
    })
    control.connect(transport, { actor: 'cli', mayOperate })
  }
}
