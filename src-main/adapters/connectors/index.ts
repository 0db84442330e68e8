import { createRegistry } from '../../base/registry'
import type { Connector } from '../../ports/fleet-source'

const found = import.meta.glob<{ default: Connector }>('./*.connector.ts', { eager: true })

/** Every kind of engine that can be read; a new one is a new file `<id>.connector.ts` here and nothing else. */
export const connectors = createRegistry(
  'connector',
  Object.values(found).map((module) => module.default),
)
