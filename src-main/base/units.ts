/** A span or an instant of the monotonic or the wall clock, in milliseconds; the name says which clock. */
export type Millis = number
/** 0 to 1. */
export type Ratio = number
/** Model tokens. */
export type Tokens = number
/** Bytes. */
export type Bytes = number

/**
 * Tokens of a text when no engine says better: four UTF-8 bytes a token, rounded up (decision D27).
 * Replicas, proxy and simulator all use this one measure.
 */
export const tokensOfBytes = (bytes: Bytes): Tokens => Math.ceil(bytes / 4)

/** Tokens in one block of a prefix cache, as vLLM's default (decision D27). */
export const blockTokens = 16
