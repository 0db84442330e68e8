import { defaultDataFolder } from '../../adapters/files/default-folder'
import { lockHolder } from '../../adapters/files/folder-lock'
import { createNodeFs } from '../../adapters/node/fs'
import { createNodeHost } from '../../adapters/node/host'
import type { Millis } from '../../base/units'

/** Time in which another console says that it is one. */
const askWithinMs: Millis = 500

/**
 * Who has a port of the page: another Signalbox says so itself (its content policy names it). Its process is known when it
 * runs on the default data folder, whose lock we can read.
 */
export async function portHolder(port: number): Promise<string | null> {
  if (!(await isSignalbox(port))) return 'another program listens there'
  const host = createNodeHost()
  const folder = defaultDataFolder(host)
  const holder = lockHolder({ fs: createNodeFs(), host, folder })
  const known = holder === null ? '' : `; one runs on ${folder} (process ${holder.pid})`
  return `another Signalbox serves its page there${known}. Use that one (signalbox open), stop it`
}

async function isSignalbox(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, {
      signal: AbortSignal.timeout(askWithinMs),
      redirect: 'manual',
    })
    await answer.body?.cancel()
    return answer.headers.get('content-security-policy')?.includes('trusted-types signalbox') ?? false
  } catch {
    return false
  }
}
