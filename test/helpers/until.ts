/** Waits until a look finds something, looking every 5 ms, and answers it; fails with `what` after the deadline. */
export async function until<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  deadlineMs = 10_000,
): Promise<T> {
  const endMs = performance.now() + deadlineMs
  for (;;) {
    const found = await look()
    if (found !== null && found !== undefined && found !== false) return found
    if (performance.now() > endMs) throw new Error(`not within ${deadlineMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
