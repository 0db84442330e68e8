import type { ingestLink } from '../../contract/links'
import type { ClusterBody } from '../../domain/journal/record'
import type { Asker } from './process-link'

/** Records that wait for an ingest process that is away; beyond it the oldest go. */
const waitingMax = 1_000

/** What control adds to the story of the cluster; kept while ingest is away, told in order when it is back. */
export interface Story {
  add(body: ClusterBody): void
  /** Ingest is there: tells it what waited. */
  tell(): Promise<void>
}

/** @param listening true while ingest takes records */
export function createStory(ingest: Asker<typeof ingestLink>, listening: () => boolean): Story {
  let waiting: ClusterBody[] = []
  let telling = false
  const tell = async () => {
    if (telling) return // one at a time, so that order is kept
    telling = true
    while (waiting.length > 0 && listening()) {
      const body = waiting[0] as ClusterBody
      const kept = await ingest('ingest.record', { body })
      if (!kept.ok) break
      if (waiting[0] === body) waiting = waiting.slice(1) // else it was pushed out meanwhile
    }
    telling = false
  }
  return {
    add(body) {
      waiting = [...waiting, body].slice(-waitingMax)
      void tell()
    },
    tell,
  }
}
