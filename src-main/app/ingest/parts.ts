import { createDraw } from '../../base/draw'
import type { Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { IngestNotes } from '../../contract/links'
import type { Peer } from '../../contract/peer'
import type { Transport } from '../../contract/transport'
import type { FleetSnapshot, Replica } from '../../domain/fleet/replica'
import type { FleetSource } from '../../ports/fleet-source'
import type { Histories } from '../../ports/history'
import type { Clock } from '../../ports/seams/clock'
import type { ListenError, Listening } from '../../ports/seams/net'
import type { Timers } from '../../ports/seams/timers'
import { createDecisions, type Decisions, type RowEvent } from './decisions'
import { createFolding, type Folding } from './folding'
import { createJournal, type Journal } from './journal'
import { createKeeper, type Keeper, movedWords } from './keeping'
import { createLostRecords, type LostRecords } from './lost-records'
import { recallEpoch, recallSessions } from './recalled'
import { createRouterLinks, type RouterLinks } from './router-links'
import { createTail, type Tail } from './sampling'
import { createUnrecorded, type Unrecorded } from './unrecorded'
import { createWatcher, type Watcher } from './watcher'

/** What ingest is handed by whoever composes it. */
export interface IngestDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly openSource: (replica: Replica) => FleetSource
  /** The store of a folder. @param boot this run */
  readonly histories: (folder: string, boot: string) => Histories
  /**
   * Listens on a local socket for routers, and goes on when its file is deleted.
   * @param onLost told when that happened and a new one was opened (null), or why that could not be
   */
  readonly listen: (
    path: string,
    onLink: (transport: Transport) => void,
    onLost: (why: string | null) => void,
  ) => Promise<Result<Listening, ListenError>>
  readonly tell: Peer<Record<string, never>, IngestNotes>['note']
}

/** What a start needs. */
export interface IngestStart {
  readonly storeFolder: string | null
  readonly listenPath: string
  readonly pollEveryMs: Millis
  readonly boot: string
}

/** The parts of a running ingest, wired to each other. */
export interface Parts {
  readonly keeper: Keeper
  readonly journal: Journal
  readonly decisions: Decisions
  readonly folding: Folding
  readonly tail: Tail
  readonly routers: RouterLinks
  readonly lost: LostRecords
  readonly unrecorded: Unrecorded
  readonly watcher: Watcher
  readonly tellFleet: (fleet: FleetSnapshot) => void
}

/** Makes the parts. Some of them read each other, which is why they are handed functions and not values. */
export function assemble(deps: IngestDeps, start: IngestStart): Parts {
  const draw = createDraw(start.boot)
  const past = assemblePast(deps, start)
  const fleet = () => watcher.fleet()
  const stream = assembleStream(deps, past.keeper, fleet, draw.fork('tail'))
  recallSessions(stream.decisions.sessions, past.keeper.past, deps.clock)
  const unrecorded = createUnrecorded({ ...deps, decisions: stream.decisions, past: () => past.keeper.past })
  const links = assembleLinks(deps, past.journal, stream.decisions, unrecorded, fleet)
  const tellFleet = (now: FleetSnapshot) => {
    links.routers.fleet(now)
    deps.tell('feed.fleet', { value: now })
  }
  const watcher = createWatcher({
    clock: deps.clock,
    timers: deps.timers,
    draw: draw.fork('polls'),
    open: deps.openSource,
    everyMs: start.pollEveryMs,
    epoch: recallEpoch(past.keeper.past, deps.clock.wallMs()),
    errorsPerMinute: stream.folding.errorsPerMinute,
    record: past.journal.append,
    changed: tellFleet,
  })
  return { ...past, ...stream, ...links, unrecorded, watcher, tellFleet }
}

/** The cluster stream and the store behind it. */
function assemblePast({ clock, timers, histories, tell }: IngestDeps, start: IngestStart) {
  const { storeFolder, boot } = start
  const keeper = createKeeper({
    clock,
    timers,
    histories: storeFolder === null ? null : histories(storeFolder, boot),
    onTurn({ store, why }) {
      tell('store.turned', { to: store, why })
      journal.append({ kind: 'store.turned', to: store, why })
    },
  })
  const journal = createJournal({
    clock,
    boot,
    onRecords(records) {
      for (const record of records) keeper.record(record)
      tell('feed.cluster', { items: records })
    },
  })
  const { store, why } = keeper.state
  if (storeFolder !== null && (store !== 'ok' || why !== null))
    journal.append({ kind: 'store.turned', to: store, why })
  if (keeper.moved !== null) journal.append({ kind: 'store.turned', to: 'ok', why: movedWords(keeper.moved) })
  return { keeper, journal }
}

/** The decision stream: joined, counted, sampled and stored. */
function assembleStream(
  { clock }: IngestDeps,
  keeper: Keeper,
  fleet: () => FleetSnapshot | null,
  draw: ReturnType<typeof createDraw>,
) {
  const onEvent = (event: RowEvent) => {
    folding.take(event)
    tail.offer(event)
    if (event.row) keeper.row(event.row)
  }
  const decisions = createDecisions({
    clock,
    onEvent,
    stored(id) {
      const row = keeper.past?.row(id)
      return row?.ok ? (row.value?.open() ?? null) : null
    },
  })
  const folding = createFolding({ clock, fleet, decisions: () => decisions })
  const tail = createTail(draw, folding.slowMs)
  return { decisions, folding, tail }
}

/** The routers that report. */
function assembleLinks(
  { clock, timers }: IngestDeps,
  journal: Journal,
  decisions: Decisions,
  unrecorded: Unrecorded,
  fleet: () => FleetSnapshot | null,
) {
  const lost = createLostRecords(clock, (body) => journal.append(body))
  const routers = createRouterLinks({
    timers,
    fleet,
    onDropped: lost.dropped,
    onHello: unrecorded.linked,
    onRecord(body, boot) {
      lost.heard()
      if (body.kind === 'decided') decisions.made(body, boot)
      else decisions.ended(body)
    },
  })
  return { lost, routers }
}
