import { createRegistry } from '../../base/registry'
import { fail } from '../../base/result'
import { defaultEngine, type Replica } from '../../domain/fleet/replica'
import type { Connector, ConnectorSeams, FleetSource } from '../../ports/fleet-source'

const found = import.meta.glob<{ default: Connector }>('./*.connector.ts', { eager: true })

/** Every kind of engine that can be read; a new one is a new file `<id>.connector.ts` here, and how it is tested (test/conformance/engines). */
export const connectors = createRegistry(
  'connector',
  Object.values(found).map((module) => module.default),
)

/** The source of one replica, by the engine that it declares; one that no connector reads says so at every read. */
export function openSource(replica: Replica, seams: ConnectorSeams): FleetSource {
  const engine = replica.engine ?? defaultEngine
  return connectors.find(engine)?.open(replica, seams) ?? unreadable(replica, engine)
}

function unreadable({ id, url }: Replica, engine: string): FleetSource {
  const message =
    `replica ${id} declares the engine "${engine.slice(0, 40)}", which no connector reads; ` +
    `declare one of these, or add its connector: ${connectors.ids().join(', ')}`
  return {
    id: `engine:${id}`,
    kind: engine,
    target: url,
    read: ({ aborted }) =>
      Promise.resolve(
        fail(
          aborted
            ? { kind: 'aborted', message: 'the read was called off' }
            : { kind: 'unsupported', message },
        ),
      ),
    restart() {},
  }
}
