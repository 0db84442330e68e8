import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'playwright/test'

const folder = 'out/renderer'
const html = readFileSync(`${folder}/index.html`, 'utf8')
const initial = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) => String(path))
const read = (path: string) => readFileSync(`${folder}/${path}`)
const all = readdirSync(`${folder}/assets`).map((name) => `assets/${name}`)

test('the page is small to begin with: 450 kB, packed (ux.md 20)', () => {
  const bytes = initial.reduce((sum, path) => sum + gzipSync(read(path)).length, 0)
  expect(initial.length).toBeGreaterThanOrEqual(2)
  expect(bytes).toBeLessThanOrEqual(450 * 1_024)
})

test('charts come when they are needed, and no schema library comes at all', () => {
  const text = (paths: readonly string[]) => paths.map((path) => read(path).toString('utf8')).join('\n')
  const later = all.filter((path) => !initial.includes(path))
  expect(text(initial)).not.toContain('recharts-')
  expect(text(later)).toContain('recharts-')
  expect(text(all)).not.toMatch(/ZodError|jitless/)
})

test('nothing in it builds code from text, and nothing is styled in the markup', () => {
  for (const path of all.filter((each) => each.endsWith('.js')))
    expect(read(path).toString('utf8'), path).not.toMatch(/\bnew Function\(|[^.\w]eval\(/)
  expect(html).not.toMatch(/<style|style=|onload=|javascript:/)
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/)
})
