import type { IngestNotes, RouterNotes, TrafficNotes } from '../../contract/links'
import type { Clock } from '../../ports/seams/clock'
import { type Health, keepStanding } from './health'
import type { Hub } from './hub'
import type { NoteHandlers } from './process-link'

/** What ingest tells goes on to the screens; the state of its store is part of our own health. */
export const ingestNotes = (hub: Hub, health: Health, publish: () => void): NoteHandlers<IngestNotes> => ({
  'feed.cluster': ({ items }) => hub.items('cluster', items),
  'feed.decisions': ({ items }) => hub.items('decisions', items),
  'feed.seconds': ({ items }) => hub.items('seconds', items),
  'feed.fleet': ({ value }) => hub.value('fleet', value),
  'feed.summary': ({ value }) => hub.value('summary', value),
  'store.turned': ({ to, why }) => {
    health.store = { ...health.store, state: to, why }
    publish()
  },
})

/** Notes of the router, one a second, that must say in a row that it has no link before that is worth a banner. */
const unlinkedNotes = 3

/** What the router counted, and whether its records arrive. @param recording true while router and ingest are up */
export const routerNotes = (
  health: Health,
  clock: Clock,
  recording: () => boolean,
): NoteHandlers<RouterNotes> => {
  let unlinked = 0
  return {
    'router.status': ({ droppedRecords, ingestLinked }) => {
      health.droppedRecords = droppedRecords
      unlinked = ingestLinked || !recording() ? 0 : unlinked + 1
      if (unlinked === 0) health.standing.delete('unrecorded')
      if (unlinked < unlinkedNotes) return
      const text = `Decisions are not recorded: the router cannot reach the ingest process (${droppedRecords} records lost so far). Requests are served; restart Signalbox when this stays.`
      keepStanding(health, { id: 'unrecorded', severity: 'critical', text }, clock.wallMs())
    },
  }
}

/** What the demo traffic counted. */
export const trafficNotes = (health: Health): NoteHandlers<TrafficNotes> => ({
  'traffic.status': ({ sent, failed }) => {
    health.traffic = { ...health.traffic, sent, failed }
  },
})
