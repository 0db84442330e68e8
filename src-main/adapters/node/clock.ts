import type { Clock } from '../../ports/seams/clock'

/** The system's clocks. The monotonic one counts from the machine's start, so all our processes agree on it. */
export const nodeClock: Clock = {
  monoMs: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
  wallMs: () => Date.now(),
}

/** Processor time that this process has used, ms: it stands still while other programs have the processor. */
export function nodeWorkedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
