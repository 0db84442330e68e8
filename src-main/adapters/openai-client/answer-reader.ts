import { createParser } from 'eventsource-parser'
import { z } from 'zod'
import { fail, ok, type Result } from '../../base/result'
import type { ChatAnswer, ChatFailure } from '../../ports/chat-client'

/** Longest answer that is read, characters of the reply, and longest single event. */
const replyMaxCharacters = 16 * 1024 * 1024
const eventMaxCharacters = 1024 * 1024

/** Reads one reply, as it comes. */
export interface AnswerReader {
  /** Takes the next text; a failure ends the reading. */
  feed(text: string): ChatFailure | null
  /** The reply has ended. */
  end(): Result<ChatAnswer, ChatFailure>
}

const chunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z.looseObject({ content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
})
const document = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({ content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
})

/** A failure of the reply itself. */
export const broken = (message: string): ChatFailure => ({ kind: 'broken', status: 200, message })
const tooLong = broken(`the reply is longer than ${replyMaxCharacters} characters`)

/** Reads a stream of server-sent events that ends with `[DONE]`. */
export function createStreamReader(): AnswerReader {
  const parts: string[] = []
  let finishReason: string | null = null
  let done = false
  let size = 0
  let failure: ChatFailure | null = null
  const parser = createParser({
    maxBufferSize: eventMaxCharacters,
    onEvent({ event, data }) {
      if (failure || done) return
      if (data === '[DONE]') {
        done = true
        return
      }
      const value = parseJson(data)
      const parsed = chunk.safeParse(value)
      if (event === 'error' || isError(value)) failure = broken('the server sent an error event')
      else if (!parsed.success) failure = broken('an event that is no chunk of a chat')
      else {
        const [choice] = parsed.data.choices
        if (choice?.delta.content) parts.push(choice.delta.content)
        finishReason = choice?.finish_reason ?? finishReason
      }
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') failure = broken('an event without an end')
    },
  })
  return {
    feed(text) {
      size += text.length
      if (size > replyMaxCharacters) return tooLong
      if (!failure) parser.feed(text)
      return failure
    },
    end() {
      if (failure) return fail(failure)
      if (!done) return fail(broken('the stream ended before its end mark'))
      return ok({ text: parts.join(''), finishReason })
    },
  }
}

/** Reads one JSON document. */
export function createDocumentReader(): AnswerReader {
  const parts: string[] = []
  let size = 0
  return {
    feed(text) {
      size += text.length
      if (size > replyMaxCharacters) return tooLong
      parts.push(text)
      return null
    },
    end() {
      const parsed = document.safeParse(parseJson(parts.join('')))
      const choice = parsed.success ? parsed.data.choices[0] : undefined
      if (!choice) return fail(broken('the reply is no chat completion'))
      return ok({ text: choice.message.content ?? '', finishReason: choice.finish_reason ?? null })
    },
  }
}

const isError = (value: unknown): boolean => typeof value === 'object' && value !== null && 'error' in value

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
