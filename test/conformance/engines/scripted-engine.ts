/** What a scripted engine has to say. Counters and counts of samples since it started, except the first three. */
export interface Figures {
  readonly running: number
  readonly waiting: number
  readonly kvUsedRatio: number
  readonly cachedPromptTokens: number
  readonly promptTokens: number
  readonly outputTokens: number
  readonly preemptions: number
  /** Requests whose first token came within 100 ms. */
  readonly firstTokens: number
  /** Tokens that came within 100 ms of the one before. */
  readonly nextTokens: number
}

/**
 * The answers of one kind of engine, byte for byte as a real one gives them, from which the conformance suite makes good
 * and bad servers. One for each connector: `<id of the connector>.engine.ts`, default export.
 */
export interface ScriptedEngine {
  /** Names of the versions that call their figures differently, newest first. */
  readonly namings: readonly string[]
  /** The path whose answer says that the engine is well, and the one with the figures; they may be the same. */
  readonly healthPath: string
  readonly figuresPath: string
  /** All that is read, by path; a figure that is left out is not exported. */
  pages(figures: Partial<Figures>, naming: string): Readonly<Record<string, string>>
}
