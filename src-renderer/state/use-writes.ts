import { usePage } from './use-page'
import { useHealth, useStore } from './use-store'

/** Whether this page may change something now: read-only consoles offer nothing, and old data forbids it for a while. */
export type Writes = 'allowed' | 'absent' | 'blocked'

/** What this page may do now. */
export function useWrites(): Writes {
  const health = useHealth()
  const link = useStore(usePage().link)
  if (!health || health.readOnly) return 'absent'
  return link.phase === 'open' ? 'allowed' : 'blocked'
}
