/** Keyed and plain digests, from the platform's crypto library. */
export interface Digests {
  /** SHA-256 of a text's UTF-8 bytes, lower-case hex. */
  sha256(text: string): string
  /** HMAC-SHA-256 cut to 128 bits, 32 hex digits: the only form in which a session id may leave the router. */
  keyed(text: string): string
}
