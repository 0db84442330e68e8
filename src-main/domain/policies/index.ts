import { createRegistry } from '../../base/registry'
import type { AnyPolicy } from '../routing/policy'

const found = import.meta.glob<{ default: AnyPolicy }>('./*.policy.ts', {
  eager: true,
})

/** Every routing policy there is; a new one is a new file `<id>.policy.ts` in this folder and nothing else. */
export const policies = createRegistry(
  'policy',
  Object.values(found).map((module) => module.default),
)
