// Appends audit records as fast as the disk takes them and prints the sequence number of each one that was
// acknowledged; made to be killed. Usage: node audit-writer.mjs <data folder>
import { openChainedLog } from '../../src-main/adapters/files/chained-log'
import { openProfile } from '../../src-main/adapters/files/profile'
import { nodeClock } from '../../src-main/adapters/node/clock'
import { createNodeDigests } from '../../src-main/adapters/node/digests'
import { createNodeFs } from '../../src-main/adapters/node/fs'
import { createNodeHost } from '../../src-main/adapters/node/host'

const seams = { fs: createNodeFs(), clock: nodeClock, sha256: createNodeDigests('00').sha256 }
const profile = openProfile({ ...seams, host: createNodeHost(), folder: process.argv[2] ?? '' })
if (!profile.ok) throw new Error(profile.error.words)
const audit = openChainedLog({
  ...seams,
  boot: String(process.pid),
  folder: profile.value.auditFolder,
  anchorFile: profile.value.anchorFile,
  ensureWritable: profile.value.ensureWritable,
  rotateBytes: 4_000,
  reserveBytes: 4_096,
})
const append = () => {
  const appended = audit.append({ kind: 'action.intent', body: { note: 'x'.repeat(400) } })
  if (!appended.ok) throw new Error(appended.error.words)
  process.stdout.write(`${appended.value.seq}\n`)
  setImmediate(append)
}
append()
