import { fail, ok, type Result } from '../../base/result'
import { numberOf, type Sample } from './exposition-line'
import { seriesKey } from './prometheus-text'

/** The types of OpenMetrics 1.0 with the suffixes that their samples may have. */
export const suffixesByType: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum', '_created'],
  gaugehistogram: ['_bucket', '_gcount', '_gsum'],
  summary: ['', '_count', '_sum', '_created'],
  info: ['_info'],
  stateset: [''],
  unknown: [''],
}

/** A metric family: its metadata, then its samples, which must not be mixed with another family's. */
export interface Family {
  readonly name: string
  type: string | null
  unit: string | null
  help: string | null
  readonly samples: Sample[]
}

/** An empty family. */
export const openFamily = (name: string): Family => ({
  name,
  type: null,
  unit: null,
  help: null,
  samples: [],
})

const typeOf = (family: Family) => family.type ?? 'unknown'
const suffixesOf = (family: Family) => suffixesByType[typeOf(family)] ?? ['']

/** True when a sample of that name belongs to the family. */
export const belongs = (family: Family, sampleName: string): boolean =>
  suffixesOf(family).some((suffix) => family.name + suffix === sampleName)

/** Every name that the family takes: another family must not have any of them. */
export const namesOf = (family: Family): string[] => [
  ...new Set([family.name, ...suffixesOf(family).map((suffix) => family.name + suffix)]),
]

/** Holds a whole family against the rules of its type; the error says which one it breaks. */
export function checkFamily(family: Family): Result<null, string> {
  const { name, unit, samples } = family
  const type = typeOf(family)
  if (unit !== null && unit !== '') {
    if (!name.endsWith(`_${unit}`)) return fail(`${name} does not end with its unit ${unit}`)
    if (type === 'info' || type === 'stateset') return fail(`a ${type} has no unit`)
  }
  for (const sample of samples) {
    const wrong = wrongLabels(family, sample) ?? wrongValue(family, sample) ?? wrongExemplar(family, sample)
    if (wrong !== null) return fail(`${sample.name}: ${wrong}`)
  }
  const groups = groupsOf(family)
  if (!groups.ok) return groups
  if (type !== 'histogram' && type !== 'gaugehistogram') return ok(null)
  for (const group of groups.value) {
    const wrong = wrongHistogram(family, group)
    if (wrong !== null) return fail(`${name}: ${wrong}`)
  }
  return ok(null)
}

const suffixOf = (family: Family, sample: Sample) => sample.name.slice(family.name.length)

function wrongLabels(family: Family, sample: Sample): string | null {
  const type = typeOf(family)
  const suffix = suffixOf(family, sample)
  if (suffix === '_bucket' && type.endsWith('histogram')) return wrongBound(sample.labels.get('le'))
  if (type === 'stateset' && !sample.labels.has(family.name))
    return 'a stateset needs a label of its own name'
  if (type === 'summary' && suffix === '') {
    const quantile = numberOf(sample.labels.get('quantile') ?? '')
    if (quantile === null || !(quantile >= 0 && quantile <= 1)) return 'the quantile is not in 0 to 1'
  }
  return null
}

function wrongBound(le: string | undefined): string | null {
  const bound = le === undefined ? null : numberOf(le)
  if (bound === null || Number.isNaN(bound)) return 'a bucket needs a bound'
  return bound === Number.POSITIVE_INFINITY && le !== '+Inf' ? 'the last bound is written +Inf' : null
}

/** Suffixes whose values count something: never NaN, never below 0. */
const countingSuffixes: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  histogram: ['_bucket', '_count', '_sum'],
  gaugehistogram: ['_bucket', '_gcount'],
  summary: ['_count', '_sum'],
}

