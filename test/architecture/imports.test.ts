import { describe, expect, test } from 'vitest'
import { importsOf, sourceFiles } from './files'
import { exceptions, type Layer, layers } from './layers'

const files = sourceFiles('src-main', 'src-renderer').filter(
  ({ path }) => !path.endsWith('.d.ts') && !path.endsWith('tsconfig.json'),
)
const claims = (path: string) => layers.filter(({ zone }) => zone.test(path))
const layerOf = (path: string): Layer | undefined =>
  [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].flatMap(claims)[0]
const mayUse = (layer: Layer, name: string) =>
  layer.packages.some((each) =>
    each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each || name.startsWith(`${each}/`),
  )

/** Whether a file of a layer may know that other one of it. */
function isOfOwn({ ownKind, zone }: Layer, path: string, target: string): boolean {
  if (ownKind === 'folder') return zone.exec(path)?.[0] === zone.exec(target)?.[0]
  return ownKind !== false || target === path
}

describe('who may know whom', () => {
  test.each(files.map((file) => [file.path, file] as const))('%s', (path, file) => {
    expect(
      claims(path).map(({ name }) => name),
      'a file belongs to exactly one layer: see layers.ts',
    ).toHaveLength(1)
    const layer = claims(path)[0] as Layer
    const broken = importsOf(file).flatMap((target) => {
      if (exceptions.some((each) => each.file === path && each.imports === target)) return []
      if (!target.startsWith('src-'))
        return mayUse(layer, target) || target.endsWith('.css')
          ? []
          : [`${layer.name} may not use the package ${target}`]
      if (target.endsWith('.css')) return []
      const other = layerOf(target)
      if (!other) return [`${target} belongs to no layer`]
      if (other.name === layer.name)
        return isOfOwn(layer, path, target) ? [] : [`no ${layer.name} may know another: ${target}`]
      return layer.mayImport.includes(other.name)
        ? []
        : [`${layer.name} may not import ${other.name} (${target}); hand the value in instead`]
    })
    expect(broken).toEqual([])
  })

  test('electron is named only by the desktop shell', () => {
    const named = files.filter((file) => importsOf(file).includes('electron')).map(({ path }) => path)
    expect(
      named.filter(
        (path) =>
          !path.startsWith('src-main/shells/electron/') && !/^src-main\/(electron|preload)\.ts$/.test(path),
      ),
    ).toEqual([])
  })
})
