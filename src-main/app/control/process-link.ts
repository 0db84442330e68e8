import type { CallTable, NoteTable, Peer } from '../../contract/peer'
import { createPeer } from '../../contract/peer'
import type { Transport } from '../../contract/transport'
import { refuse } from './answers'

/** Calls a process that may be away just now; it then answers `restarting`. */
export type Asker<Table extends CallTable> = Peer<Table, Record<string, never>>['call']

/** What is done with the notes of a process. */
export type NoteHandlers<Notes> = { readonly [Name in keyof Notes]: (body: Notes[Name]) => void }

/** One process as seen from here: its peer while it lives. */
export interface ProcessLink<Table extends CallTable, Notes extends NoteTable> {
  /** True once its start call was answered. */
  up: boolean
  readonly call: Asker<Table>
  /** A fresh process is there. */
  open(transport: Transport, onNote: NoteHandlers<Notes>): void
  close(): void
}

/** The answer in place of a process that is away. */
export const away = refuse('restarting', 'that process is being restarted; try again in a second')

/** A link to a process that is not there yet. */
export function createProcessLink<Table extends CallTable, Notes extends NoteTable>(): ProcessLink<
  Table,
  Notes
> {
  let peer: Peer<Table, Record<string, never>> | null = null
  return {
    up: false,
    call: (name, params) => (peer ? peer.call(name, params) : Promise.resolve(away)),
    open(transport, onNote) {
      peer = createPeer<Record<string, never>, Table, Record<string, never>, Notes>(transport, {
        serves: {},
        handlers: {},
        onNote,
      })
    },
    close() {
      this.up = false
      peer = null
    },
  }
}