function wrongValue(family: Family, sample: Sample): string | null {
  const type = typeOf(family)
  const suffix = suffixOf(family, sample)
  const { value } = sample
  if (countingSuffixes[type]?.includes(suffix) && !(value >= 0)) return 'a count is NaN or below 0'
  if (suffix === '_gsum' && Number.isNaN(value)) return 'a sum is NaN'
  if (type === 'summary' && suffix === '' && value < 0) return 'a quantile is below 0'
  if (type === 'info' && value !== 1) return 'an info is always 1'
  if (type === 'stateset' && value !== 0 && value !== 1) return 'a state is 0 or 1'
  return null
}

function wrongExemplar(family: Family, sample: Sample): string | null {
  if (sample.exemplar === null) return null
  const type = typeOf(family)
  const suffix = suffixOf(family, sample)
  const allowed =
    (type === 'counter' && suffix === '_total') || (type.endsWith('histogram') && suffix === '_bucket')
  return allowed ? null : `a ${type} has no exemplars here`
}

/**
 * The samples by group: those of one label set, buckets and quantiles apart, and one timestamp. Groups must follow each
 * other, timestamps must not go back, and either all samples of a group carry one or none.
 */
function groupsOf(family: Family): Result<readonly (readonly Sample[])[], string> {
  const groups: Sample[][] = []
  const closed = new Set<string>()
  const series = new Set<string>()
  let key: string | null = null
  let last: Sample | null = null
  for (const sample of family.samples) {
    const own = groupKey(family, sample)
    if (own !== key) {
      if (closed.has(own)) return fail(`${family.name}: samples of one group stand apart`)
      if (key !== null) closed.add(key)
      last = null
    }
    if (last !== null && (last.timestamp === null) !== (sample.timestamp === null))
      return fail(`${family.name}: only some samples of a group have a timestamp`)
    if ((last?.timestamp ?? Number.NEGATIVE_INFINITY) > (sample.timestamp ?? Number.POSITIVE_INFINITY))
      return fail(`${family.name}: timestamps go back`)
    if (sample.timestamp === null && series.has(seriesKey(sample)))
      return fail(`${family.name}: a series stands twice`)
    series.add(seriesKey(sample))
    if (last === null || last.timestamp !== sample.timestamp) groups.push([])
    groups.at(-1)?.push(sample)
    key = own
    last = sample
  }
  return ok(groups)
}

function groupKey(family: Family, sample: Sample): string {
  const type = typeOf(family)
  const own = type === 'summary' ? 'quantile' : type === 'stateset' ? family.name : 'le'
  const labels = new Map(sample.labels)
  if (type === 'summary' || type === 'stateset' || type.endsWith('histogram')) labels.delete(own)
  return seriesKey({ name: '', labels, timestamp: null })
}

function wrongHistogram(family: Family, group: readonly Sample[]): string | null {
  const gauge = typeOf(family) === 'gaugehistogram'
  const one = (suffix: string) => group.find(({ name }) => name === family.name + suffix)?.value
  const buckets = group.filter(({ name }) => name === `${family.name}_bucket`)
  const bounds = buckets.map(({ labels }) => numberOf(labels.get('le') ?? '') ?? Number.NaN)
  if (buckets.length === 0 && group.every(({ name }) => name.endsWith('_created'))) return null
  if (bounds.at(-1) !== Number.POSITIVE_INFINITY) return 'no bucket up to +Inf'
  for (let at = 1; at < buckets.length; at++) {
    if (!((bounds[at - 1] as number) < (bounds[at] as number))) return 'bounds do not ascend'
    if ((buckets[at - 1]?.value ?? 0) > (buckets[at]?.value ?? 0)) return 'a bucket is below the one before'
  }
  const count = one(gauge ? '_gcount' : '_count')
  const sum = one(gauge ? '_gsum' : '_sum')
  const negative = (bounds[0] as number) < 0
  if (!gauge && negative && sum !== undefined) return 'a sum beside buckets below 0'
  if (gauge && sum !== undefined && sum < 0 && !negative) return 'a sum below 0 without buckets below 0'
  if ((count === undefined) !== (sum === undefined)) return 'count and sum stand together or not at all'
  return count !== undefined && count !== buckets.at(-1)?.value ? 'the count is not the last bucket' : null
}
