import type { Result } from '../base/result'
import type { Bytes, Millis } from '../base/units'
import type { SourceId } from '../domain/fleet/reading'
import type { EngineReadings, Replica } from '../domain/fleet/replica'
import type { Clock } from './seams/clock'

/** Why a read gave nothing; `message` says it in words for the operator. */
export interface PollError {
  readonly kind:
    | 'refused'
    | 'reset'
    | 'timeout'
    | 'aborted'
    | 'status'
    | 'bad-reply'
    | 'bad-data'
    | 'partial'
    | 'too-large'
    | 'target-refused'
    | 'unsupported'
    | 'failed'
  readonly message: string
}

/** A read that reached a healthy engine. Its figures may be missing all the same; the caller keeps the last ones. */
export interface EngineReport {
  readonly takenMonoMs: Millis
  readonly readings: Result<EngineReadings, PollError>
  /** Names of the models that it serves; null when it did not say. */
  readonly models: readonly string[] | null
  /** When the engine's process started, by its own clock; null when it does not say. */
  readonly startedWallMs: Millis | null
  readonly bytes: Bytes
  /** Lines of the metrics page that could not be used. */
  readonly skippedLines: number
}

/** One engine that can be read. Reading changes nothing in it. */
export interface FleetSource {
  readonly id: SourceId
  /** Which connector made it: `vllm`. */
  readonly kind: string
  /** What is read, for the operator: an origin. */
  readonly target: string
  /** Fails when the engine is not there or not well. Ends within its time limit, and at once when aborted. */
  read(signal: AbortSignal): Promise<Result<EngineReport, PollError>>
  /** Rates start anew, because time went by unseen (sleep). */
  restart(): void
}

/** An answer to a GET, whole and within its limits. */
export interface HttpReply {
  readonly status: number
  readonly contentType: string | null
  readonly body: Uint8Array
}

/** Fetches one address, with all limits in force: no redirect, no compression, one time limit for everything. */
export type HttpGet = (
  url: string,
  limits: { readonly timeoutMs: Millis; readonly maxBytes: Bytes; readonly signal: AbortSignal },
) => Promise<Result<HttpReply, PollError>>

/** What a connector is handed. */
export interface ConnectorSeams {
  readonly clock: Clock
  readonly get: HttpGet
}

/** A kind of engine that Signalbox can read. Rules C1 to C6 stand in `adapters/connectors/README.md`. */
export interface Connector {
  readonly id: string
  readonly title: string
  /** Makes the source of one replica; opens nothing yet. */
  open(replica: Replica, seams: ConnectorSeams): FleetSource
}
