import { fail, ok, type Result } from '../../base/result'
import { isMetricName, readSample } from './exposition-line'
import { belongs, checkFamily, type Family, namesOf, openFamily, suffixesByType } from './openmetrics-family'

/** What a page does against the standard, and where. */
export interface FormatError {
  /** Counted from 1; the line where the fault was noticed. */
  readonly line: number
  readonly why: string
}

/**
 * Holds a page against the whole of OpenMetrics 1.0: grammar, order, names, and the rules of each metric type. For
 * people who write exporters and for our own tests; scraping uses `readMetricPage`, which takes what it can.
 */
export function checkOpenMetrics(text: string): Result<{ readonly families: number }, FormatError> {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const page: StrictPage = { current: null, taken: new Set(), families: 0 }
  for (const [at, line] of lines.entries()) {
    if (line === '# EOF') {
      if (at !== lines.length - 1) return fail({ line: at + 2, why: 'text after # EOF' })
      const closed = close(page)
      return closed.ok ? ok({ families: page.families }) : fail({ line: at + 1, why: closed.error })
    }
    const taken = line.startsWith('#') ? metadata(page, line) : sample(page, line)
    if (!taken.ok) return fail({ line: at + 1, why: taken.error })
  }
  return fail({ line: lines.length, why: 'no # EOF at the end' })
}

interface StrictPage {
  current: Family | null
  readonly taken: Set<string>
  families: number
}

type Step = Result<null, string>

function close(page: StrictPage): Step {
  const family = page.current
  page.current = null
  if (family === null) return ok(null)
  page.families++
  const names = namesOf(family)
  const clash = names.find((name) => page.taken.has(name))
  if (clash !== undefined) return fail(`the name ${clash} belongs to two families`)
  for (const name of names) page.taken.add(name)
  return checkFamily(family)
}

function metadata(page: StrictPage, line: string): Step {
  const match = /^# (TYPE|HELP|UNIT) ([^ ]+) (.*)$/s.exec(line)
  if (match === null) return fail('a comment that is neither TYPE, HELP, UNIT nor EOF')
  const [, kind, name, value] = match as unknown as readonly [string, string, string, string]
  if (!isMetricName(name)) return fail(`${name} is no metric name`)
  if (page.current?.name !== name) {
    const closed = close(page)
    if (!closed.ok) return closed
    page.current = openFamily(name)
  }
  const family = page.current
  if (family.samples.length > 0) return fail(`metadata of ${name} after its samples`)
  return describe(family, kind, value)
}

function describe(family: Family, kind: string, value: string): Step {
  const field = kind === 'TYPE' ? 'type' : kind === 'HELP' ? 'help' : 'unit'
  if (family[field] !== null) return fail(`${kind} of ${family.name} stands twice`)
  if (field === 'type' && !Object.hasOwn(suffixesByType, value)) return fail(`${value} is no metric type`)
  family[field] = value
  return ok(null)
}

function sample(page: StrictPage, line: string): Step {
  const read = readSample(line, 'openmetrics')
  if (!read.ok) return read
  const { name } = read.value
  if (page.current === null || !belongs(page.current, name)) {
    const closed = close(page)
    if (!closed.ok) return closed
    page.current = openFamily(name)
  }
  page.current.samples.push(read.value)
  return ok(null)
}
