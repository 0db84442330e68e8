import { fail, ok, type Result } from '../../base/result'

/** Labels of a series by name; an empty map for none. */
export type Labels = ReadonlyMap<string, string>

/** What stands behind a `#` after a sample of OpenMetrics: one observation that the sample counts. */
export interface Exemplar {
  readonly labels: Labels
  readonly value: number
  readonly timestamp: number | null
}

/** One line of the exposition format. `usable` is false for NaN and infinities: they must not enter arithmetic. */
export interface Sample {
  readonly name: string
  readonly labels: Labels
  readonly value: number
  readonly usable: boolean
  /** As written; its unit differs between the two dialects. */
  readonly timestamp: number | null
  readonly exemplar: Exemplar | null
}

/**
 * `openmetrics` takes one blank between parts and nothing else; `prometheus` takes blanks and tabs freely and a comma
 * after the last label, as the older text format does.
 */
export type Dialect = 'openmetrics' | 'prometheus'

/** Most labels of one series (security page, SR-074). */
export const labelsMax = 64
/** Longest label set of an exemplar, characters (OpenMetrics 1.0, "Exemplars"). */
const exemplarMaxCharacters = 128

const namePattern = /[a-zA-Z_:][a-zA-Z0-9_:]*/y
const labelNamePattern = /[a-zA-Z_][a-zA-Z0-9_]*/y
const quotedPattern = /"((?:[^"\\]|\\.)*)"/y
const wordPattern = /[^ \t]+/y
const numberPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const infinityPattern = /^[+-]?inf(?:inity)?$/i
const noLabels: Labels = new Map()

/** True for a whole metric name. */
export const isMetricName = (text: string): boolean => /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(text)

/** A number as the format writes it, NaN and infinities included; null when it is none. No hex, no underscores. */
export function numberOf(text: string): number | null {
  if (numberPattern.test(text)) return Number(text)
  if (infinityPattern.test(text))
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return /^nan$/i.test(text) ? Number.NaN : null
}

/** Reads one sample line; the error says in words what is wrong with it. */
export function readSample(line: string, dialect: Dialect): Result<Sample, string> {
  const reader = createReader(line, dialect)
  const name = reader.take(namePattern)
  if (name === null) return fail('no metric name')
  const labels = reader.openLabels() ? readLabels(reader) : ok(noLabels)
  if (!labels.ok) return labels
  if (!reader.blank()) return fail('no blank before the value')
  const value = readNumber(reader, 'value')
  if (!value.ok) return value
  const timestamp = readTimestamp(reader)
  if (!timestamp.ok) return timestamp
  const exemplar = readExemplar(reader)
  if (!exemplar.ok) return exemplar
  if (!reader.atEnd()) return fail('text after the value')
  return ok({
    name,
    labels: labels.value,
    value: value.value,
    usable: Number.isFinite(value.value),
    timestamp: timestamp.value,
    exemplar: exemplar.value,
  })
}

interface Reader {
  readonly dialect: Dialect
  take(pattern: RegExp): string | null
  /** The next character, '' at the end. */
  peek(): string
  skip(text: string): boolean
  /** Exactly one blank in OpenMetrics, any number (at least one) of blanks and tabs otherwise. */
  blank(): boolean
  /** Blanks that may be there or not; none in OpenMetrics. */
  loose(): void
  /** Steps into a label set, if there is one. */
  openLabels(): boolean
  atEnd(): boolean
}

function createReader(line: string, dialect: Dialect): Reader {
  let at = 0
  const strict = dialect === 'openmetrics'
  const isBlank = () => line[at] === ' ' || line[at] === '\t'
  const loose = () => {
    while (!strict && isBlank()) at++
  }
  return {
    dialect,
    take(pattern) {
      pattern.lastIndex = at
      const match = pattern.exec(line)
      if (match === null) return null
      at = pattern.lastIndex
      return match[1] ?? match[0]
    },
    peek: () => line[at] ?? '',
    skip(text) {
      if (!line.startsWith(text, at)) return false
      at += text.length
      return true
    },
    blank() {
      if (strict) return line[at] === ' ' && ++at > 0
      const before = at
      loose()
      return at > before
    },
    loose,
    openLabels() {
      const before = at
      loose()
      if (line[at] === '{') return ++at > 0
      at = before
      return false
    },
    atEnd() {
      loose()
      return at === line.length
    },
  }
}

function readLabels(reader: Reader): Result<Labels, string> {
  reader.loose()
  const labels = new Map<string, string>()
  while (!reader.skip('}')) {
    const name = reader.take(labelNamePattern)
    if (name === null) return fail('no label name where one must stand')
    reader.loose()
    if (!reader.skip('=')) return fail(`label ${name} has no value`)
    reader.loose()
    const text = reader.take(quotedPattern)
    if (text === null) return fail(`the value of label ${name} is not quoted`)
    if (labels.has(name)) return fail(`label ${name} stands twice`)
    if (labels.size === labelsMax) return fail(`more than ${labelsMax} labels`)
    labels.set(name, plain(text))
    reader.loose()
    if (reader.peek() === '}') continue
    if (!reader.skip(',')) return fail('no comma between labels')
    reader.loose()
    if (reader.dialect === 'openmetrics' && reader.peek() === '}') return fail('a comma after the last label')
  }
  return ok(labels.size === 0 ? noLabels : labels)
}

/** `\\`, `\"` and `\n`; any other escape stays as it is written. */
const plain = (text: string) =>
  text.includes('\\')
    ? text.replace(/\\([\\"n])/g, (_, which: string) => (which === 'n' ? '\n' : which))
    : text

function readNumber(reader: Reader, what: string): Result<number, string> {
  const word = reader.take(wordPattern)
  const number = word === null ? null : numberOf(word)
  return number === null ? fail(`the ${what} is not a number`) : ok(number)
}

function readTimestamp(reader: Reader): Result<number | null, string> {
  if (!reader.blank()) return ok(null)
  if (reader.peek() === '#') return ok(null)
  if (reader.peek() === '') return reader.dialect === 'prometheus' ? ok(null) : fail('a blank at the end')
  const timestamp = readNumber(reader, 'timestamp')
  if (!timestamp.ok || !Number.isFinite(timestamp.value)) return fail('the timestamp is not a finite number')
  return reader.blank() && reader.peek() === '' && reader.dialect === 'openmetrics'
    ? fail('a blank at the end')
    : timestamp
}

function readExemplar(reader: Reader): Result<Exemplar | null, string> {
  if (!reader.skip('#')) return ok(null)
  if (!reader.blank() || !reader.openLabels()) return fail('an exemplar without labels')
  const labels = readLabels(reader)
  if (!labels.ok) return labels
  let characters = 0
  for (const [name, value] of labels.value) characters += [...name].length + [...value].length
  if (characters > exemplarMaxCharacters)
    return fail(`an exemplar's labels have more than ${exemplarMaxCharacters} characters`)
  if (!reader.blank()) return fail('no blank before the value of an exemplar')
  const value = readNumber(reader, 'value of an exemplar')
  if (!value.ok) return value
  const timestamp = readTimestamp(reader)
  if (!timestamp.ok) return timestamp
  return ok({ labels: labels.value, value: value.value, timestamp: timestamp.value })
}
