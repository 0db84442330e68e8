import { fail, ok, type Result } from '../../base/result'
import type { CallError } from '../../contract/wire'

/** An expected refusal of a call. @param message what happened, to what, why, and what to do */
export const refuse = (code: string, message: string): Result<never, CallError> => fail({ code, message })

/** The answer of a call that only acts. */
export const done: Result<null, CallError> = ok(null)
