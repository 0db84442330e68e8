import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A fresh folder that goes away with the test. */
export function aTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
