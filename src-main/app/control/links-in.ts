import type { IngestNotes, RouterNotes, TrafficNotes } from '../../contract/links'
import type { Health } from './health'
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

/** What the router counted. */
export const routerNotes = (health: Health): NoteHandlers<RouterNotes> => ({
  'router.status': ({ droppedRecords }) => {
    health.droppedRecords = droppedRecords
  },
})

/** What the demo traffic counted. */
export const trafficNotes = (health: Health): NoteHandlers<TrafficNotes> => ({
  'traffic.status': ({ sent, failed }) => {
    health.traffic = { ...health.traffic, sent, failed }
  },
})
