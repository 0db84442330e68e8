import type { Draw } from '../base/draw'
import type { Json } from '../base/stable-json'
import { drawSentences, pick } from './sentences'

/** Nesting beyond which values are no longer made; a schema that needs more gets null there. */
const depthMax = 12
/** Longest string or list that is made to meet a minimum. */
const lengthMax = 4_096
/** Values that are made for one schema; lists in lists would be without end otherwise. */
const valuesMax = 10_000

type Schema = Readonly<Record<string, unknown>>

/**
 * A value that satisfies a JSON schema, as far as tools use it: types, properties and required, enum and const, bounds of
 * numbers, lengths, items, anyOf, oneOf, allOf, and references inside the document. Patterns and formats are not followed.
 * Required properties are always there, optional ones half the time. A schema that asks for more than the limits above gets
 * null where they end.
 */
export function drawBySchema(draw: Draw, schema: unknown): Json {
  return make({ draw, root: schema, left: valuesMax }, schema, 0)
}

interface Making {
  readonly draw: Draw
  readonly root: unknown
  left: number
}

function make(making: Making, raw: unknown, depth: number): Json {
  if (depth > depthMax || making.left-- <= 0) return null
  if (!isObject(raw)) return raw === true ? 'anything' : null
  const schema = resolve(making, raw)
  if ('const' in schema) return schema.const as Json
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return pick(making.draw, schema.enum as Json[])
  const choice = listOf(schema.anyOf) ?? listOf(schema.oneOf)
  if (choice) return make(making, { ...without(schema, 'anyOf', 'oneOf'), ...asObject(choice[0]) }, depth + 1)
  switch (typeOf(schema)) {
    case 'object':
      return makeObject(making, schema, depth)
    case 'array':
      return makeArray(making, schema, depth)
    case 'integer':
      return makeNumber(making.draw, schema, true)
    case 'number':
      return makeNumber(making.draw, schema, false)
    case 'boolean':
      return making.draw.unit() < 0.5
    case 'null':
      return null
    default:
      return makeString(making.draw, schema)
  }
}

function makeObject(making: Making, schema: Schema, depth: number): Json {
  const properties = asObject(schema.properties)
  const required = new Set((listOf(schema.required) ?? []).filter((name) => typeof name === 'string'))
  const wanted = Object.keys(properties).filter((name) => required.has(name) || making.draw.unit() < 0.5)
  for (const name of required) if (!Object.hasOwn(properties, name)) wanted.push(name)
  return Object.fromEntries(
    wanted.map((name) => [
      name,
      make(making, Object.hasOwn(properties, name) ? properties[name] : true, depth + 1),
    ]),
  )
}

function makeArray(making: Making, schema: Schema, depth: number): Json {
  const least = bounded(schema.minItems, 0)
  const most = Math.max(least, bounded(schema.maxItems, least + 2))
  const length = Math.min(most, Math.max(least, 1 + making.draw.below(2)))
  return Array.from({ length }, () => make(making, schema.items ?? true, depth + 1))
}

function makeNumber(draw: Draw, schema: Schema, whole: boolean): number {
  const multiple = asNumber(schema.multipleOf) ?? 0
  const step = multiple > 0 ? multiple : whole ? 1 : 0.5
  const low = asNumber(schema.minimum) ?? plus(asNumber(schema.exclusiveMinimum), step)
  const high = asNumber(schema.maximum) ?? plus(asNumber(schema.exclusiveMaximum), -step)
  const from = low ?? (high === null ? 0 : high - 20 * step)
  const first = Math.ceil(from / step)
  const last = high === null ? first + 20 : Math.floor(high / step)
  return (first + draw.below(Math.min(1_000, Math.max(1, last - first + 1)))) * step
}

function makeString(draw: Draw, schema: Schema): string {
  const least = bounded(schema.minLength, 0)
  const most = Math.max(least, bounded(schema.maxLength, lengthMax))
  const words = drawSentences(draw, Math.max(least, 8))
  const short = words.split(' ').slice(1, 3).join(' ')
  return (least <= short.length ? short : words).slice(0, most)
}

/** Follows a reference inside the document, and folds `allOf` in. */
function resolve({ root }: Making, schema: Schema): Schema {
  let found: Schema = schema
  for (let hops = 0; typeof found.$ref === 'string' && hops < depthMax; hops++) {
    const target: unknown = found.$ref
      .replace(/^#\/?/, '')
      .split('/')
      .filter((key) => key !== '')
      .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : null), root)
    found = { ...without(found, '$ref'), ...asObject(target) }
  }
  const all = listOf(found.allOf)
  return all ? all.reduce<Schema>(merged, without(found, 'allOf')) : found
}

function merged(schema: Schema, part: unknown): Schema {
  const own = asObject(part)
  return {
    ...schema,
    ...own,
    properties: { ...asObject(schema.properties), ...asObject(own.properties) },
    required: [...(listOf(schema.required) ?? []), ...(listOf(own.required) ?? [])],
  }
}

function typeOf(schema: Schema): unknown {
  const type = Array.isArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type
  if (type !== undefined) return type
  if (isObject(schema.properties) || schema.required !== undefined) return 'object'
  return schema.items === undefined ? 'string' : 'array'
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asObject = (value: unknown): Schema => (isObject(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] | null =>
  Array.isArray(value) && value.length > 0 ? value : null
const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
const plus = (value: number | null, step: number) => (value === null ? null : value + step)
const bounded = (value: unknown, otherwise: number) =>
  Math.min(lengthMax, Math.max(0, Math.floor(asNumber(value) ?? otherwise)))
const without = (schema: Schema, ...names: string[]): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)))
