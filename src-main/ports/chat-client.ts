import type { Result } from '../base/result'
import type { Millis, Tokens } from '../base/units'

/** One chat completion that is asked for. */
export interface ChatRequest {
  /** Origin, without a path. */
  readonly url: string
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly outputTokensMax: Tokens
  readonly stream: boolean
  /** Sent besides the usual headers. */
  readonly headers: Readonly<Record<string, string>>
  /** Key for the authorization header, or null for none. */
  readonly key: string | null
}

/** A whole answer. */
export interface ChatAnswer {
  readonly text: string
  /** Why the model stopped: `stop`, `length` …; null when the server did not say. */
  readonly finishReason: string | null
}

/** Why there is no whole answer. */
export interface ChatFailure {
  /**
   * `status`: the server answered, but not with an answer. `broken`: the stream ended before its end mark, or with an error
   * event. `timeout`: the limit passed. `unreachable`: no connection, or it was lost before the reply. `aborted`: by the caller.
   */
  readonly kind: 'status' | 'broken' | 'timeout' | 'unreachable' | 'aborted'
  readonly status: number | null
  readonly message: string
}

/** A client of OpenAI's chat API. It never asks twice by itself. */
export interface ChatClient {
  /** Ends within the limit, and at once when aborted. */
  chat(request: ChatRequest, limitMs: Millis, signal: AbortSignal): Promise<Result<ChatAnswer, ChatFailure>>
}
