import type { Bytes, Millis } from '../base/units'
import { readEvent } from './event-facts'
import type { SseFacts } from './sse-tap'

/** Reply tap: keeps a bounded copy of a plain JSON reply and reads finish and usage from it when it has ended. */
export interface ReplyTap {
  read(chunk: Buffer): void
  close(firstByteMonoMs: Millis | null): SseFacts
}

/** Past `maxBytes` the copy is given up, and the reply's figures stay unknown. */
export function createReplyTap(maxBytes: Bytes): ReplyTap {
  let parts: Buffer[] = []
  let size = 0
  return {
    read(chunk) {
      size += chunk.length
      if (size > maxBytes) parts = []
      else parts.push(chunk)
    },
    close(firstByteMonoMs) {
      const facts = size > 0 && size <= maxBytes ? readEvent(Buffer.concat(parts).toString('utf8')) : null
      parts = []
      return { ...unreadFacts(firstByteMonoMs), ...pick(facts) }
    },
  }
}

/** What is known of a reply that nobody read: when it began. */
export const unreadFacts = (firstContentMonoMs: Millis | null): SseFacts => ({
  terminal: true,
  firstContentMonoMs,
  contentEvents: 0,
  itlMsP50: null,
  itlMsMax: null,
  itlGaps: null,
  finish: null,
  promptTokens: null,
  outputTokens: null,
  cachedTokens: null,
  errorCode: null,
  unparsed: 0,
})

function pick(facts: ReturnType<typeof readEvent> | null): Partial<SseFacts> {
  if (!facts) return {}
  const { finish, promptTokens, outputTokens, cachedTokens, errorCode } = facts
  return { finish, promptTokens, outputTokens, cachedTokens, errorCode }
}
