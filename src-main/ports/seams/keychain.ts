import type { Result } from '../../base/result'

/** Where secrets are kept: the system's keychain, or an owner-only file where there is none. */
export interface Keychain {
  /** The secret, made by `create` and stored when there is none yet. */
  secret(name: string, create: () => string): Result<string, { readonly message: string }>
}
