import { until } from './until'

/** Waits until a look finds something, and answers it. */
export async function untilFound<T>(what: string, look: () => T | null | undefined | false): Promise<T> {
  let found: T | null | undefined | false = null
  await until(what, () => {
    found = look()
    return found !== null && found !== undefined && found !== false
  })
  return found as T
}
