import { join } from 'node:path'
import { fail, ok, type Result } from '../../base/result'
import type { Document } from '../../ports/documents'
import type { Notice } from '../../ports/notice'
import type { Clock } from '../../ports/seams/clock'
import type { Fs, FsError } from '../../ports/seams/fs'
import { moveAside } from './aside'
import {
  type DocumentReading,
  type DocumentSpec,
  documentLimit,
  readDocument,
  writeDocument,
} from './document-text'
import { durableReplace } from './durable-replace'

/** Earlier versions of a document that are kept: `settings.1.json` and on, the highest number the newest. */
export const copiesKept = 5

/** What documents on disk need. */
export interface DocumentsOptions {
  readonly fs: Fs
  readonly clock: Clock
  readonly folder: string
  /** Our version, noted in each file. */
  readonly writtenBy: string
  /** Called before each write: makes the data folder again when it went away, or says why nothing may be written. */
  readonly ensureWritable: () => Result<void, { readonly words: string }>
}

/** A document, and what had to be done to open it. */
export interface OpenedDocument<T> {
  readonly document: Document<T>
  readonly notices: readonly Notice[]
}

/**
 * Opens a document. A file that is empty, half written, of the wrong shape or huge is moved aside
 * (`quarantine-settings-<time>`) and the newest good copy takes its place, or the initial value. A file that a newer
 * version wrote is left alone: the initial value is used and saving is refused.
 */
export function openDocument<T>(options: DocumentsOptions, spec: DocumentSpec<T>): OpenedDocument<T> {
  const path = join(options.folder, `${spec.name}.json`)
  const found = readFile(options, spec, path)
  if (found.kind === 'none') return opened(options, spec, missing(options, spec, path))
  if (found.kind === 'newer') return opened(options, spec, tooNew(path, spec, found))
  if (found.kind === 'ok') return opened(options, spec, inForce(spec, found))
  return opened(options, spec, restore(options, spec, path, found.why))
}

interface Opening<T> {
  readonly value: T
  /** Why saving is refused for good. */
  readonly refusal: string | null
  readonly notices: readonly Notice[]
  /** The value is not what the file holds and should be written. */
  readonly rewrite?: boolean
}

function inForce<T>(
  spec: DocumentSpec<T>,
  { value, migratedFrom }: { readonly value: T; readonly migratedFrom: number | null },
): Opening<T> {
  if (migratedFrom === null) return { value, refusal: null, notices: [] }
  const words = `${spec.name}.json was brought from schema ${migratedFrom} to ${spec.schema}; the old one is kept`
  return { value, refusal: null, rewrite: true, notices: [{ code: 'document_migrated', words }] }
}

/** A first start, or a file that went away: then the newest copy takes its place, as after damage. */
function missing<T>(options: DocumentsOptions, spec: DocumentSpec<T>, path: string): Opening<T> {
  const copy = newestGoodCopy(options, spec)
  if (copy === null) return { value: spec.initial, refusal: null, notices: [] }
  const words = `${path} is missing; the copy ${copy.name} is used. To begin anew, remove the copies too`
  return {
    value: copy.value,
    refusal: null,
    rewrite: true,
    notices: [{ code: 'document_restored', words }],
  }
}

function tooNew<T>(
  path: string,
  spec: DocumentSpec<T>,
  { schema, writtenBy }: { readonly schema: number; readonly writtenBy: string },
): Opening<T> {
  const words = `${path} was written by ${writtenBy} (schema ${schema}; this version knows ${spec.schema}). It is left as it is and not used, and what is changed now is not kept; start that version, or move the file away`
  return { value: spec.initial, refusal: words, notices: [{ code: 'document_newer', words }] }
}

function restore<T>(options: DocumentsOptions, spec: DocumentSpec<T>, path: string, why: string): Opening<T> {
  const copy = newestGoodCopy(options, spec)
  const used = copy === null ? 'the initial values are used' : `the copy ${copy.name} is used`
  const value = copy?.value ?? spec.initial
  const place = { fs: options.fs, folder: options.folder, prefix: `quarantine-${spec.name}` }
  const writable = options.ensureWritable()
  const moved = writable.ok ? moveAside(place, path, options.clock.wallMs()) : null
  const kept = moved?.ok ? `it was moved to ${moved.value}` : 'it was left where it is'
  const words = `${path} could not be used: ${why}; ${kept}, and ${used}`
  return { value, refusal: null, rewrite: copy !== null, notices: [{ code: 'document_restored', words }] }
}

