import { ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { ClusterRecord, DecisionRow } from '../../domain/journal/record'
import type { Histories, History, HistoryError } from '../../ports/history'
import type { Clock } from '../../ports/seams/clock'
import type { Stoppable, Timers } from '../../ports/seams/timers'

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
/** Rows of one transaction, and transactions of one turn: writing must not hold everything else up. */
const batchRows = 500
const batchesMax = 4
/** Rows and records that may wait; beyond it the oldest are let go and counted. */
export const waitingRowsMax = 20_000
const waitingRecordsMax = 5_000
/** Pause before a store that could not be written is tried again. */
const retryEveryMs: Millis = 15_000
/** Pace of removing what is too old, and of looking at earlier runs' records for it. */
const pruneEveryMs: Millis = 60_000
const pruneEarlierEveryMs: Millis = 3_600_000

/** Opens the store and begins to write. */
export function createKeeper({ clock, timers, histories, onTurn }: KeeperOptions): Keeper {
  const rows = new Map<string, DecisionRow>()
  let records: ClusterRecord[] = []
  let past: History | null = null
  let state: StoreState = { store: 'memory', why: null }
  let moved: string | null = null
  let unstored = 0
  let retryMonoMs = 0
  let prunedMonoMs = clock.monoMs()
  let prunedEarlierMonoMs = Number.NEGATIVE_INFINITY

  const turn = (store: StoreState['store'], why: string | null) => {
    const same = state.store === store && state.why === why
    state = { store, why }
    if (!same) onTurn(state)
  }
  const toMemory = ({ message }: HistoryError) => {
    retryMonoMs = clock.monoMs() + retryEveryMs
    turn('memory', message)
  }
  const open = (suspect: boolean): Result<StoreState, HistoryError> => {
    past?.close()
    past = null
    if (histories === null) return ok(state)
    const opened = histories.open({ suspect })
    if (!opened.ok) return opened
    past = opened.value.history
    moved = opened.value.moved
    return ok({ store: opened.value.state, why: opened.value.why })
  }
  /** Makes the store anew in the place of one that is lost, and says so. */
  const reopen = (suspect: boolean, lost: string) => {
    const opened = open(suspect)
    if (!opened.ok) return toMemory(opened.error)
    const aside = moved === null ? '' : ` The damaged one is kept as ${moved}.`
    const why = `${lost}; a new one was begun, and what it held is not searched any more.${aside}`
    turn(opened.value.store, why)
  }
  const failed = (error: HistoryError) => {
    if (error.kind === 'damaged') reopen(true, 'the store was damaged')
    else if (error.kind === 'gone') reopen(false, error.message)
    else toMemory(error)
  }
  /** One transaction; false when there is nothing more to write, or it cannot be. */
  const writeBatch = (): boolean => {
    if (past === null || (rows.size === 0 && records.length === 0)) return false
    const some = firstOf(rows, batchRows)
    const someRecords = records
    const result = past.write({ rows: some, records: someRecords })
    if (!result.ok) {
      failed(result.error)
      return false
    }
    for (const row of some) if (rows.get(row.id) === row) rows.delete(row.id)
    records = records.slice(someRecords.length)
    return rows.size > 0
  }
  const flush = (batches: number) => {
    if (state.store === 'read-only') return
    if (state.store === 'memory') return retry()
    const present = past?.present()
    if (present && !present.ok) failed(present.error)
    for (let batch = 0; batch < batches && state.store === 'ok' && writeBatch(); batch++);
    prune()
  }
  const retry = () => {
    if (histories === null || clock.monoMs() < retryMonoMs) return
    const opened = past === null || !past.present().ok ? open(false) : null
    if (opened && !opened.ok) return toMemory(opened.error)
    if (past === null || opened?.value.store === 'read-only')
      return turn('read-only', opened?.value.why ?? null)
    const result = past.write({ rows: firstOf(rows, batchRows), records: [] })
    if (!result.ok) return failed(result.error)
    const missed = unstored
    unstored = 0
    turn('ok', missed === 0 ? null : `${missed} decisions of the time in between were not stored`)
  }
  const prune = () => {
    const monoMs = clock.monoMs()
    if (past === null || monoMs - prunedMonoMs < pruneEveryMs) return
    prunedMonoMs = monoMs
    const earlierRuns = monoMs - prunedEarlierMonoMs >= pruneEarlierEveryMs
    if (earlierRuns) prunedEarlierMonoMs = monoMs
    const pruned = past.prune({ monoMs, wallMs: clock.wallMs(), earlierRuns })
    if (!pruned.ok) failed(pruned.error)
  }

  const opened = open(false)
  state = opened.ok ? opened.value : { store: 'memory', why: opened.error.message }
  if (!opened.ok) retryMonoMs = clock.monoMs() + retryEveryMs
  const flushing: Stoppable = timers.every(flushEveryMs, () => flush(batchesMax))
  return {
    row(row) {
      if (histories === null || state.store === 'read-only') return
      rows.delete(row.id)
      rows.set(row.id, row)
      if (rows.size <= waitingRowsMax) return
      rows.delete(rows.keys().next().value as string)
      unstored++
    },
    record(record) {
      if (histories === null || state.store === 'read-only') return
      records.push(record)
      if (records.length > waitingRecordsMax) records.shift()
    },
    get past() {
      return past
    },
    get state() {
      return state
    },
    get moved() {
      return moved
    },
    stop() {
      flushing.stop()
      flush(Number.POSITIVE_INFINITY)
      past?.close()
      past = null
    },
  }
}

function firstOf(rows: ReadonlyMap<string, DecisionRow>, count: number): readonly DecisionRow[] {
  const some: DecisionRow[] = []
  for (const row of rows.values()) {
    if (some.length === count) break
    some.push(row)
  }
  return some
}
