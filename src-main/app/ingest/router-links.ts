import type { Millis } from '../../base/units'
import type { FleetNotes, RecordNotes } from '../../contract/links'
import { createPeer, type Peer } from '../../contract/peer'
import type { Transport } from '../../contract/transport'
import type { FleetSnapshot } from '../../domain/fleet/replica'
import type { DecisionBody } from '../../domain/journal/record'
import type { Timers } from '../../ports/seams/timers'
import { isDecisionBody } from './record-check'

/** The local socket's other ends: router processes that report their decisions and want to know the fleet. */
export interface RouterLinks {
  accept(transport: Transport): void
  fleet(fleet: FleetSnapshot): void
  /** Boot names of routers that are not linked any more, once the one that is known to be dead has been heard out. */
  gone(): Promise<ReadonlySet<string>>
  /** Records that routers dropped, and those that could not be understood. */
  readonly dropped: number
  stop(): void
}

/** What the links need. */
export interface RouterLinksOptions {
  readonly timers: Timers
  readonly fleet: () => FleetSnapshot | null
  readonly onRecord: (body: DecisionBody, boot: string) => void
  readonly onDropped: (count: number) => void
}

/** Links at once: the living router's, and that of a dead one whose last words are still on their way. */
const linksMax = 8
/** How long the end of a dead router's socket is waited for. */
const lastWordsMs: Millis = 300

type FleetPeer = Peer<Record<string, never>, FleetNotes>

/** No router yet. */
export function createRouterLinks(options: RouterLinksOptions): RouterLinks {
  const links = new Map<FleetPeer, { boot: string }>()
  const gone = new Set<string>()
  let waiting: (() => void)[] = []
  let dropped = 0

  const drop = (count: number) => {
    if (!(count > 0)) return
    dropped += count
    options.onDropped(count)
  }
  const closed = (peer: FleetPeer) => {
    const boot = links.get(peer)?.boot
    links.delete(peer)
    if (boot !== undefined && ![...links.values()].some((each) => each.boot === boot)) gone.add(boot)
    const now = waiting
    waiting = []
    for (const done of now) done()
  }
  const take = (records: unknown, boot: string) => {
    if (!Array.isArray(records)) return drop(1)
    let bad = 0
    for (const body of records as readonly unknown[]) {
      if (isDecisionBody(body)) options.onRecord(body, boot)
      else bad++
    }
    drop(bad)
  }
  return {
    accept(transport) {
      if (links.size >= linksMax) return transport.close('too many routers are linked')
      const link = { boot: '' }
      const peer = createPeer<Record<string, never>, Record<string, never>, FleetNotes, RecordNotes>(
        transport,
        {
          serves: {},
          handlers: {},
          onNote: {
            hello(hello) {
              link.boot = String(hello?.boot).slice(0, 64)
              gone.delete(link.boot)
            },
            records(batch) {
              drop(Number(batch?.droppedBefore))
              take(batch?.records, link.boot)
            },
          },
        },
      )
      links.set(peer, link)
      transport.onClose(() => closed(peer))
      const fleet = options.fleet()
      if (fleet) peer.note('fleet', { fleet })
    },
    fleet(fleet) {
      for (const peer of links.keys()) peer.note('fleet', { fleet })
    },
    async gone() {
      if (links.size > 0 && gone.size === 0)
        await new Promise<void>((resolve) => {
          const limit = options.timers.after(lastWordsMs, resolve)
          waiting.push(() => {
            limit.stop()
            resolve()
          })
        })
      const now = new Set(gone)
      gone.clear()
      return now
    },
    get dropped() {
      return dropped
    },
    stop() {
      for (const peer of [...links.keys()]) peer.close('ingest is stopping')
    },
  }
}
