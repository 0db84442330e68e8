import { ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { ClusterRecord, DecisionRow } from '../../domain/journal/record'
import type { Histories, History, HistoryError } from '../../ports/history'
import type { Clock } from '../../ports/seams/clock'
import type { Timers } from '../../ports/seams/timers'
import { createWaiting, type Waiting } from './waiting'

/** What the store does: it keeps everything, nothing is written, or everything is in memory only. */
export interface StoreState {
  readonly store: 'ok' | 'memory' | 'read-only'
  readonly why: string | null
}

/** Writes behind: what is handed over is in the store within a second, and nobody waits for it. */
export interface Keeper {
  row(row: DecisionRow): void
  record(record: ClusterRecord): void
  /** The stored past, as far as it can be read; null when there is none. */
  readonly past: History | null
  readonly state: StoreState
  /** Name of the file that was moved aside at the start; null when there was none. */
  readonly moved: string | null
  /** Writes what waits, and closes. */
  stop(): void
}

/** What a keeper is made from. */
export interface KeeperOptions {
  readonly clock: Clock
  readonly timers: Timers
  /** Null keeps everything in memory, as asked. */
  readonly histories: Histories | null
  /** The state of the store changed after the start. */
  readonly onTurn: (state: StoreState) => void
}

/** Pace of writing. */
const flushEveryMs: Millis = 500
/** Transactions of one turn. */
const batchesMax = 4
/** Pause before a store that could not be written is tried again. */
const retryEveryMs: Millis = 15_000

/** Says that the store was moved aside. */
export const movedWords = (name: string): string =>
  `what was stored could not be read; it is kept as ${name}, and a new store was begun`

/** Opens the store and begins to write. */
export function createKeeper(options: KeeperOptions): Keeper {
  const waiting = createWaiting()
  const held = holdStore(options, waiting)
  const writes = () => options.histories !== null && held.state.store !== 'read-only'
  const flushing = options.timers.every(flushEveryMs, () => held.flush(batchesMax))
  return {
    row(row) {
      if (writes()) waiting.row(row)
    },
    record(record) {
      if (writes()) waiting.record(record)
    },
    get past() {
      return held.past
    },
    get state() {
      return held.state
    },
    get moved() {
      return held.moved
    },
    stop() {
      flushing.stop()
      held.flush(Number.POSITIVE_INFINITY)
      held.close()
    },
  }
}

interface HeldStore extends Pick<Keeper, 'past' | 'state' | 'moved'> {
  /** Writes what waits, in so many transactions at most, or tries whether that is possible again. */
  flush(batches: number): void
  close(): void
}

/** The open store with what became of it: every failure turns it into memory, or into a store made anew. */
function holdStore({ clock, histories, onTurn }: KeeperOptions, waiting: Waiting): HeldStore {
  const prune = createPruning(clock)
  const slot = createSlot(histories)
  let retryMonoMs = clock.monoMs() + retryEveryMs
  const opened = slot.open(false)
  let state: StoreState = opened.ok ? opened.value : { store: 'memory', why: opened.error.message }

  const damageWords = createDamageWords(clock)
  let standing = state.why
  const set = (store: StoreState['store'], why: string | null) => {
    const same = state.store === store && state.why === why
    state = { store, why }
    if (!same) onTurn(state)
  }
  const turn = (store: StoreState['store'], why: string | null) => {
    standing = why
    set(store, why)
  }
  const toMemory = ({ message }: HistoryError) => {
    retryMonoMs = clock.monoMs() + retryEveryMs
    turn('memory', message)
  }
  /** A store that is lost is made anew in its place; any other failure may pass. */
  const failed = (error: HistoryError) => {
    if (error.kind !== 'damaged' && error.kind !== 'gone') return toMemory(error)
    const anew = slot.open(error.kind === 'damaged')
    if (!anew.ok) return toMemory(anew.error)
    const lost = error.kind === 'damaged' ? 'the store was damaged' : error.message
    const aside = slot.moved === null ? '' : ` The damaged one is kept as ${slot.moved}.`
    turn(anew.value.store, `${lost}; a new one was begun, and what it held is not searched any more.${aside}`)
  }
  /** Damage that reading has met counts like damage met in writing; a store that is only read stays as it is. */
  const lookAtDamage = (past: History) => {
    const { failure, unreadable } = past.met()
    if (failure?.kind === 'damaged' && state.store === 'ok') return failed(failure)
    const words = damageWords(unreadable)
    if (words !== null) set(state.store, standing === null ? words : `${standing}; ${words}`)
  }
  /** One transaction; false when there is nothing more to write, or it cannot be. */
  const write = (): boolean => {
    const batch = waiting.batch()
    if (slot.past === null || batch === null) return false
    const result = slot.past.write(batch)
    if (result.ok) waiting.written(batch)
    else failed(result.error)
    return result.ok
  }
  const retry = () => {
    if (histories === null || clock.monoMs() < retryMonoMs) return
    const again = slot.past?.present().ok ? null : slot.open(false)
    if (again && !again.ok) return toMemory(again.error)
    if (again?.value.store === 'read-only') return turn('read-only', again.value.why)
    if (waiting.batch() !== null && !write()) return
    const lost = waiting.lost()
    const told = [
      again?.value.why ?? null,
      again && slot.moved !== null ? movedWords(slot.moved) : null,
      lost === 0 ? null : `${lost} decisions of the time in between were not stored`,
    ].filter((each) => each !== null)
    turn('ok', told.length === 0 ? null : told.join('; '))
  }
  return {
    flush(batches) {
      if (state.store !== 'memory' && slot.past !== null) lookAtDamage(slot.past)
      if (state.store === 'read-only') return
      if (state.store === 'memory') return retry()
      const present = slot.past?.present()
      if (present && !present.ok) failed(present.error)
      for (let batch = 0; batch < batches && state.store === 'ok' && write(); batch++);
      const unpruned = slot.past === null ? null : prune(slot.past)
      if (unpruned) failed(unpruned)
    },
    close: slot.close,
    get past() {
      return slot.past
    },
    get state() {
      return state
    },
    get moved() {
      return slot.moved
    },
  }
}

/** The one history that is open; opening another closes it. */
function createSlot(histories: Histories | null) {
  let past: History | null = null
  let moved: string | null = null
  const close = () => {
    past?.close()
    past = null
  }
  return {
    close,
    open(suspect: boolean): Result<StoreState, HistoryError> {
      close()
      if (histories === null) return ok({ store: 'memory', why: null })
      const opened = histories.open({ suspect })
      if (!opened.ok) return opened
      past = opened.value.history
      moved = opened.value.moved
      return ok({ store: opened.value.state, why: opened.value.why })
    },
    get past() {
      return past
    },
    get moved() {
      return moved
    },
  }
}

/** The count of what cannot be read is told at most this often. */
const damageEveryMs: Millis = 10_000

/** Says how much cannot be read whenever it is time and the count has changed; null when there is nothing to say. */
function createDamageWords(clock: Clock): (unreadable: number) => string | null {
  let told = 0
  let toldMonoMs = Number.NEGATIVE_INFINITY
  return (unreadable) => {
    if (unreadable === told || clock.monoMs() - toldMonoMs < damageEveryMs) return null
    told = unreadable
    toldMonoMs = clock.monoMs()
    return unreadable === 0
      ? null
      : `${unreadable} stored decisions or records are not what was written, and searches leave them out; the disk may be failing`
  }
}

/** Pace of removing what is too old, and of looking at earlier runs' records for it. */
const pruneEveryMs: Millis = 60_000
const pruneEarlierEveryMs: Millis = 3_600_000

/** Removes what is too old whenever it is time; answers what went wrong. */
function createPruning(clock: Clock): (past: History) => HistoryError | null {
  let prunedMonoMs = clock.monoMs()
  let prunedEarlierMonoMs = Number.NEGATIVE_INFINITY
  return (past) => {
    const monoMs = clock.monoMs()
    if (monoMs - prunedMonoMs < pruneEveryMs) return null
    prunedMonoMs = monoMs
    const earlierRuns = monoMs - prunedEarlierMonoMs >= pruneEarlierEveryMs
    if (earlierRuns) prunedEarlierMonoMs = monoMs
    const pruned = past.prune({ monoMs, wallMs: clock.wallMs(), earlierRuns })
    return pruned.ok ? null : pruned.error
  }
}
