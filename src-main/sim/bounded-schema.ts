/** Steps that one schema may cost: values, properties and references looked at, characters made. */
export const stepsMax = 16_384
/** Steps of a value, a reference or a part, whatever is in it. */
const partSteps = 4
/** Most properties, required names and parts of `allOf` that count at one place. */
export const widthMax = 256
/** Nesting beyond which nothing is made or followed. */
export const depthMax = 12
/** Longest reference that is followed, characters. */
const referenceMaxLength = 512

/** A schema's keywords, as far as they are understood; whatever else is in it is not looked at. */
export type Schema = Readonly<Record<string, unknown>>

const keywords = [
  ...['$ref', 'allOf', 'anyOf', 'oneOf', 'const', 'enum', 'type', 'properties', 'required', 'items'],
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
] as const

/**
 * Reads a schema that somebody else wrote, within one budget of steps: a small schema can name itself, be wide or repeat a
 * large constant, and would otherwise keep the whole process busy. When the budget is gone, it answers with nothing more.
 */
export class BoundedSchema {
  private left = stepsMax
  private readonly sizes = new Map<object, number>()
  private readonly names = new Map<object, readonly string[]>()

  constructor(private readonly root: unknown) {}

  /** Steps that are left, never below 0. */
  get room(): number {
    return Math.max(0, this.left)
  }

  /** Takes steps; false when there are not so many. */
  spend(steps: number = partSteps): boolean {
    this.left -= steps
    return this.left >= 0
  }

  /** Takes the steps of a value that is in the schema and will be repeated as it is; none when there are not so many. */
  spendOn(value: unknown): boolean {
    const steps = this.sizeOf(value, 0)
    return steps <= this.room && this.spend(steps)
  }

  /** The keywords in force: references inside the document followed, `allOf` folded in. */
  resolve(raw: Schema): Schema {
    let found = keywordsOf(raw)
    for (let hops = 0; typeof found.$ref === 'string' && hops < depthMax && this.spend(); hops++) {
      const target = this.follow(found.$ref)
      found = { ...found, $ref: undefined, ...keywordsOf(target) }
    }
    return listOf(found.allOf) ? this.folded(found) : found
  }

  /** Names of properties, the first of them when there are too many. */
  namesOf(properties: Schema): readonly string[] {
    const known = this.names.get(properties)
    const names = known ?? Object.keys(properties).slice(0, widthMax)
    this.names.set(properties, names)
    return this.spend(names.length) ? names : []
  }

  /** Names that must be there. */
  requiredOf({ required }: Schema): ReadonlySet<string> {
    const names = (listOf(required) ?? []).slice(0, widthMax)
    return new Set(this.spend(names.length) ? names.filter((name) => typeof name === 'string') : [])
  }

  private follow(reference: string): unknown {
    if (reference.length > referenceMaxLength) return null
    const keys = reference
      .replace(/^#\/?/, '')
      .split('/')
      .filter((key) => key !== '')
    if (!this.spend(keys.length)) return null
    return keys.reduce<unknown>(
      (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : null),
      this.root,
    )
  }

  private folded(schema: Schema): Schema {
    let found: Schema = { ...schema, allOf: undefined }
    const properties: Record<string, unknown> = {}
    const required = new Set<string>()
    const parts = [schema, ...(listOf(schema.allOf) ?? []).slice(0, widthMax).map(asObject)]
    for (const part of parts) {
      if (!this.spend()) break
      const own = keywordsOf(part)
      const listed = asObject(own.properties)
      if (part !== schema) found = { ...found, ...own }
      for (const name of this.namesOf(listed)) define(properties, name, listed[name])
      for (const name of this.requiredOf(own)) required.add(name)
    }
    return { ...found, properties, required: [...required] }
  }

  /** Characters of a value, about; endless when it nests too deep. Each object is measured once. */
  private sizeOf(value: unknown, depth: number): number {
    if (typeof value === 'string') return value.length + partSteps
    if (typeof value !== 'object' || value === null) return partSteps
    const known = this.sizes.get(value)
    if (known !== undefined) return known
    if (depth > depthMax) return Number.POSITIVE_INFINITY
    let size = partSteps
    for (const [name, each] of Object.entries(value)) size += name.length + this.sizeOf(each, depth + 1)
    this.sizes.set(value, size)
    return size
  }
}

/** Only what is understood is copied: a schema may have any number of other members. */
function keywordsOf(raw: unknown): Schema {
  const schema = asObject(raw)
  return Object.fromEntries(
    keywords.filter((name) => Object.hasOwn(schema, name)).map((name) => [name, schema[name]]),
  )
}

/** Sets a member whatever its name: `__proto__` is one like any other. */
function define(on: object, name: string, value: unknown): void {
  Object.defineProperty(on, name, { value, enumerable: true, writable: true, configurable: true })
}

/** True for what JSON calls an object. */
export const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** The object, or one without members. */
export const asObject = (value: unknown): Schema => (isObject(value) ? value : {})
/** The list, or null when it is none or has nothing in it. */
export const listOf = (value: unknown): readonly unknown[] | null =>
  Array.isArray(value) && value.length > 0 ? value : null
