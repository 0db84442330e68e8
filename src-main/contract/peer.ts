import type { z } from 'zod'
import { fail, ok, type Result } from '../base/result'
import type { Transport } from './transport'
import { type CallError, readFrame, withinDepth } from './wire'

/** One call: the schema of what goes in and, as a type, what comes out. */
export interface CallSpec<Params extends z.ZodType, Reply> {
  readonly params: Params
  /** Type only; never set. */
  readonly reply?: Reply
  /** `viewer`: reads. `operator`: changes something, and is absent under `--read-only`. */
  readonly role: 'viewer' | 'operator'
}

/** A list of calls by name. */
export type CallTable = Readonly<Record<string, CallSpec<z.ZodType, unknown>>>

/** What a call takes. */
export type ParamsOf<Spec> = Spec extends CallSpec<infer Params, unknown> ? z.input<Params> : never
/** What a handler gets, after the schema. */
export type CheckedOf<Spec> = Spec extends CallSpec<infer Params, unknown> ? z.output<Params> : never
/** What a call answers. */
export type ReplyOf<Spec> = Spec extends { readonly reply?: infer Reply } ? Exclude<Reply, undefined> : never

/** A handler for each call of a table; the compiler asks for the forgotten ones. */
export type Handlers<Table extends CallTable> = {
  readonly [Name in keyof Table]: (
    params: CheckedOf<Table[Name]>,
  ) => Promise<Result<ReplyOf<Table[Name]>, CallError>>
}

/** Asks the other side; a refusal, a closed pipe and a time limit all come back as errors, never as throws. */
export type Call<Table extends CallTable> = <Name extends keyof Table & string>(
  name: Name,
  params: ParamsOf<Table[Name]>,
) => Promise<Result<ReplyOf<Table[Name]>, CallError>>

/** One-way notes by name, as types. */
export type NoteTable = Readonly<Record<string, unknown>>

/** What one end of a pipe offers and listens to. */
export interface PeerOptions<Serves extends CallTable, Hears extends NoteTable> {
  readonly serves: Serves
  readonly handlers: Handlers<Serves>
  /** False refuses operator calls of this peer with `read_only`. */
  readonly mayOperate?: boolean
  readonly onNote?: {
    readonly [Name in keyof Hears]?: (body: Hears[Name]) => void
  }
  /** A frame that is no frame; the pipe is closed after it. */
  readonly onBadFrame?: (why: string) => void
}

/** One end of a pipe. */
export interface Peer<Calls extends CallTable, Tells extends NoteTable> {
  readonly call: Call<Calls>
  /** False when the pipe did not take it. */
  note<Name extends keyof Tells & string>(name: Name, body: Tells[Name]): boolean
  close(why?: string): void
}

/** Calls under way at once from one end; more are refused with `busy`. */
const openCallsMax = 256

/**
 * Makes a typed, checked peer of a transport. Frames and parameters are checked; notes are trusted, since they only
 * travel between our own processes and from the server to its screens.
 */
export function createPeer<
  Serves extends CallTable,
  Calls extends CallTable,
  Tells extends NoteTable,
  Hears extends NoteTable,
>(transport: Transport, options: PeerOptions<Serves, Hears>): Peer<Calls, Tells> {
  const open = new Map<number, (result: Result<unknown, CallError>) => void>()
  let nextId = 0
  let closed: string | null = null

  transport.onClose((why) => {
    closed = why
    for (const settle of open.values())
      settle(
        fail({
          code: 'disconnected',
          message: `the connection closed: ${why}`,
        }),
      )
    open.clear()
  })
  transport.onFrame((raw) => {
    const deep = !withinDepth(raw)
    const received = deep ? null : readFrame(raw)
    if (!received) {
      options.onBadFrame?.(deep ? 'nested too deeply' : 'not a frame')
      transport.close('bad frame')
      return
    }
    if (received.k === 'call') void answer(received.id, received.name, received.params)
    else if (received.k === 'note') hear(received.name, received.body)
    else
      settle(
        received.id,
        received.k === 'reply'
          ? ok(received.value)
          : fail({ code: received.code, message: received.message }),
      )
  })

  async function answer(id: number, name: string, params: unknown): Promise<void> {
    const result = await dispatch(options, name, params)
    transport.send(
      result.ok
        ? { k: 'reply', id, value: result.value ?? null }
        : {
            k: 'refusal',
            id,
            code: result.error.code,
            message: result.error.message,
          },
    )
  }
  function hear(name: string, body: unknown): void {
    const listeners = options.onNote as Readonly<Record<string, (body: unknown) => void>> | undefined
    if (listeners && Object.hasOwn(listeners, name)) listeners[name]?.(body)
  }
  function settle(id: number, result: Result<unknown, CallError>): void {
    const waiting = open.get(id)
    open.delete(id)
    waiting?.(result)
  }

  const call = (name: string, params: unknown) =>
    new Promise<Result<unknown, CallError>>((resolve) => {
      if (closed !== null)
        return resolve(
          fail({
            code: 'disconnected',
            message: `the connection is closed: ${closed}`,
          }),
        )
      if (open.size >= openCallsMax)
        return resolve(fail({ code: 'busy', message: 'too many calls are under way' }))
      const id = nextId++
      open.set(id, resolve)
      if (!transport.send({ k: 'call', id, name, params }))
        settle(id, fail({ code: 'busy', message: 'the connection is congested' }))
    })
  return {
    call: call as Call<Calls>,
    note: (name, body) => closed === null && transport.send({ k: 'note', name, body }),
    close: (why) => transport.close(why),
  }
}

async function dispatch<Serves extends CallTable, Hears extends NoteTable>(
  options: PeerOptions<Serves, Hears>,
  name: string,
  params: unknown,
): Promise<Result<unknown, CallError>> {
  const spec = Object.hasOwn(options.serves, name) ? options.serves[name] : undefined
  if (!spec)
    return fail({
      code: 'no_such_call',
      message: `there is no call named ${name}; the versions may differ`,
    })
  if (spec.role === 'operator' && options.mayOperate === false) {
    return fail({
      code: 'read_only',
      message: `${name} changes something, and this console is read-only`,
    })
  }
  const checked = spec.params.safeParse(params)
  if (!checked.success) {
    const first = checked.error.issues[0]
    return fail({
      code: 'bad_params',
      message: `${name}: ${first ? `${first.path.join('.')} ${first.message}` : 'bad parameters'}`,
    })
  }
  const handler = options.handlers[name] as (params: unknown) => Promise<Result<unknown, CallError>>
  return handler(checked.data).catch((error: unknown) =>
    fail({
      code: 'internal',
      message: `${name} failed: ${error instanceof Error ? error.message : String(error)}`,
    }),
  )
}

/** The end of a pipe that only asks: it serves nothing and hears no notes. */
export const createCaller = <Calls extends CallTable>(transport: Transport) =>
  createPeer<Record<string, never>, Calls, Record<string, never>, Record<string, never>>(transport, {
    serves: {},
    handlers: {},
  })

/** Describes a call that only reads. */
export const reads =
  <Reply>() =>
  <Params extends z.ZodType>(params: Params): CallSpec<Params, Reply> => ({
    params,
    role: 'viewer',
  })

/** Describes a call that changes something. */
export const changes =
  <Reply>() =>
  <Params extends z.ZodType>(params: Params): CallSpec<Params, Reply> => ({
    params,
    role: 'operator',
  })
