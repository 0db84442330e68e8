import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type RpcName, rpc } from '../../src-main/contract/rpc'

/** The part of JSON Schema that zod writes for our calls. */
interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
}
const schemaOf = (name: RpcName) => z.toJSONSchema(rpc[name].params, { io: 'input' }) as Schema
const names = Object.keys(rpc) as RpcName[]
const isRecord = ({ additionalProperties }: Schema) => typeof additionalProperties === 'object'

/** Places of a schema that have no end: a number without both bounds, a text without a length, an open object. */
function unbounded(schema: Schema, path: string): string[] {
  if (schema.enum || schema.const !== undefined) return []
  if (schema.anyOf) return schema.anyOf.flatMap((each, at) => unbounded(each, `${path}|${at}`))
  switch (schema.type) {
    case 'number':
    case 'integer':
      return schema.minimum === undefined || schema.maximum === undefined ? [path] : []
    case 'string':
      return schema.maxLength === undefined ? [path] : []
    case 'object': {
      if (isRecord(schema))
        return [
          ...unbounded(schema.propertyNames ?? {}, `${path}{name}`),
          ...unbounded(schema.additionalProperties as Schema, `${path}{value}`),
        ]
      const open = schema.additionalProperties === false ? [] : [`${path}{}`]
      const members = Object.entries(schema.properties ?? {})
      return [...open, ...members.flatMap(([name, each]) => unbounded(each, `${path}.${name}`))]
    }
    case 'boolean':
    case 'null':
      return []
    default:
      return [path]
  }
}

/** A value that fits. */
function fitting(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return fitting(schema.anyOf[0] as Schema)
  switch (schema.type) {
    case 'number':
    case 'integer':
      return schema.maximum
    case 'string':
      return 'x'.repeat(Math.max(1, schema.minLength ?? 0))
    case 'boolean':
      return true
    case 'object':
      if (isRecord(schema)) return { x: fitting(schema.additionalProperties as Schema) }
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, each]) => [name, fitting(each)]),
      )
    default:
      return null
  }
}

const beyond = (schema: Schema): fc.Arbitrary<unknown> => {
  const { minimum = 0, maximum = 0 } = schema
  return fc.oneof(
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    fc.double({ min: maximum, minExcluded: true, noNaN: true }),
    fc.double({ max: minimum, maxExcluded: true, noNaN: true }),
  )
}

/** Values that fit but for one place, which is out of its range or of another kind. */
function broken(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.string().filter((text) => !schema.enum?.includes(text))
  if (schema.anyOf) {
    // What one alternative refuses another may take; only the numbers and texts among them have ranges.
    const ranged = schema.anyOf.filter(({ type }) => type !== 'null' && type !== 'boolean')
    return fc.oneof(...ranged.map(beside))
  }
  return fc.oneof(beside(schema), fc.constantFrom([], [[]], Symbol.iterator))
}

/** Out of the range of this very kind. */
function beside(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'number':
    case 'integer':
      return beyond(schema)
    case 'string': {
      const long = fc.string({
        minLength: (schema.maxLength ?? 0) + 1,
        maxLength: (schema.maxLength ?? 0) + 50,
      })
      const letters = long.map((text) => text.replaceAll(/\s/g, 'x'))
      return schema.minLength === undefined ? letters : fc.oneof(letters, fc.constant(''))
    }
    case 'object':
      return brokenObject(schema)
    default:
      return fc.constant({})
  }
}

function brokenObject(schema: Schema): fc.Arbitrary<unknown> {
  if (isRecord(schema)) {
    const value = schema.additionalProperties as Schema
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`x${at}`, fitting(value)]))
    return fc.oneof(
      broken(value).map((bad) => ({ x: bad })),
      beside(schema.propertyNames ?? {}).map((name) => ({ [String(name)]: fitting(value) })),
      fc.constant(many),
    )
  }
  const whole = fitting(schema) as Record<string, unknown>
  const members = Object.entries(schema.properties ?? {}).map(([name, each]) =>
    broken(each).map((bad) => ({ ...whole, [name]: bad })),
  )
  return fc.oneof(fc.constant({ ...whole, more: 1 }), ...members)
}

describe('every call has bounds for all that it takes', () => {
  test.each(names)('%s', (name) => {
    expect(unbounded(schemaOf(name), name)).toEqual([])
    expect(rpc[name].params.safeParse(fitting(schemaOf(name)))).toMatchObject({ success: true })
  })
  test.each(names)('%s refuses what is out of them', (name) => {
    fc.assert(
      fc.property(broken(schemaOf(name)), (params) => {
        expect(rpc[name].params.safeParse(params).success).toBe(false)
      }),
      { seed: 7, numRuns: 200 },
    )
  })
})

describe('a note', () => {
  const takes = (atWallMs: number, text = 'x') =>
    rpc['notes.add'].params.safeParse({ text, atWallMs }).success
  test.each([
    [Date.UTC(2026, 10, 30), true],
    [Date.UTC(2000, 0, 1), true],
    [0, false],
    [Date.UTC(1999, 11, 31), false],
    [Date.UTC(2100, 0, 2), false],
    [8.64e15 + 1, false],
    [1e308, false],
  ])('at %d is taken: %s', (atWallMs, taken) => {
    expect(takes(atWallMs)).toBe(taken)
  })
  test('of blanks says nothing', () => {
    expect(takes(Date.UTC(2026, 0, 1), ' \n ')).toBe(false)
  })
})
