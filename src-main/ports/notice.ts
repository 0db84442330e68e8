/** Something that an operator should know about the data folder, in words with the way out. */
export interface Notice {
  /** Stable, for tests and filters: `settings_restored`, `torn_tail`, `space_low` … */
  readonly code: string
  readonly words: string
}
