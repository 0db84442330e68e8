import { describe, expect, test } from 'vitest'
import { createDraw, type Draw } from '../../src-main/base/draw'
import { stepsMax } from '../../src-main/sim/bounded-schema'
import { drawBySchema } from '../../src-main/sim/tool-arguments'

// One process simulates all replicas, so that one tool with a hostile schema would hold up all of them. What is counted is
// work and output, never time.

/** Every look into the schema and every draw. */
interface Work {
  steps: number
}

/** The schema, counting each look at a member and each name of a list of names. */
function counted<T>(value: T, work: Work, known = new Map<object, object>()): T {
  if (typeof value !== 'object' || value === null) return value
  const made = known.get(value)
  if (made) return made as T
  const proxy = new Proxy(value, {
    get(on, key) {
      work.steps++
      return counted(Reflect.get(on, key), work, known)
    },
    has(on, key) {
      work.steps++
      return Reflect.has(on, key)
    },
    ownKeys(on) {
      const names = Reflect.ownKeys(on)
      work.steps += names.length
      return names
    },
    getOwnPropertyDescriptor(on, key) {
      work.steps++
      return Reflect.getOwnPropertyDescriptor(on, key)
    },
  })
  known.set(value, proxy)
  return proxy
}

const countedDraw = (work: Work): Draw => {
  const draw = createDraw(1)
  const unit = () => {
    work.steps++
    return draw.unit()
  }
  return { ...draw, unit, below: (below) => Math.floor(unit() * below) }
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`)
const members = <T>(count: number, of: (at: number) => T) =>
  Object.fromEntries(names(count).map((name, at) => [name, of(at)]))
const nested = (count: number, wrap: (inner: unknown) => unknown, core: unknown = {}) =>
  Array.from({ length: count }).reduce(wrap, core)
const self = { $ref: '#' }

const rows: readonly (readonly [name: string, schema: unknown])[] = [
  ['a reference to itself', self],
  ['two references to each other', { $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a' } }],
  ['a reference of a million characters', { items: { $ref: `#${'/a'.repeat(500_000)}` }, minItems: 4_096 }],
  ['a list of itself', { type: 'array', minItems: 4_096, items: self }],
  ['lists in lists', nested(12, (items) => ({ type: 'array', minItems: 4_096, items }), true)],
  ['a list longer than there are numbers', { type: 'array', minItems: 1e300, items: { type: 'integer' } }],
  ['a list of long texts', { minItems: 4_096, items: { type: 'string', minLength: 1e9 } }],
  ['a list of long lists of nothing', { minItems: 4_096, items: { type: 'array', minItems: 4_096 } }],
  ['a list of one large constant', { minItems: 4_096, items: { const: 'x'.repeat(100_000) } }],
  ['a list of one wide constant', { minItems: 4_096, items: { const: members(20_000, () => 1) } }],
  ['a list of one deep constant', { minItems: 4_096, items: { const: nested(5_000, (inner) => [inner]) } }],
  [
    'a list of large values',
    { minItems: 4_096, items: { enum: names(20_000).map((name) => [name, names(500)]) } },
  ],
  ['an enum of a hundred thousand', { minItems: 4_096, items: { enum: names(100_000) } }],
  ['an object of itself', { required: names(64), properties: members(64, () => self) }],
  ['a wide object of itself', { required: names(20_000), properties: members(20_000, () => self) }],
  ['a list of wide objects', { minItems: 4_096, items: { properties: members(20_000, () => true) } }],
  ['a list of objects with long names', { minItems: 4_096, items: { required: ['n'.repeat(10_000)] } }],
  ['many names that are nowhere', { minItems: 4_096, items: { required: names(100_000) } }],
  ['many members that mean nothing', { ...members(20_000, () => 1), minItems: 4_096, items: self }],
  ['choices of choices', nested(5_000, (inner) => ({ anyOf: [inner, inner] }))],
  ['a choice of itself', { anyOf: [self, self], oneOf: [self] }],
  ['all of itself', { allOf: [self, self, self], minItems: 4_096, items: self }],
  [
    'all of very many',
    {
      minItems: 4_096,
      items: { allOf: names(5_000).map((name) => ({ properties: { [name]: self }, required: [name] })) },
    },
  ],
  ['very many types', { minItems: 4_096, items: { type: names(100_000).map(() => 'null') } }],
  ['depth', nested(5_000, (inner) => ({ type: 'object', required: ['a'], properties: { a: inner } }))],
  [
    'numbers out of reach',
    { minItems: 4_096, items: { type: 'number', minimum: 1e308, multipleOf: 1e-300 } },
  ],
]

describe('a schema that asks for too much', () => {
  test.each(rows)('%s', (_, schema) => {
    const work = { steps: 0 }
    const value = drawBySchema(countedDraw(work), counted(schema, work))
    const inSchema = counts(schema)
    expect(work.steps).toBeLessThan(40 * stepsMax + 4 * inSchema)
    expect((JSON.stringify(value) ?? '').length).toBeLessThan(8 * stepsMax)
  })

  test('what is asked for before it is still there', () => {
    const greedy = { type: 'array', minItems: 4_096, items: { const: 'x'.repeat(100_000) } }
    const schema = {
      properties: {
        city: { const: 'Bern' },
        greedy,
        large: { const: 'x'.repeat(100_000) },
        unit: { enum: ['c'] },
      },
      required: ['city', 'large', 'unit'],
    }
    expect(drawBySchema({ ...createDraw(1), unit: () => 0.9 }, schema)).toEqual({
      city: 'Bern',
      large: null,
      unit: 'c',
    })
  })
})

/** Members of a schema, each object once. */
function counts(schema: unknown): number {
  const seen = new Set<object>()
  const waiting = [schema]
  let found = 0
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(next)
    const inside = Object.values(next)
    found += inside.length
    for (const each of inside) waiting.push(each)
  }
  return found
}
