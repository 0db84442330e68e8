/** Chance that must not be guessed: keys, tokens, boot ids. For repeatable chance use a `Draw`. */
export interface Random {
  /** `bytes` random bytes as lower-case hex. */
  hex(bytes: number): string
}
