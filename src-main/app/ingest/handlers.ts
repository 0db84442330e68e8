import { fail, ok } from '../../base/result'
import type { ingestLink } from '../../contract/links'
import type { Handlers } from '../../contract/peer'
import { type Ingest, startIngest } from './ingest'
import type { IngestDeps } from './parts'

/** What control may ask ingest, and how to end it. */
export interface IngestHandlers {
  readonly handlers: Handlers<typeof ingestLink>
  /** Writes what waits and closes everything; fine when nothing was started. */
  stop(): Promise<void>
}

const notStarted = fail({ code: 'not_started', message: 'ingest was not started yet' })
const done = ok(null)

/** Handlers of a process that waits for its start. */
export function createIngestHandlers(deps: IngestDeps): IngestHandlers {
  let running: Ingest | null = null
  let asked = false
  const handlers: Handlers<typeof ingestLink> = {
    async 'ingest.start'(start) {
      if (asked) return fail({ code: 'started', message: 'ingest was started before' })
      asked = true
      const started = await startIngest(deps, start)
      asked = started.ok
      if (!started.ok) return started
      running = started.value
      return ok(running.store)
    },
    async 'ingest.targets'({ replicas, cause }) {
      if (running === null) return notStarted
      running.targets(replicas, cause)
      return done
    },
    async 'ingest.record'({ body }) {
      if (running === null) return notStarted
      running.record(body)
      return done
    },
    async 'ingest.routerLost'() {
      return running === null ? notStarted : ok({ lostStreams: await running.routerLost() })
    },
    async 'ingest.last'({ last, filter }) {
      return running === null ? notStarted : running.search.last(last, filter)
    },
    async 'ingest.explain'({ id }) {
      return running === null ? notStarted : running.search.explain(id)
    },
    async 'ingest.groups'({ by, filter }) {
      return running === null ? notStarted : running.search.groups(by, filter)
    },
    async 'ingest.timeline'({ fromWallMs, toWallMs }) {
      return running === null ? notStarted : ok(running.search.timeline(fromWallMs, toWallMs))
    },
  }
  return {
    handlers,
    async stop() {
      const was = running
      running = null
      await was?.stop()
    },
  }
}
