import { describe, expect, test } from 'vitest'
import {
  type ColourName,
  colours,
  contrast,
  cssOfTokens,
  type Scheme,
  seriesNames,
} from '../../../src-renderer/kit/tokens'

const surfaces = ['bg-app', 'bg-panel', 'bg-raised', 'bg-hover'] as const
const panels = ['bg-panel', 'bg-raised'] as const

/** ux.md 10: the lowest ratio of each role against its surfaces, dark and light, as printed there. */
const rows: readonly [ColourName, readonly ColourName[], number, number][] = [
  ['text', surfaces, 11.5, 14.1],
  ['text-secondary', surfaces, 6.8, 6.7],
  ['text-tertiary', surfaces, 4.7, 4.9],
  ['accent', surfaces, 6.2, 5.7],
  ['focus', surfaces, 9.7, 5.7],
  ['control', surfaces, 3.3, 3.1],
  ['ok', surfaces, 6.0, 5.1],
  ['warn', surfaces, 7.5, 5.2],
  ['crit', surfaces, 5.5, 5.6],
  ['drain', surfaces, 6.4, 6.4],
  ['stale', surfaces, 7.4, 4.9],
  ['crit', ['soft-crit'], 6.6, 5.2],
  ['warn', ['soft-warn'], 6.6, 5.2],
  ['ok', ['soft-ok'], 6.6, 5.2],
  ['drain', ['soft-drain'], 6.6, 5.2],
  ['on-primary', ['primary'], 8.7, 6.7],
  ['on-danger', ['danger'], 8.0, 6.5],
  ['on-band', ['band-prod'], 8.9, 8.9],
  ['on-band', ['band-staging'], 7.7, 7.7],
  ['on-band', ['band-dev'], 7.7, 7.7],
  ['on-band', ['band-demo'], 8.7, 8.7],
  ...seriesNames.map((name): [ColourName, readonly ColourName[], number, number] => [name, panels, 3.2, 3.2]),
]

const lowest = (role: ColourName, against: readonly ColourName[], scheme: Scheme) =>
  Math.min(...against.map((surface) => contrast(colours[role][scheme], colours[surface][scheme])))

describe('contrast of every role (ux.md 10)', () => {
  test.each(rows)('%s on %s: at least %f dark, %f light', (role, against, dark, light) => {
    // printed ratios are rounded to one decimal
    expect(lowest(role, against, 'dark')).toBeGreaterThanOrEqual(dark - 0.05)
    expect(lowest(role, against, 'light')).toBeGreaterThanOrEqual(light - 0.05)
  })
})

test('tokens.css is made from tokens.json', async () => {
  await expect(cssOfTokens()).toMatchFileSnapshot('../../../src-renderer/kit/tokens.css')
})
