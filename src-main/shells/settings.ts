import { z } from 'zod'
import type { DocumentSpec } from '../adapters/files/document-text'
import type { Settings } from '../app/control/control'
import { policies } from '../domain/policies'
import { paramsOf } from '../domain/routing/params'

const paramValue = z.union([z.number(), z.boolean(), z.string()])

/** The document `settings.json`: what was set by hand and holds at the next start. */
export const settingsDocument: DocumentSpec<Settings> = {
  name: 'settings',
  schema: 1,
  shape: z
    .strictObject({
      policy: z.strictObject({ id: z.string(), params: z.record(z.string(), paramValue) }),
      ratePerSecond: z.number().min(0.1).max(500),
    })
    .refine(({ policy }) => fits(policy), 'its policy does not exist here, or not with these parameters'),
  migrations: {},
  initial: { policy: withInitialParams('consistent-hash'), ratePerSecond: 8 },
}

/** A policy with the initial values of its parameters. @param id one that exists */
export function withInitialParams(id: string): Settings['policy'] {
  const params = paramsOf(policies.get(id), {})
  return { id, params: params.ok ? params.value : {} }
}

function fits({ id, params }: Settings['policy']): boolean {
  const policy = policies.find(id)
  return policy !== null && paramsOf(policy, params).ok
}
