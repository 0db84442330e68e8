import { mkdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build } from 'vite'

/**
 * Builds a TypeScript file into a program that plain Node runs, for tests that need a process of their own; returns its
 * path. Node's modules and packages stay outside.
 * @param entry from the project's top
 */
export async function bundled(entry: string): Promise<string> {
  const outDir = resolve('.cache', 'test-programs')
  mkdirSync(outDir, { recursive: true })
  const name = basename(entry, '.ts')
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: resolve(entry),
      outDir,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { format: 'es', entryFileNames: `${name}.mjs` } },
    },
  })
  return join(outDir, `${name}.mjs`)
}
