import type { Result } from '../../base/result'
import type { CallTable, NoteTable, Peer } from '../../contract/peer'
import { createPeer } from '../../contract/peer'
import type { Transport } from '../../contract/transport'
import type { CallError } from '../../contract/wire'
import type { ProcessReport } from '../../domain/journal/views'
import { refuse } from './answers'

/** Calls a process; one that is away is answered for, with the reason. */
export type Asker<Table extends CallTable> = Peer<Table, Record<string, never>>['call']

/** What is done with the notes of a process. */
export type NoteHandlers<Notes> = { readonly [Name in keyof Notes]: (body: Notes[Name]) => void }

/** One process as seen from here: its peer while it lives. */
export interface ProcessLink<Table extends CallTable, Notes extends NoteTable> {
  /** True once its start call was answered. */
  up: boolean
  /** Counts the processes that were opened; a start that waits gives up when its process has gone. */
  readonly generation: number
  /** Calls it whether or not it has been started. */
  readonly call: Asker<Table>
  /** Calls it when it is up. */
  readonly ask: Asker<Table>
  /** A fresh process is there. */
  open(transport: Transport, onNote: NoteHandlers<Notes>): void
  close(): void
}

/** A link to a process that is not there yet. @param away the answer in place of a process that is away */
export function createProcessLink<Table extends CallTable, Notes extends NoteTable>(
  away: () => Result<never, CallError>,
): ProcessLink<Table, Notes> {
  let peer: Peer<Table, Record<string, never>> | null = null
  let generation = 0
  const link: ProcessLink<Table, Notes> = {
    up: false,
    get generation() {
      return generation
    },
    call: (name, params) => (peer ? peer.call(name, params) : Promise.resolve(away())),
    ask: (name, params) => (link.up ? link.call(name, params) : Promise.resolve(away())),
    open(transport, onNote) {
      generation++
      peer = createPeer<Record<string, never>, Table, Record<string, never>, Notes>(transport, {
        serves: {},
        handlers: {},
        onNote,
      })
    },
    close() {
      link.up = false
      generation++
      peer = null
    },
  }
  return link
}

/** Why a process does not answer just now, and what to do, from the supervisor's report on it. */
export function awayWords(report: Pick<ProcessReport, 'role' | 'state' | 'lastExit'> | undefined) {
  if (!report) return refuse('not_started', 'that process has not been started yet; try again in a second')
  const { role, state, lastExit } = report
  if (state === 'stopped')
    return refuse(
      'process_down',
      `the ${role} process keeps ending (${lastExit ?? 'reason unknown'}) and is left down; restart Signalbox after fixing the cause`,
    )
  if (state === 'restarting')
    return refuse('restarting', `the ${role} process is being restarted; try again in a second`)
  return refuse('restarting', `the ${role} process is starting; signalbox status says when it is up`)
}
