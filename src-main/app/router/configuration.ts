import type { Draw } from '../../base/draw'
import { fail, ok, type Result } from '../../base/result'
import type { CallError } from '../../contract/wire'
import type { PolicyInForce } from '../../domain/journal/record'
import { policies } from '../../domain/policies'
import { nearest, paramsOf } from '../../domain/routing/params'
import type { AnyPolicy } from '../../domain/routing/policy'

/** The policy in use. The object is never changed, only replaced; its memory is the policy's own to write. */
export interface Configuration {
  readonly inForce: PolicyInForce
  readonly policy: AnyPolicy
  readonly memory: unknown
}

/** A configuration with fresh memory; an unknown policy or parameter is an error that names the nearest right one. */
export function configure(given: PolicyInForce, draw: Draw): Result<Configuration, CallError> {
  const policy = policies.find(given.id)
  if (!policy)
    return fail({
      code: 'unknown_policy',
      message: `there is no policy ${given.id}; did you mean ${nearest(given.id, policies.ids())}? There are: ${policies.ids().join(', ')}`,
    })
  return configurePolicy(policy, given, draw)
}

/** The same for a policy that need not be registered. */
export function configurePolicy(
  policy: AnyPolicy,
  given: PolicyInForce,
  draw: Draw,
): Result<Configuration, CallError> {
  const params = paramsOf(policy, given.params)
  if (!params.ok) return fail({ code: 'bad_params', message: params.error.message })
  return ok({
    inForce: { id: policy.id, params: params.value },
    policy,
    memory: policy.init(params.value, draw.fork(`policy ${policy.id}`)),
  })
}

/** The same policy and parameters with fresh memory, for when the old one can no longer be trusted. */
export const withFreshMemory = (configuration: Configuration, draw: Draw): Configuration => ({
  ...configuration,
  memory: configuration.policy.init(configuration.inForce.params, draw.fork('again')),
})