function opened<T>(options: DocumentsOptions, spec: DocumentSpec<T>, opening: Opening<T>): OpenedDocument<T> {
  let value = opening.value
  const save = (next: T): Result<void, { readonly words: string }> => {
    if (opening.refusal !== null) return fail({ words: opening.refusal })
    const written = write(options, spec, next)
    if (!written.ok) return fail({ words: `${spec.name} was not saved: ${written.error.words}` })
    value = next
    return ok(undefined)
  }
  const notices = [...opening.notices]
  if (opening.rewrite) {
    const written = save(value)
    if (!written.ok) notices.push({ code: 'document_not_saved', words: written.error.words })
  }
  return { document: { value: () => value, save }, notices }
}

/** The file in force becomes the newest copy, then the new content takes its place. */
function write<T>(
  options: DocumentsOptions,
  spec: DocumentSpec<T>,
  value: T,
): Result<void, { readonly words: string }> {
  const { fs, folder } = options
  const writable = options.ensureWritable()
  if (!writable.ok) return writable
  const path = join(folder, `${spec.name}.json`)
  const bytes = writeDocument(spec, value, options.writtenBy)
  if (bytes.length > documentLimit)
    return fail({ words: `it would be ${bytes.length} bytes; the limit is ${documentLimit}` })
  const copied = keepCopy(options, spec, path)
  const written = copied.ok ? durableReplace(fs, path, bytes) : copied
  return written.ok ? ok(undefined) : fail({ words: written.error.message })
}

function keepCopy<T>(options: DocumentsOptions, spec: DocumentSpec<T>, path: string): Result<void, FsError> {
  const { fs, folder, clock } = options
  const current = fs.read(path, documentLimit)
  if (!current.ok) {
    if (current.error.code === 'ENOENT') return ok(undefined)
    // Somebody put another thing in its place while we ran: that is kept, too.
    const moved = moveAside({ fs, folder, prefix: `quarantine-${spec.name}` }, path, clock.wallMs())
    return moved.ok ? ok(undefined) : moved
  }
  const numbers = copyNumbers(fs, folder, spec.name)
  const copy = durableReplace(fs, copyPath(folder, spec.name, (numbers.at(-1) ?? 0) + 1), current.value)
  if (!copy.ok) return copy
  const extra = numbers.slice(0, Math.max(0, numbers.length + 1 - copiesKept))
  for (const number of extra) fs.remove(copyPath(folder, spec.name, number))
  return ok(undefined)
}

function newestGoodCopy<T>(
  options: DocumentsOptions,
  spec: DocumentSpec<T>,
): { readonly name: string; readonly value: T } | null {
  const numbers = copyNumbers(options.fs, options.folder, spec.name)
  for (const number of [...numbers].reverse()) {
    const read = readFile(options, spec, copyPath(options.folder, spec.name, number))
    if (read.kind === 'ok') return { name: `${spec.name}.${number}.json`, value: read.value }
  }
  return null
}

const copyPath = (folder: string, name: string, number: number) => join(folder, `${name}.${number}.json`)

/** Ascending. */
function copyNumbers(fs: Fs, folder: string, name: string): readonly number[] {
  const listed = fs.list(folder)
  if (!listed.ok) return []
  const numbers = listed.value.flatMap((each) => {
    const middle =
      each.startsWith(`${name}.`) && each.endsWith('.json') ? each.slice(name.length + 1, -5) : ''
    return /^[1-9]\d{0,8}$/.test(middle) ? [Number(middle)] : []
  })
  return numbers.sort((a, b) => a - b)
}

function readFile<T>(
  { fs }: DocumentsOptions,
  spec: DocumentSpec<T>,
  path: string,
): DocumentReading<T> | { readonly kind: 'none' } {
  const read = fs.read(path, documentLimit)
  if (read.ok) return readDocument(spec, read.value)
  if (read.error.code === 'ENOENT') return { kind: 'none' }
  return { kind: 'bad', why: read.error.message }
}
