#!/usr/bin/env node
// Verifies a Signalbox audit log offline; needs nothing but Node. The format is told in docs/audit.md.
// node verify-audit.mjs <folder with audit-1.log …> [anchor file]; exit code 0: ok, 1: bad, 2: cannot be read
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder = '.', anchorFile = join(folder, '..', 'anchor', 'audit-anchor.json')] = process.argv.slice(2)

const canonical = (value) => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}

/** The record that a line holds, or null when the line is not exactly what its hash says. */
function recordOf(bytes) {
  try {
    const line = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const { seq, prev, ts, mono, boot, kind, body, hash } = JSON.parse(line)
    if (canonical({ seq, prev, ts, mono, boot, kind, body, hash }) !== line) return null
    const text = prev + canonical({ seq, ts, mono, boot, kind, body })
    return createHash('sha256').update(text, 'utf8').digest('hex') === hash ? { seq, prev, hash } : null
  } catch {
    return null
  }
}

/** Walks every segment. What follows the last good line of a segment was never acknowledged, unless the next one lacks it. */
function verify(anchor) {
  let head = { seq: 0, hash: '0'.repeat(64) }
  const names = readdirSync(folder).filter((name) => /^audit-[1-9]\d*\.log$/.test(name))
  for (const name of names.sort((a, b) => a.slice(6, -4) - b.slice(6, -4))) {
    const lines = readFileSync(join(folder, name), 'latin1').split('\n').slice(0, -1)
    let flawed = false
    for (const [at, line] of lines.entries()) {
      const record = recordOf(Buffer.from(line, 'latin1'))
      const repeated = at === 0 && record?.seq === head.seq && record.hash === head.hash
      if (record === null) flawed = true
      else if (!repeated && (flawed || record.seq !== head.seq + 1 || record.prev !== head.hash))
        return `bad: first bad sequence ${Math.min(head.seq + 1, record.seq)}, in ${name}`
      head = record ?? head
      if (record !== null && record.seq === anchor?.seq && record.hash !== anchor.hash)
        return `anchor_mismatch: record ${record.seq} is not the one in the anchor`
    }
  }
  if (anchor && anchor.seq > head.seq)
    return `anchor_mismatch: the log ends at ${head.seq}, the anchor knows ${anchor.seq}`
  return `ok: ${head.seq} records, head ${head.hash}${anchor ? '' : ' (no anchor: a tail that was cut is not noticed)'}`
}

let result
try {
  result = verify(existsSync(anchorFile) ? JSON.parse(readFileSync(anchorFile, 'utf8')) : null)
} catch (error) {
  result = `cannot verify: ${error.message}`
}
process.stdout.write(`${result}\n`)
process.exitCode = result.startsWith('ok') ? 0 : result.startsWith('cannot') ? 2 : 1
