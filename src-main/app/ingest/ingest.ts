import { fail, ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import { valueEveryMs } from '../../contract/links'
import type { CallError } from '../../contract/wire'
import type { Replica } from '../../domain/fleet/replica'
import type { ClusterBody } from '../../domain/journal/record'
import type { Stoppable } from '../../ports/seams/timers'
import { watchClocks } from './clock-watch'
import type { StoreState } from './keeping'
import { assemble, type IngestDeps, type IngestStart, type Parts } from './parts'
import { sliceMs } from './sampling'
import { createSearch, type Search } from './search'
import type { ScaleCause } from './watcher'

/** A running ingest. */
export interface Ingest {
  readonly store: StoreState & { readonly moved: string | null }
  targets(replicas: readonly Replica[], cause: ScaleCause): void
  record(body: ClusterBody): void
  /** A router process ended: its open requests are lost. Answers how many there were. */
  routerLost(): Promise<number>
  readonly search: Search
  /** Writes what waits and closes everything. */
  stop(): Promise<void>
}

/** Opens the store and the socket, and begins to work. Fails when no router could reach it. */
export async function startIngest(deps: IngestDeps, start: IngestStart): Promise<Result<Ingest, CallError>> {
  const parts = assemble(deps, start)
  const { keeper, journal, decisions, routers, unrecorded, watcher } = parts
  const listening = await deps.listen(start.listenPath, routers.accept, (why) =>
    journal.append(socketLost(start.listenPath, why, deps.clock.wallMs())),
  )
  if (!listening.ok) {
    keeper.stop()
    const { message } = listening.error
    return fail({ code: 'listen_failed', message: `no socket for the router can be opened: ${message}` })
  }
  const pulse = startPulse(deps, parts)
  const clocks = startClocks(deps, parts)
  return ok({
    store: { ...keeper.state, moved: keeper.moved },
    targets: watcher.targets,
    record: (body) => journal.append(body),
    routerLost: async () => decisions.lose(await routers.gone()),
    search: createSearch({ rows: decisions.rows, journal, past: () => keeper.past, timers: deps.timers }),
    async stop() {
      pulse.stop()
      clocks.stop()
      watcher.stop()
      routers.stop()
      unrecorded.stop()
      keeper.stop()
      await listening.value.close()
    },
  })
}

function socketLost(path: string, why: string | null, atWallMs: Millis): ClusterBody {
  const lost = `the socket on which decisions arrive was taken away (${path})`
  const text =
    why === null
      ? `${lost}; a new one was opened`
      : `${lost} and cannot be opened again: ${why}. A router that starts now is not recorded; it is tried every second`
  return { kind: 'note.added', text, atWallMs, actor: 'signalbox' }
}

/** A wall clock that leaps forward by more than this may mean sleep, where the monotonic clock stands still meanwhile. */
const sleepMs: Millis = 5_000

/** What the screens are fed, at its pace: sampled rows four times a second, figures twice, seconds as they pass. */
function startPulse({ timers, tell }: IngestDeps, parts: Parts): Stoppable {
  const { folding, tail, decisions, routers, watcher, lost } = parts
  let slices = 0
  return timers.every(sliceMs, () => {
    folding.tick()
    const rows = tail.slice()
    if (rows.length > 0) tell('feed.decisions', { items: rows })
    const passed = folding.seconds()
    if (passed.length > 0) tell('feed.seconds', { items: passed })
    slices++
    if (slices % (valueEveryMs / sliceMs) !== 0) return
    const figures = {
      ...tail.rates(),
      dropped: routers.dropped,
      rows: decisions.rows.size,
      oldestWallMs: decisions.rows.oldest?.wallMs ?? null,
    }
    tell('feed.summary', { value: folding.summary(figures) })
    const fleet = watcher.fleet()
    if (fleet) parts.tellFleet(fleet)
    decisions.sweep()
    lost.settle()
  })
}

function startClocks({ clock, timers }: IngestDeps, { folding, journal, watcher }: Parts): Stoppable {
  return watchClocks(clock, timers, {
    jumped(byMs) {
      folding.clockJumped(byMs)
      journal.append({ kind: 'clock.jumped', byMs })
      if (byMs > sleepMs) watcher.resumed()
    },
    suspended(fromWallMs, toWallMs) {
      journal.append({ kind: 'feed.gap', fromWallMs, toWallMs, why: 'nothing ran: the machine slept' })
      watcher.resumed()
    },
  })
}
