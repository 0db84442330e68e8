// Looks at the built main side: entries must not load each other.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Files that load an entry of the build, as the bundler makes them do when it puts its own runtime into one entry: the
 * desktop would start the web server then. `folder` holds the entries and their chunks side by side.
 * @param {string} folder
 * @param {readonly string[]} entries names without ending
 * @returns {string[]} one sentence for each
 */
export function entriesThatLoadEntries(folder, entries) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cjs'))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return entries
        .filter(
          (entry) =>
            `${entry}.cjs` !== name && new RegExp(`require\\(["'\`]\\./${entry}\\.cjs["'\`]\\)`).test(text),
        )
        .map(
          (entry) =>
            `${join(folder, name)} loads ./${entry}.cjs, another entry. Keep the package that is bundled there in "dependencies" (see ARCHITECTURE.md, "Build")`,
        )
    })
}
