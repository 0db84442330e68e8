import { z } from 'zod'
import { fail, ok, type Result } from '../../base/result'
import type { Json } from '../../base/stable-json'
import { type Migrations, migrate } from './migrations'

/** What a kind of document is. */
export interface DocumentSpec<T> {
  /** Without ending: `settings` lies in `settings.json`. */
  readonly name: string
  /** The schema number that this version writes, from 1 up. */
  readonly schema: number
  readonly shape: z.ZodType<T>
  readonly migrations: Migrations
  /** Used when there is no document, and no copy that can be read. */
  readonly initial: T
}

/** Larger than any document we write: such a file is not ours, or broken. */
export const documentLimit = 1024 * 1024

/** A document as it was read. `newer` names the version that wrote it when we are too old for it. */
export type DocumentReading<T> =
  | { readonly kind: 'ok'; readonly value: T; readonly migratedFrom: number | null }
  | { readonly kind: 'newer'; readonly schema: number; readonly writtenBy: string }
  | { readonly kind: 'bad'; readonly why: string }

const envelope = z.object({
  schema: z.number().int().min(1),
  writtenBy: z.string().max(100).default('an unknown version'),
  value: z.custom<Json>((value) => value !== undefined), // it came out of JSON.parse; its own shape is checked below
})

/** Reads a document's text: JSON, its envelope, its schema (older ones are migrated), its shape. */
export function readDocument<T>(spec: DocumentSpec<T>, bytes: Uint8Array): DocumentReading<T> {
  if (bytes.length === 0) return { kind: 'bad', why: 'it is empty' }
  const parsed = parseJson(bytes)
  if (!parsed.ok) return { kind: 'bad', why: parsed.error }
  const found = envelope.safeParse(parsed.value)
  if (!found.success) return { kind: 'bad', why: inWords(found.error) }
  const { schema, writtenBy, value } = found.data
  if (schema > spec.schema) return { kind: 'newer', schema, writtenBy }
  const current = migrate(spec.migrations, schema, spec.schema, value)
  if (!current.ok) return { kind: 'bad', why: current.error }
  const shaped = spec.shape.safeParse(current.value)
  if (!shaped.success) return { kind: 'bad', why: inWords(shaped.error) }
  return { kind: 'ok', value: shaped.data, migratedFrom: schema < spec.schema ? schema : null }
}

function parseJson(bytes: Uint8Array): Result<unknown, string> {
  try {
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch {
    return fail('it is not JSON; perhaps only half of it was written')
  }
}

/** The first thing that does not fit, by its place. */
function inWords(error: z.ZodError): string {
  const [issue] = error.issues
  if (issue === undefined) return 'it does not fit its schema'
  return `${issue.path.length === 0 ? 'the whole' : issue.path.join('.')}: ${issue.message}`
}

/** The text that is written: for people, too, so indented. */
export function writeDocument<T>(spec: DocumentSpec<T>, value: T, writtenBy: string): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ schema: spec.schema, writtenBy, value }, null, 2)}\n`)
}
