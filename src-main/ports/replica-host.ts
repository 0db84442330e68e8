import type { Result } from '../base/result'
import type { Millis, Tokens } from '../base/units'
import type { ReplicaId } from '../domain/fleet/replica'

/** What one embedded replica is to be. */
export interface ReplicaSpec {
  readonly id: ReplicaId
  /** Name of the model that it serves. */
  readonly model: string
  /** Id of a preset: the model and machine that it imitates. */
  readonly profile: string
  /** Capacity of its KV cache, or null for the preset's own. */
  readonly kvTokens: Tokens | null
  /** Of the answers. All replicas of a fleet share it: the same prompt has the same answer everywhere. */
  readonly seed: number
  /** How many times faster than the wall clock its engine runs. */
  readonly speed: number
  /** Literal address to listen on. */
  readonly host: string
}

/** A replica that is up. */
export interface HostedReplica {
  /** Origin of its HTTP port. */
  readonly url: string
  /**
   * Is unhealthy from now on, refuses new requests after a grace for those on their way, waits for running ones up to the
   * limit, then closes; answers how many it cut off.
   */
  drain(waitMs: Millis): Promise<number>
  /** Ends as a crash does: the port closes and every connection is reset, now. */
  kill(): Promise<void>
}

/** Where embedded replicas come from. */
export interface ReplicaHost {
  open(spec: ReplicaSpec): Promise<Result<HostedReplica, { readonly message: string }>>
}
