import type { Draw } from '../base/draw'
import type { Json } from '../base/stable-json'
import { asObject, BoundedSchema, depthMax, isObject, listOf, type Schema } from './bounded-schema'
import { drawSentences, pick } from './sentences'

/** Longest string or list that is made to meet a minimum. */
const lengthMax = 4_096

/**
 * A value that satisfies a JSON schema, as far as tools use it: types, properties and required, enum and const, bounds of
 * numbers, lengths, items, anyOf, oneOf, allOf, and references inside the document. Patterns and formats are not followed.
 * Required properties are always there, optional ones half the time. A schema that asks for more than the limits above and
 * those of `bounded-schema.ts` gets null, or less than it asked for, where they end.
 */
export function drawBySchema(draw: Draw, schema: unknown): Json {
  return make({ draw, bounds: new BoundedSchema(schema) }, schema, 0)
}

interface Making {
  readonly draw: Draw
  readonly bounds: BoundedSchema
}

function make(making: Making, raw: unknown, depth: number): Json {
  const { draw, bounds } = making
  if (!bounds.spend() || depth > depthMax) return null
  if (!isObject(raw)) return raw === true ? 'anything' : null
  const schema = bounds.resolve(raw)
  if ('const' in schema) return copied(making, schema.const)
  const values = listOf(schema.enum)
  if (values) return copied(making, pick(draw, values))
  const choice = listOf(schema.anyOf) ?? listOf(schema.oneOf)
  if (choice)
    return make(
      making,
      { ...schema, anyOf: null, oneOf: null, ...bounds.resolve(asObject(choice[0])) },
      depth + 1,
    )
  switch (typeOf(schema)) {
    case 'object':
      return makeObject(making, schema, depth)
    case 'array':
      return makeArray(making, schema, depth)
    case 'integer':
      return makeNumber(draw, schema, true)
    case 'number':
      return makeNumber(draw, schema, false)
    case 'boolean':
      return draw.unit() < 0.5
    case 'null':
      return null
    default:
      return makeString(making, schema)
  }
}

/** A value out of the schema itself. */
const copied = ({ bounds }: Making, value: unknown): Json => (bounds.spendOn(value) ? (value as Json) : null)

function makeObject(making: Making, schema: Schema, depth: number): Json {
  const { draw, bounds } = making
  const properties = asObject(schema.properties)
  const required = bounds.requiredOf(schema)
  const wanted = bounds.namesOf(properties).filter((name) => required.has(name) || draw.unit() < 0.5)
  for (const name of required) if (!Object.hasOwn(properties, name)) wanted.push(name)
  const made: [string, Json][] = []
  for (const name of wanted) {
    if (!bounds.spend(name.length)) break
    made.push([name, make(making, Object.hasOwn(properties, name) ? properties[name] : true, depth + 1)])
  }
  return Object.fromEntries(made)
}

function makeArray(making: Making, schema: Schema, depth: number): Json {
  const least = bounded(schema.minItems, 0)
  const most = Math.max(least, bounded(schema.maxItems, least + 2))
  const length = Math.min(most, Math.max(least, 1 + making.draw.below(2)))
  const made: Json[] = []
  while (made.length < length && making.bounds.room > 0)
    made.push(make(making, schema.items ?? true, depth + 1))
  return made
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

function makeString({ draw, bounds }: Making, schema: Schema): string {
  const least = Math.min(bounds.room, bounded(schema.minLength, 0))
  const most = Math.max(least, bounded(schema.maxLength, lengthMax))
  const words = drawSentences(draw, Math.max(least, 8))
  const short = words.split(' ').slice(1, 3).join(' ')
  const made = (least <= short.length ? short : words).slice(0, most)
  bounds.spend(made.length)
  return made
}

function typeOf(schema: Schema): unknown {
  const type = Array.isArray(schema.type)
    ? schema.type.slice(0, 8).find((each) => each !== 'null')
    : schema.type
  if (type !== undefined) return type
  if (isObject(schema.properties) || schema.required !== undefined) return 'object'
  return schema.items === undefined ? 'string' : 'array'
}

const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
const plus = (value: number | null, step: number) => (value === null ? null : value + step)
const bounded = (value: unknown, otherwise: number) =>
  Math.min(lengthMax, Math.max(0, Math.floor(asNumber(value) ?? otherwise)))
