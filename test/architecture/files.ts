import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** One source file: its path from the top, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** The TypeScript files below some folders of the project. */
export function sourceFiles(...folders: string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'))
      .map((path) => ({ path, text: readFileSync(path, 'utf8') })),
  )
}

/** What a file imports: paths from the top for our own files, names for packages. Type-only imports count, too. */
export function importsOf({ path, text }: SourceFile): string[] {
  const found = [...text.matchAll(/^\s*(?:import|export)\s[^'"`]*?from\s+['"]([^'"]+)['"]/gm)]
  const bare = [...text.matchAll(/^\s*import\s+['"]([^'"]+)['"]/gm)]
  return [...found, ...bare].map(([, target]) =>
    (target as string).startsWith('.')
      ? posix.join(posix.dirname(path), target as string)
      : (target as string),
  )
}
