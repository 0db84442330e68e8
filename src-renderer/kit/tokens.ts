import source from './tokens.json'

/** Dark or light. */
export type Scheme = 'dark' | 'light'
/** A colour role of ux.md 10. */
export type ColourName = keyof typeof source.colour
/** A series of a chart; its meaning is the chart's, never a status. */
export type SeriesName = keyof typeof source.dash

/** Every colour role with its value in both schemes: the one source of `tokens.css`. */
export const colours: Readonly<Record<ColourName, Readonly<Record<Scheme, string>>>> = source.colour
/** The dash pattern of each series, so that colour is never alone. */
export const dashes: Readonly<Record<SeriesName, string>> = source.dash
/** Names of the series in order. */
export const seriesNames = Object.keys(source.dash) as readonly SeriesName[]

/** The CSS reference to a colour role. */
export const colour = (name: ColourName): string => `var(--sb-${name})`

/**
 * The style sheet of the tokens. Light is the default, dark follows the system, and `data-theme` on the root wins over
 * both. `tokens.css` is this text; a test holds the file to it and rewrites it with `vitest -u`.
 */
export function cssOfTokens(): string {
  const block = (scheme: Scheme, indent: string) =>
    Object.entries(colours)
      .map(([name, value]) => `${indent}--sb-${name}: ${value[scheme].toLowerCase()};`)
      .join('\n')
  return `/* Made from tokens.json by cssOfTokens in tokens.ts. */
:root {
  color-scheme: light;
${block('light', '  ')}
}

@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    color-scheme: dark;
${block('dark', '    ')}
  }
}

:root[data-theme="dark"] {
  color-scheme: dark;
${block('dark', '  ')}
}
`
}

/** WCAG 2.2 contrast ratio of two colours written `#RRGGBB`, 1 to 21. */
export function contrast(a: string, b: string): number {
  const [first, second] = [luminance(a), luminance(b)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

/** Relative luminance, WCAG 2.2. */
function luminance(hex: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}
