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
  /** A router has come, and says which of its decisions have not ended. */
  readonly onHello: (boot: string, open: ReadonlySet<string>) => void
  readonly onDropped: (count: number) => void
}

/** Links at once: the living router's, and that of a dead one whose last words are still on their way. */
const linksMax = 8
/** How long the end of a dead router's socket is waited for; on a busy machine what is left in it takes its time. */
const lastWordsMs: Millis = 5_000

type FleetPeer = Peer<Record<string, never>, FleetNotes>

/** No router yet. */
export function createRouterLinks({
  timers,
  fleet,
  onRecord,
  onHello,
  onDropped,
}: RouterLinksOptions): RouterLinks {
  const presence = createPresence(timers)
  let dropped = 0
  const drop = (count: number) => {
    if (!(count > 0)) return
    dropped += count
    onDropped(count)
  }
  const take = ({ records, droppedBefore }: Partial<RecordNotes['records']>, boot: string) => {
    drop(Number(droppedBefore ?? 0))
    if (!Array.isArray(records)) return drop(1)
    const good = records.filter(isDecisionBody)
    for (const body of good) onRecord(body, boot)
    drop(records.length - good.length)
  }
  return {
    accept(transport) {
      if (presence.peers().length >= linksMax) return transport.close('too many routers are linked')
      let boot = ''
      const peer = createPeer<Record<string, never>, Record<string, never>, FleetNotes, RecordNotes>(
        transport,
        {
          serves: {},
          handlers: {},
          onNote: {
            hello(hello) {
              boot = String(hello?.boot).slice(0, 64)
              presence.named(peer, boot)
              if (Array.isArray(hello?.open)) onHello(boot, new Set(hello.open.map(String)))
            },
            records: (batch) => take(batch ?? {}, boot),
          },
        },
      )
      presence.came(peer)
      transport.onClose(() => presence.left(peer))
      const now = fleet()
      if (now) peer.note('fleet', { fleet: now })
    },
    fleet(now) {
      for (const peer of presence.peers()) peer.note('fleet', { fleet: now })
    },
    gone: presence.gone,
    get dropped() {
      return dropped
    },
    stop() {
      for (const peer of presence.peers()) peer.close('ingest is stopping')
    },
  }
}

/** Who is linked, and who was. A router that comes back under the same boot name never was away. */
function createPresence(timers: Timers) {
  const names = new Map<FleetPeer, string>()
  const gone = new Set<string>()
  let waiting: (() => void)[] = []
  return {
    peers: (): readonly FleetPeer[] => [...names.keys()],
    came: (peer: FleetPeer) => void names.set(peer, ''),
    named(peer: FleetPeer, boot: string) {
      names.set(peer, boot)
      gone.delete(boot)
    },
    left(peer: FleetPeer) {
      const boot = names.get(peer)
      names.delete(peer)
      if (boot !== undefined && ![...names.values()].includes(boot)) gone.add(boot)
      const now = waiting
      waiting = []
      for (const done of now) done()
    },
    async gone(): Promise<ReadonlySet<string>> {
      if (names.size > 0 && gone.size === 0)
        await new Promise<void>((resolve) => {
          const limit = timers.after(lastWordsMs, resolve)
          waiting.push(() => {
            limit.stop()
            resolve()
          })
        })
      const now = new Set(gone)
      gone.clear()
      return now
    },
  }
}
